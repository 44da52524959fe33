// Memory of a device between two guard zones, which hold a canary: a write past an end, or before the start, is seen
// afterwards. Reads out of bounds are not: the verifier and the interpreter prove them away before a program gets here,
// and the canary (all bytes 0xff, not-a-number in every floating type) makes most of them give a wrong result.
// Private to measure/. Thread rule: one thread at a time, as for the device. Unit: bytes.
#pragma once

#include <cstdint>

#include "measure/device_checker.h"
#include "runtime/device.h"

namespace nestwright {

class GuardedDeviceMemory {
 public:
  /// Poisoned, as by poison(). Throws DeviceError where the device has no room.
  GuardedDeviceMemory(Device& device, std::int64_t bytes);

  /// What a kernel is handed: as aligned as the device's allocations are.
  const DeviceMemoryPtr& buffer() const { return buffer_; }
  /// Fills buffer and guards with the canary.
  void poison();
  /// True where both guards still hold the canary. Waits for the device.
  bool guards_intact() const;
  /// The same on the device: queues two results, by which are_intact() judges.
  void queue_guards(DeviceChecker& checker) const;
  bool are_intact(const DeviceSummary& front, const DeviceSummary& back) const;

 private:
  bool is_intact(std::int64_t offset, std::int64_t bytes) const;

  Device* device_;
  std::int64_t guard_;
  std::uint64_t guard_digest_;  ///< of an intact one
  DeviceMemoryPtr whole_, buffer_;
};

}  // namespace nestwright
