#include "measure/run/guarded_device_memory.h"

#include <algorithm>
#include <vector>

#include "measure/process/guarded_region.h"
#include "support/base/round_up.h"

namespace nestwright {
namespace {

/// The size of a guard: that of the buffer, within limits, so that an index that is off by a row or a tile lands in it.
/// Guards are copied back after every check if results are compared on the host.
std::int64_t guard_bytes(std::int64_t bytes, std::int64_t alignment) {
  return round_up(std::clamp<std::int64_t>(bytes, 4 << 10, 256 << 10), alignment);
}

}  // namespace

GuardedDeviceMemory::GuardedDeviceMemory(Device& device, std::int64_t bytes)
    : device_(&device),
      guard_(guard_bytes(bytes, device.slice_alignment())),
      guard_digest_(
          device_digest(std::vector<std::byte>(static_cast<std::size_t>(guard_), std::byte{GuardedRegion::kCanary}))) {
  whole_ = device.allocate(bytes + 2 * guard_);
  buffer_ = device.slice(whole_, guard_, bytes);
  poison();
}

void GuardedDeviceMemory::poison() { device_->fill(*whole_, GuardedRegion::kCanary); }

bool GuardedDeviceMemory::guards_intact() const {
  return is_intact(0, guard_) && is_intact(guard_ + buffer_->bytes(), guard_);
}

void GuardedDeviceMemory::queue_guards(DeviceChecker& checker) const {
  checker.digest(*whole_, 0, guard_);
  checker.digest(*whole_, guard_ + buffer_->bytes(), guard_);
}

bool GuardedDeviceMemory::are_intact(const DeviceSummary& front, const DeviceSummary& back) const {
  return front.digest == guard_digest_ && back.digest == guard_digest_;
}

bool GuardedDeviceMemory::is_intact(std::int64_t offset, std::int64_t bytes) const {
  std::vector<std::byte> seen(static_cast<std::size_t>(bytes));
  device_->download(*whole_, seen, offset);
  return std::all_of(seen.begin(), seen.end(), [](std::byte b) { return b == std::byte{GuardedRegion::kCanary}; });
}

}  // namespace nestwright
