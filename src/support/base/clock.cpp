#include "support/base/clock.h"

#include <ctime>

namespace nestwright {

std::int64_t SteadyClock::now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

Clock& steady_clock() {
  static SteadyClock clock;
  return clock;
}

}  // namespace nestwright
