#include "runtime/device_target.h"

#include <fmt/format.h>

#include "nestwright/device.h"
#include "nestwright/error.h"
#include "target/description/gpu_target.h"

namespace nestwright {

Target find_target(std::string_view text) {
  const Target parsed = Target::parse(text == "cpu" ? "host" : text);
  if (parsed.device == DeviceKind::kCpu || text.find(',') != std::string_view::npos) return parsed;
  const DeviceListing listing = list_devices(parsed.device);
  return listing.devices.empty() ? parsed : listing.devices.front().target;
}

void require_device(const Target& target) {
  const DeviceListing listing = list_devices(target.device);
  if (listing.devices.empty()) {
    throw UsageError(fmt::format("this machine cannot run code for {}: {}", target.str(), listing.missing));
  }
  const Target& here = listing.devices.front().target;
  if (target.device == DeviceKind::kCuda && !can_run_on(target.arch, here.arch)) {
    throw UsageError(fmt::format("{} of this machine is {} and cannot run code for {}: tune with --target cuda",
                                 listing.devices.front().name, here.arch, target.arch));
  }
}

}  // namespace nestwright
