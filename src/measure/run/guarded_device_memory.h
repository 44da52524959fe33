// Device memory between two guard zones filled with a canary, so that a write past the end or before the start is
// detected afterwards. Reads out of bounds are not detected, but the verifier and the interpreter exclude them before a
// program gets here, and the canary (all bytes 0xff, NaN in every floating type) makes most of them give a wrong
// result. Private to measure/.
// Thread rule: one thread at a time, as for the device. Unit: bytes.
#pragma once

#include <cstdint>

#include "measure/check/device_checker.h"
#include "nestwright/device.h"

namespace nestwright {

class GuardedDeviceMemory {
 public:
  /// Allocates poisoned memory. Throws DeviceError if the device does not have room.
  GuardedDeviceMemory(Device& device, std::int64_t bytes);

  /// The memory to pass to kernels, with the alignment of the device's allocations.
  const DeviceMemoryPtr& buffer() const { return buffer_; }
  /// Fills buffer and guards with the canary.
  void poison();
  /// Whether both guards still hold the canary. Waits for the device.
  bool guards_intact() const;
  /// The same, on the device: queue_guards() queues the digests of both guards; pass their summaries to are_intact().
  void queue_guards(DeviceChecker& checker) const;
  bool are_intact(const DeviceSummary& front, const DeviceSummary& back) const;

 private:
  bool is_intact(std::int64_t offset, std::int64_t bytes) const;

  Device* device_;
  std::int64_t guard_;
  std::uint64_t guard_digest_;  ///< the digest of an intact guard
  DeviceMemoryPtr whole_, buffer_;
};

}  // namespace nestwright
