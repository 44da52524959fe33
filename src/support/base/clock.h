// The source of time. Code whose decisions depend on the time takes a Clock, so that tests can substitute their own.
// Thread rule: any thread may read a clock. Unit: nanoseconds since an arbitrary start; time never goes backwards.
#pragma once

#include <cstdint>

namespace nestwright {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_ns() = 0;
};

/// CLOCK_MONOTONIC.
class SteadyClock : public Clock {
 public:
  std::int64_t now_ns() override;
};

/// Returns the SteadyClock of this process.
Clock& steady_clock();

}  // namespace nestwright
