// A trial as a search knows it: its point, its time, and how far that can be trusted. Thread rule: values. Unit:
// nanoseconds.
#pragma once

#include <cstdint>

#include "nestwright/measurement.h"
#include "nestwright/records.h"
#include "search/space/point.h"

namespace nestwright {

/// Weight of a trial that was timed while the machine was disturbed.
inline constexpr double kDisturbedWeight = 0.25;

enum class TrialQuality : std::uint8_t {
  kSound,      ///< it succeeded, on an undisturbed machine
  kDisturbed,  ///< it succeeded, and its time is rough: it is to be measured again
  kFailed,
  kUncertainFailure,  ///< it failed in a session that this one cannot be compared with
};

struct SessionTrial {
  TrialId id = 0;
  Point point;
  double ns = 0;  ///< where it succeeded
  TrialQuality quality = TrialQuality::kSound;

  bool has_failed() const { return quality == TrialQuality::kFailed || quality == TrialQuality::kUncertainFailure; }
  /// Whether the trial can be the best, or the one that others are called slow by.
  bool is_sound() const { return quality == TrialQuality::kSound; }
  bool is_disturbed() const { return quality == TrialQuality::kDisturbed; }
  /// Of its label: 1, or kDisturbedWeight.
  double weight() const { return is_sound() || quality == TrialQuality::kFailed ? 1 : kDisturbedWeight; }
  /// Runs per second, 0 for a failure: the label that a cost model learns.
  double throughput() const { return has_failed() ? 0 : 1e9 / ns; }
};

/// The trial with this measurement, which has a label.
inline SessionTrial session_trial(TrialId id, const Point& point, const Measurement& m) {
  const bool is_disturbed = m.timing.is_disturbed();
  if (m.outcome == Outcome::kOk) {
    return {id, point, m.timing.median_ns, is_disturbed ? TrialQuality::kDisturbed : TrialQuality::kSound};
  }
  return {id, point, m.timing.median_ns, is_disturbed ? TrialQuality::kUncertainFailure : TrialQuality::kFailed};
}

/// Whether a measurement has a label: one that succeeded but was not timed has none.
inline bool has_label(const Measurement& m) { return m.outcome != Outcome::kOk || m.timing.median_ns > 0; }
/// Whether a trial with this measurement is right and was timed to the end, perhaps on a disturbed machine.
inline bool is_timed(const Measurement& m) {
  return m.outcome == Outcome::kOk && m.evidence.verified && !m.timing.ended_early && m.timing.median_ns > 0;
}
/// Whether a trial with this measurement can be the best.
inline bool is_sound(const Measurement& m) { return is_timed(m) && !m.timing.is_disturbed(); }
/// Whether the time was over before a candidate that compiled was checked: it stays in its batch as unfinished.
inline bool was_skipped(const Measurement& m) {
  return m.outcome == Outcome::kOk && !m.evidence.verified && m.timing.median_ns == 0;
}

}  // namespace nestwright
