// Checks and times candidates in one worker process of its own, which links the object, runs alone and is replaced when
// it crashes or hangs. Thread rule: one thread at a time. Nothing else should load the machine while it runs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "ir/core/program.h"
#include "measure/measurement.h"
#include "measure/timing.h"
#include "runtime/parallel.h"
#include "target/target.h"

namespace nestwright {

/// What a result is held against; made once a task (templates/framework/template.h: Operator::reference).
struct CheckData {
  std::vector<ir::Type> types;         ///< one a parameter
  std::vector<std::int64_t> elements;  ///< one a parameter
  std::vector<ir::Role> roles;
  std::vector<std::vector<double>> inputs;    ///< one an input
  std::vector<std::vector<double>> expected;  ///< one an output
  std::vector<std::vector<double>> bound;     ///< one an output: largest absolute error per element
  /// Other inputs and what is expected of them, without an error: whole numbers on which the operator is exact. Empty:
  /// there are none.
  std::vector<std::vector<double>> whole_inputs, whole_expected;
  /// Inputs of large and small magnitudes, with what is expected of them and the largest absolute error per element:
  /// what thorough checks compute from as well. Empty: there are none.
  std::vector<std::vector<double>> wide_inputs, wide_expected, wide_bound;
};

struct RunnerOptions {
  Target target;  ///< of a device the first of that kind is used; of a CPU only that it is one matters
  int threads = 1;
  PoolKind pool = PoolKind::kSpin;  ///< that runs parallel loops where threads > 1
  /// CPU time of one candidate's check, or of one sample, a thread; less where the incumbent is fast, and ten times as
  /// much by the clock. On a device: by the clock.
  double timeout_s = 10;
  /// Resident size of the runner, beyond what it takes before the first candidate and three times the tensors. Looked
  /// at every 5 ms, while samples are taken every 20 ms.
  std::int64_t memory_bytes = std::int64_t{1} << 30;
  /// On a device results are compared there from so many bytes of tensors on. Copies of fewer take a few milliseconds a
  /// candidate; to compile the comparison takes a tenth of a second and more in each fresh process.
  std::int64_t compare_there_bytes = std::int64_t{64} << 20;
  TimingOptions timing;
  double wait_share = 0.1;  ///< of its time that a run may wait for a disturbed machine
  /// Told why, each time the run waits. May be empty.
  std::function<void(const std::string&)> on_wait;
};

/// A candidate that the runner holds linked between rounds, so that samples can be interleaved.
struct RunRequest {
  const CompiledObject* object = nullptr;
  double least_ns = 0;  ///< that this machine needs for its work; 0: not known
};

/// The kernel that candidates are scored against, and its reference time: the unit of the scores.
struct Incumbent {
  const CompiledObject* object = nullptr;
  double reference_ns = 0;
};

/// A request and the reference time that it would have as an incumbent.
struct Successor {
  std::size_t request = 0;
  double reference_ns = 0;
};

struct RunResult {
  std::vector<Measurement> measurements;  ///< one a request, in order
  /// Without an incumbent: the first request that is right, which the others were held against.
  std::optional<Successor> reference;
  /// Confirmed by fresh samples to be faster than the incumbent, or than `reference`.
  std::optional<Successor> successor;
  bool incumbent_failed = false;  ///< it crashed, hanged or could not be linked: scores of this run are raw times
};

class Runner {
 public:
  virtual ~Runner() = default;
  /// Checks each candidate, then times those that are right, racing them against each other and against the incumbent.
  /// `is_over`, where not empty, ends a race between two passes: timings then have fewer samples, and one that has none
  /// is disturbed. One that is ok has a median otherwise.
  virtual RunResult run(const std::vector<RunRequest>& requests, const std::optional<Incumbent>& incumbent,
                        const std::function<bool()>& is_over = {}) = 0;
  /// Checks each candidate thoroughly: from inputs of large and small magnitudes as well, and for whether a call
  /// depends on the one before. One measurement a request, in order, without a timing.
  virtual std::vector<Measurement> check(const std::vector<RunRequest>& requests) = 0;
  /// A race, in several fresh processes, of candidates that are already known to be right: the finalists of a session,
  /// or kernels whose ratio is asked for. One measurement a request, in order, without evidence; ratios by
  /// ratio_between (measure/race.h).
  virtual std::vector<Measurement> race(const std::vector<RunRequest>& requests,
                                        const std::function<bool()>& is_over = {}) = 0;
  /// As `race`, but with fewer samples in fewer processes: what chooses the finalists.
  virtual std::vector<Measurement> preliminary_race(const std::vector<RunRequest>& requests,
                                                    const std::function<bool()>& is_over = {}) = 0;
};

/// On a device samples take 20 ms or more by the device's clock, the calls going in turn through copies of the tensors
/// that are larger than twice its L2 cache together; what fails for good (a sticky error, a hang) costs one candidate
/// and a new process with a new context.
///
/// The runner in a nestwright-worker process (see measure/worker_process.h for how the executable is found). Its
/// threads are not pinned: they may run wherever this process may. Throws UsageError for data whose parts do not fit
/// together, Error where the worker cannot be started; the methods throw Error where it cannot be started again.
std::unique_ptr<Runner> make_local_runner(const CheckData& data, const RunnerOptions& options);

}  // namespace nestwright
