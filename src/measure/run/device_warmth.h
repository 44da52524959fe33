// Decides when a device needs load before it can be timed: an idle device lowers its clock, and kernels look too slow
// until the clock has risen again. Private to measure/.
// Thread rule: one thread at a time. Unit: nanoseconds, of the host's clock.
#pragma once

#include <cstdint>

namespace nestwright {

/// How long a device keeps its clock without work, and how long it needs under load to raise it again.
inline constexpr std::int64_t kDeviceStaysWarmNs = 100'000'000;
inline constexpr std::int64_t kDeviceWarmUpNs = 200'000'000;

class DeviceWarmth {
 public:
  /// Returns how long the device must be under load before a sample counts; 0 if it is warm.
  std::int64_t warm_up_ns(std::int64_t now_ns) const {
    return has_worked_ && now_ns - worked_ns_ <= kDeviceStaysWarmNs ? 0 : kDeviceWarmUpNs;
  }
  /// Records that the device was under load until now.
  void worked(std::int64_t now_ns) {
    has_worked_ = true;
    worked_ns_ = now_ns;
  }

 private:
  bool has_worked_ = false;
  std::int64_t worked_ns_ = 0;
};

}  // namespace nestwright
