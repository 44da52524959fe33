// The highest known rates of the machine of a task, which bound the times of its kernels from below. Private to
// search/. Thread rule: one thread at a time. Units: as named.
#pragma once

#include <functional>
#include <optional>

#include "cost_model/least_time.h"
#include "nestwright/database.h"
#include "nestwright/lookup.h"
#include "nestwright/target.h"

namespace nestwright {

class MachineRates {
 public:
  using Measure = std::function<MachineLimits(int threads)>;

  /// Measures them with `measure` (empty: a measurement that takes 40 ms), where the task's target is a CPU; those of
  /// other devices are unknown. The highest of all sessions are kept in `log`, which outlives them. Throws LogError.
  MachineRates(const TaskContext& context, TuningLog& log, Measure measure);

  /// Measures the rates again: they are too low where something slowed the machine down when they were measured. Rates
  /// only increase. Throws LogError.
  void raise();
  /// The time that the machine needs for `work`, in nanoseconds; 0: unknown.
  double least_ns(const LeastWork& work) const { return least_time_ns(work, rates_); }
  /// The seconds that checking and timing the default is expected to take at the machine's usual share of its highest
  /// rates; 0: unknown.
  double first_trial_s() const;
  /// The part of first_trial_s() that is spent in calls.
  double first_calls_s() const;
  /// The share of the roofline that a kernel of `ns` reaches; nullopt where it is unknown. Measures the rates again, at
  /// most a few times in a session, before it reports that little room is left.
  std::optional<double> roofline_share(const LeastWork& work, double ns);

 private:
  const TaskContext context_;
  TuningLog& log_;
  const Measure measure_;
  HighestRates rates_;
  int near_roof_ = 0;  ///< how often the rates were measured again by roofline_share()
};

}  // namespace nestwright
