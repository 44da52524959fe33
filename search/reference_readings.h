// How the readings of the kernels that others are scored against moved while a session ran. The final race takes
// seconds: what changes from one minute to the next, the clock, a neighbour in the shared cache or on a sibling
// hyper-thread, is not in its interval. Private to search/. Thread rule: one thread at a time.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "logs/record.h"
#include "measure/measurement.h"

namespace nestwright {

class ReferenceReadings {
 public:
  /// The readings of `kernel` in a chunk that it was the reference kernel of: the median of those beside the candidate
  /// that has most. Does nothing where none has any.
  void add(TrialId kernel, const std::vector<std::optional<Measurement>>& chunk);

  /// The logarithm of a ratio that 95% of the pairs of readings of one kernel do not exceed; 0: there are no pairs.
  double drift() const;

 private:
  std::map<TrialId, std::vector<double>> logs_;  ///< one a chunk
};

/// The interval with the drift in it, both independent. Does nothing to a timing without an interval.
void widen(Timing& timing, double drift);

}  // namespace nestwright
