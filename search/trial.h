// What a search hears of one measured point. Thread rule: plain data. Units: nanoseconds.
#pragma once

#include "measure/measurement.h"
#include "search/search_space.h"

namespace nestwright {

/// Weight of a trial that was timed while something disturbed the machine.
inline constexpr double kDisturbedWeight = 0.25;

struct Trial {
  Point point;
  Outcome outcome = Outcome::kOk;
  double median_ns = 0;  ///< of an ok one
  double weight = 1;     ///< of the reading, above 0; 1: full; kDisturbedWeight: to be measured again

  /// May be a best one and what others are called slow by.
  bool is_sound() const { return outcome == Outcome::kOk && weight >= 1; }
  /// Runs a second; 0 for a failure: what a cost model learns.
  double throughput() const { return outcome == Outcome::kOk ? 1e9 / median_ns : 0; }
};

}  // namespace nestwright
