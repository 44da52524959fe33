// Measures the drift of a session from repeated readings of its reference kernels. The final race takes seconds, so its
// ranges do not cover effects that vary from minute to minute: the clock frequency, or a neighbour in the shared cache
// or on a sibling hyper-thread. The drift is reported beside a range; the interval of a best that was not raced, which
// one process timed, is widened by it, and the range of a race on a machine that is not quiet by how much readings
// deviate. Private to search/. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "nestwright/measurement.h"
#include "nestwright/records.h"

namespace nestwright {

/// The undisturbed readings of the reference kernel of a chunk: those beside the candidate with the most. Empty where
/// there are none.
std::vector<double> undisturbed_reference(const std::vector<std::optional<Measurement>>& chunk);

class ReferenceReadings {
 public:
  /// Adds the median of the undisturbed readings of `kernel` from a chunk in which it was the reference kernel. Does
  /// nothing if there are none.
  void add(TrialId kernel, const std::vector<std::optional<Measurement>>& chunk);

  /// The logarithm of the factor by which two readings of one kernel differ at most, with 95% confidence (Student's t
  /// on the logarithms, each about the mean of its kernel); with less where there are fewer than three readings beyond
  /// the first of a kernel. 0 where no kernel was read twice.
  double drift() const;
  /// The standard deviation of the logarithms of the readings, each about the mean of its kernel. 0 where no kernel was
  /// read twice.
  double deviation() const;

 private:
  struct Scatter {
    double deviation = 0;
    std::size_t degrees = 0;  ///< of freedom
  };
  Scatter scatter() const;

  std::map<TrialId, std::vector<double>> logs_;  ///< logarithms of the readings, one for each chunk
};

/// Widens the interval of `timing` by the drift, as an independent error. Does nothing to a timing without an interval.
void widen(Timing& timing, double drift);

}  // namespace nestwright
