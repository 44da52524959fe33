// When a device that is about to be timed has to be loaded first: an idle one lowers its clock, and what is timed while
// that rises again looks slower than it is.
// Private to measure/. Thread rule: one thread at a time. Unit: nanoseconds, of the host's clock.
#pragma once

#include <cstdint>

namespace nestwright {

/// How long a device keeps its clock without work, and how long it takes under load to get it back.
inline constexpr std::int64_t kDeviceStaysWarmNs = 100'000'000;
inline constexpr std::int64_t kDeviceWarmUpNs = 200'000'000;

class DeviceWarmth {
 public:
  /// Time under load that it needs now before a sample counts; 0: none.
  std::int64_t missing_ns(std::int64_t now_ns) const {
    return has_worked_ && now_ns - worked_ns_ <= kDeviceStaysWarmNs ? 0 : kDeviceWarmUpNs;
  }
  /// It was warm, and worked until now.
  void worked(std::int64_t now_ns) {
    has_worked_ = true;
    worked_ns_ = now_ns;
  }

 private:
  bool has_worked_ = false;
  std::int64_t worked_ns_ = 0;
};

}  // namespace nestwright
