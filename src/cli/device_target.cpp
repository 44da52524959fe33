#include "cli/device_target.h"

#include <fmt/format.h>

#include "runtime/device.h"
#include "support/error.h"

namespace nestwright::cli {
namespace {

/// sm_90a is 9 and 0: code for a device runs on later ones of the same generation (CUDA Programming Guide, "Binary
/// Compatibility"), but what is made for an "a" runs on this one only.
struct Generation {
  std::string_view major, minor;
  bool is_specific;
};
Generation generation_of(std::string_view arch) {
  std::string_view number = arch.substr(arch.find('_') + 1);
  const bool is_specific = !number.empty() && number.back() == 'a';
  if (is_specific) number.remove_suffix(1);
  return {number.substr(0, number.size() - 1), number.substr(number.size() - 1), is_specific};
}

bool runs_on(std::string_view arch, std::string_view device) {
  const Generation code = generation_of(arch), here = generation_of(device);
  return code.major == here.major && (code.is_specific ? code.minor == here.minor : code.minor <= here.minor);
}

}  // namespace

Target resolve_device(const Target& parsed, std::string_view text) {
  if (text.find(',') != std::string_view::npos) return parsed;
  const DeviceListing listing = list_devices(parsed.device);
  return listing.devices.empty() ? parsed : listing.devices.front().target;
}

void refuse_missing_device(const Target& target) {
  const DeviceListing listing = list_devices(target.device);
  if (listing.devices.empty()) {
    throw UsageError(fmt::format("this machine cannot run code for {}: {}", target.str(), listing.missing));
  }
  const Target& here = listing.devices.front().target;
  if (target.device == DeviceKind::kCuda && !runs_on(target.arch, here.arch)) {
    throw UsageError(fmt::format("{} of this machine is {} and cannot run code for {}: tune with --target cuda",
                                 listing.devices.front().name, here.arch, target.arch));
  }
}

}  // namespace nestwright::cli
