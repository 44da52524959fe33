// The result of one measured point, as strategies observe it. Thread rule: values. Unit: nanoseconds.
#pragma once

#include "measure/race/measurement.h"
#include "search/space/search_space.h"

namespace nestwright {

/// Weight of a trial that was timed while the machine was disturbed.
inline constexpr double kDisturbedWeight = 0.25;

struct Trial {
  Point point;
  Outcome outcome = Outcome::kOk;
  double median_ns = 0;  ///< where outcome is kOk
  double weight = 1;     ///< of the reading, above 0. 1: full; kDisturbedWeight: it is to be measured again

  /// Whether the trial can be the best, or the one that others are called slow by.
  bool is_sound() const { return outcome == Outcome::kOk && weight >= 1; }
  /// Runs per second, 0 for a failure: the label that a cost model learns.
  double throughput() const { return outcome == Outcome::kOk ? 1e9 / median_ns : 0; }
};

/// The trial of a point with this measurement, which has a label.
inline Trial trial_of(const Point& point, const Measurement& m) {
  return {point, m.outcome, m.timing.median_ns, m.timing.is_disturbed() ? kDisturbedWeight : 1};
}
/// Whether a measurement has a label: one that succeeded but was not timed has none.
inline bool has_label(const Measurement& m) { return m.outcome != Outcome::kOk || m.timing.median_ns > 0; }

}  // namespace nestwright
