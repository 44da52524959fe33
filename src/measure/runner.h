// Checks and times candidates in one worker process of its own, which links the object, runs alone and is replaced when
// it crashes or hangs. Thread rule: one thread at a time. Nothing else should load the machine while it runs.
#pragma once

#include <memory>
#include <vector>

#include "codegen/backend.h"
#include "ir/program.h"
#include "measure/measurement.h"
#include "measure/timing.h"
#include "runtime/parallel.h"
#include "target/target.h"

namespace nestwright {

/// What a result is held against; made once a task (templates/template.h: Operator::reference).
struct CheckData {
  std::vector<ir::Type> types;         ///< one a parameter
  std::vector<std::int64_t> elements;  ///< one a parameter
  std::vector<ir::Role> roles;
  std::vector<std::vector<double>> inputs;    ///< one an input
  std::vector<std::vector<double>> expected;  ///< one an output
  std::vector<std::vector<double>> bound;     ///< one an output: largest absolute error per element
};

struct RunnerOptions {
  Target target;  ///< of a device the first of that kind is used; of a CPU only that it is one matters
  int threads = 1;
  PoolKind pool = PoolKind::kSpin;  ///< that runs parallel loops where threads > 1
  double timeout_s = 10;            ///< of one candidate's check and of one round of samples
  TimingOptions timing;
};

/// A candidate that the runner holds linked between rounds, so that samples can be interleaved.
struct RunRequest {
  const CompiledObject* object = nullptr;
};

class Runner {
 public:
  virtual ~Runner() = default;
  /// Checks each candidate, then times those that are right, racing them against each other and against `incumbent`
  /// (may be null). One measurement a request, in order. "Far behind" is judged by the incumbent's own samples of this
  /// run, or by the best candidate so far. A candidate that is hopeless after its first call is not called again: its
  /// evidence is not complete (verified is false) and its timing says ended_early.
  virtual std::vector<Measurement> run(const std::vector<RunRequest>& requests, const CompiledObject* incumbent) = 0;
  /// An interleaved race of candidates that are already known to be right: the finalists of a session. One measurement
  /// a request, in order, without evidence.
  virtual std::vector<Measurement> race(const std::vector<RunRequest>& requests) = 0;
};

/// On a device samples take 20 ms or more by the device's clock, the calls going in turn through copies of the tensors
/// that are larger than twice its L2 cache together; what fails for good (a sticky error, a hang) costs one candidate
/// and a new process with a new context.
///
/// The runner in a nestwright-worker process (see measure/worker_process.h for how the executable is found). Its
/// threads are not pinned: they may run wherever this process may. Throws UsageError for data whose parts do not fit
/// together, Error where the worker cannot be started; run() and race() throw Error where it cannot be started again.
std::unique_ptr<Runner> make_local_runner(const CheckData& data, const RunnerOptions& options);

}  // namespace nestwright
