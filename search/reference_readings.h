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

  /// By what factor, as its logarithm, two readings of one kernel differ at most with 95% confidence: Student's t over
  /// the logarithms, each about the mean of its kernel. 0: no kernel was read twice.
  double drift() const;

 private:
  std::map<TrialId, std::vector<double>> logs_;  ///< one a chunk
};

/// The interval with the drift in it, both independent. Does nothing to a timing without an interval.
void widen(Timing& timing, double drift);

}  // namespace nestwright
