// Checks and times candidates in a dedicated worker process, which links their code, runs one at a time and is replaced
// if it crashes or hangs.
// Thread rule: one thread at a time. Nothing else should load the machine while it runs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/check/large_data.h"
#include "measure/race/race.h"
#include "measure/race/race_finalists.h"
#include "measure/race/timing.h"
#include "nestwright/measurement.h"
#include "nestwright/parallel_pool.h"
#include "nestwright/program.h"
#include "nestwright/target.h"

namespace nestwright {

/// The inputs and expected results of a task, computed once per task (Operator::reference in
/// nestwright/template.h).
struct CheckData {
  std::vector<ir::Type> types;         ///< one per parameter
  std::vector<std::int64_t> elements;  ///< one per parameter
  std::vector<ir::Role> roles;
  std::vector<std::vector<double>> inputs;    ///< one per input
  std::vector<std::vector<double>> expected;  ///< one per output
  std::vector<std::vector<double>> bound;     ///< one per output: the largest absolute error of each element
  /// Further inputs of integers, on which the operator is exact, and their expected results. Empty: none.
  std::vector<std::vector<double>> integer_inputs, integer_expected;
  /// Zeros, or infinite for elements whose expected value is not known. Empty: zeros.
  std::vector<std::vector<double>> integer_bound;
  /// Inputs of large and small magnitudes, their expected results and the largest absolute errors of each element, for
  /// thorough checks. Empty: none.
  std::vector<std::vector<double>> wide_inputs, wide_expected, wide_bound;
  std::vector<std::size_t> constants;  ///< the parameters that are the same in every call: weights
  /// If present, it takes the place of all values above. There is one output.
  std::optional<LargeData> large;
};

/// How to run candidates, and their limits.
struct RunnerOptions {
  Target target;  ///< for a device, the first of that kind is used; for a CPU only the kind matters
  int threads = 1;
  PoolKind pool = PoolKind::kSpin;        ///< runs parallel loops if threads > 1
  CacheState caches = CacheState::kWarm;  ///< when a timed call begins; on a device, they are always cold
  /// The limit of CPU time, per thread, for one candidate's check or one sample; lower if the incumbent is fast. The
  /// limit of wall time is ten times as much. On a device this limits wall time.
  double timeout_s = 10;
  /// The limit of the runner's resident size, beyond its size before the first candidate, three times the tensors and
  /// the copies of them that `caches` needs.
  /// It is checked every 5 ms, or every 20 ms while samples are taken.
  std::int64_t memory_bytes = std::int64_t{1} << 30;
  /// Results of a device are compared on the device if the tensors have at least this many bytes. Copies of fewer take
  /// a few milliseconds per candidate; compiling the comparison takes a tenth of a second and more in each fresh
  /// process.
  std::int64_t device_compare_bytes = std::int64_t{64} << 20;
  /// The wall time, in seconds, after which a request is given up although it is within its limits: what it was about
  /// is then neither right nor wrong, as if the run had been over before. May be empty: never.
  std::function<double()> seconds_left;
  TimingOptions timing;
  double wait_share = 0.1;  ///< of its time that a run may wait for a disturbed machine
  /// Called with the reason each time the run waits. May be empty.
  std::function<void(const std::string&)> on_wait;
  /// Called with what a worker that died or was killed had written to its standard error. May be empty.
  std::function<void(const std::string&)> on_output = {};
};

/// The result of a run. The median of a kernel is the reference time that it has as an incumbent.
struct RunResult {
  std::vector<Measurement> measurements;  ///< one per contender, in order
  /// Without an incumbent: the first contender that is right, which served as the reference kernel.
  std::optional<std::size_t> reference;
  /// The contender that fresh samples confirmed to be faster than the incumbent, or than `reference`.
  std::optional<std::size_t> successor;
  bool incumbent_failed = false;  ///< it crashed, hung or could not be linked: the scores of this run are raw times
};

/// Contenders have objects, which are kept linked between rounds, so that samples can be interleaved.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Checks each contender, then races those that are right against each other and against the incumbent, whose time is
  /// the unit of the scores. A part of a kernel is not checked, so that its measurement is not verified. If `is_over`
  /// is not empty and returns true between two checks or two passes, the rest is left out: timings then have fewer
  /// samples, and one without samples is marked as disturbed. Otherwise every measurement that is ok has a median.
  virtual RunResult run(const std::vector<Contender>& contenders, const std::optional<Contender>& incumbent,
                        const std::function<bool()>& is_over = {}) = 0;
  /// Checks a whole kernel that seemed to be faster than the incumbent when their parts were timed. If it also is
  /// in one pair of whole calls, it takes few more, which decide. Kernels whose calls take seconds are compared by
  /// their checked calls.
  virtual RunResult confirm(const Contender& contender, const Contender& incumbent,
                            const std::function<bool()>& is_over = {}) = 0;
  /// Checks each contender thoroughly: on inputs of large and small magnitudes as well, and for whether a call depends
  /// on the previous one. Returns one measurement per contender, in order, without timings.
  virtual std::vector<Measurement> check(const std::vector<Contender>& contenders) = 0;
  /// The seconds that the next check() takes to make its inputs, where these are large and still missing; else 0.
  virtual double check_preparation_s() const = 0;
  /// Races, in several fresh processes, kernels that are known to be right: the finalists of a session, or those whose
  /// ratio is wanted. Returns one measurement per contender, in order, without evidence; for ratios see
  /// ratio_between (measure/race/race_finalists.h).
  virtual std::vector<Measurement> race(const std::vector<Contender>& contenders, const RaceLimits& limits = {}) = 0;
  /// The same with fewer samples in fewer processes, which chooses the finalists.
  virtual std::vector<Measurement> preliminary_race(const std::vector<Contender>& contenders,
                                                    const RaceLimits& limits = {}) = 0;
};

/// Makes a runner in a nestwright-worker process (measure/process/worker_process.h says how the executable is found).
/// Its threads are not pinned. Throws UsageError for inconsistent data, Error if the worker cannot be started; the
/// methods throw Error if it cannot be restarted.
///
/// On a device samples take about 20 ms of the device's clock, and the calls cycle through copies of the tensors
/// that together are larger than twice its L2 cache. A permanent failure (a sticky error, a hang) costs one candidate
/// and a new process with a new context.
std::unique_ptr<Runner> make_local_runner(const CheckData& data, const RunnerOptions& options);

}  // namespace nestwright
