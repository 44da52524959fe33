// Where time comes from. Everything that decides by the clock is handed one, so that tests can make time up.
// Thread rule: clocks may be read by any thread. Unit: nanoseconds from an arbitrary start; never goes back.
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

/// The process's one SteadyClock.
Clock& steady_clock();

}  // namespace nestwright
