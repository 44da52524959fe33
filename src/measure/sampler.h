// Reads the clock around calls of a kernel, and around the fma loop before and after them.
// Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <cstdint>
#include <functional>

#include "measure/race.h"
#include "support/clock.h"

namespace nestwright {

/// `bracket` may be empty: no brackets then.
inline Reading take_reading(Clock& clock, std::int64_t calls, const std::function<void()>& call,
                            const std::function<void()>& bracket) {
  const auto time = [&clock](const auto& work) {
    const std::int64_t start = clock.now_ns();
    work();
    return static_cast<double>(clock.now_ns() - start);
  };
  Reading reading;
  if (bracket) reading.bracket_before_ns = time(bracket);
  reading.ns = time([&] {
    for (std::int64_t i = 0; i < calls; ++i) call();
  });
  if (bracket) reading.bracket_after_ns = time(bracket);
  return reading;
}

}  // namespace nestwright
