// Takes undisturbed samples: a disturbed reading is repeated, and while the machine stays disturbed the run waits, for
// a bounded time. The clock and the kernels are parameters, so that tests can simulate them.
// Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "measure/race/disturbance_gate.h"
#include "support/base/clock.h"

namespace nestwright {

/// Provides readings of candidates and of the machine.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  /// Calls a candidate `calls` times in a row, after an untimed call if `warm_up`. Absent if the candidate failed,
  /// which is then not sampled again.
  virtual std::optional<Reading> sample(int candidate, std::int64_t calls, bool warm_up) = 0;
  virtual Surroundings surroundings() = 0;
  /// Replaces the process that calls the candidates by a fresh one.
  virtual void renew_process() = 0;
  /// Sleeps because the machine is disturbed; `why` is for people.
  virtual void pause(double ns, const std::string& why) = 0;
};

/// The time that a run may lose to a disturbed machine, by waiting and by repeating long readings: a share of its
/// elapsed time plus an initial second.
class WaitBudget {
 public:
  WaitBudget(Clock& clock, double share) : clock_(clock), share_(share), start_ns_(clock.now_ns()) {}
  /// Takes a loss of `ns` from the budget. Returns false, and takes nothing, if the budget does not allow it.
  bool spend(double ns);
  Clock& clock() const { return clock_; }
  bool is_over() const { return is_over_ && is_over_(); }
  /// Allows no further wait once `is_over` returns true. May be empty.
  void set_end(std::function<bool()> is_over) { is_over_ = std::move(is_over); }

 private:
  static constexpr double kInitialNs = 1e9;

  Clock& clock_;
  double share_;
  std::int64_t start_ns_;
  double lost_ns_ = 0;
  std::function<bool()> is_over_;
};

/// A reading of one candidate in one pass, and the verdict on it.
struct Sample {
  int pass = 0, process = 0;
  double ns = 0;  ///< of all calls together
  /// Of one call, without the time in which its thread waited for a processor. Samples that count did not wait, and of
  /// candidates on several threads it is not known, because one may wait while the others do its work.
  double call_ns = 0;
  double fma_ns = 0, walk_ns = 0;  ///< sentinels; 0: there was none
  std::string disturbance;         ///< empty: it counts
};

/// The sentinels of a pass, and the verdict on them.
struct PassObservation {
  Surroundings surroundings;
  std::string disturbance;  ///< since the last observation; empty: none
};

class GatedSampler {
 public:
  /// The first three must outlive the sampler. `threads` are those that candidates run on.
  GatedSampler(SampleSource& source, DisturbanceGate& gate, WaitBudget& wait_budget, int threads)
      : source_(source), gate_(gate), wait_budget_(wait_budget), threads_(threads) {}

  /// Returns an undisturbed sample, or the last of several disturbed ones; there are fewer attempts while most readings
  /// are disturbed, and where the wait budget does not allow for the repetition of a long one. Absent if the candidate
  /// failed. The caller numbers its passes and processes.
  std::optional<Sample> take(int candidate, std::int64_t calls, bool warm_up);
  PassObservation observe();
  /// Takes later samples in a fresh process.
  void renew_process() { source_.renew_process(); }
  /// Waits a moment, after which `again_ns` of readings are repeated. Returns false if the budget does not allow it.
  bool wait(const std::string& why, double again_ns);
  /// The clock of the run.
  Clock& clock() const { return wait_budget_.clock(); }

 private:
  SampleSource& source_;
  DisturbanceGate& gate_;
  WaitBudget& wait_budget_;
  int threads_;
  double pause_ns_ = kMinPauseNs;
  double disturbed_share_ = 0;  ///< recent average
  double readings_ns_ = 0;      ///< since the last observation

  static constexpr double kMinPauseNs = 5e6, kMaxPauseNs = 160e6;
};

}  // namespace nestwright
