// Tunes a task: searches for its fastest configuration within a budget, and records every trial.
//
//   TuningLog log = TuningLog::open("nestwright.db", OpenMode::kWrite);
//   const Task task{parse_workload("matmul m=512 n=512 k=512"), Target::host()};
//   const SessionResult result = run_session(task, log, {.budget = {.seconds = 30}});
//   result.best->point.config, result.best->timing.median_ns
//
// A run that is killed is resumed by the next one of the same task. Candidates are compiled, checked and timed in
// processes of nestwright-worker, so that one that crashes or hangs costs one trial.
//
// Thread rule: one thread runs a session or a study; any thread may set the interrupt flag. Names state the units.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/lookup.h"

namespace nestwright {

class Builder;      // compiles candidates; sessions may share one
struct ModelAudit;  // of a cost model

}  // namespace nestwright

#pragma GCC visibility push(default)

namespace nestwright {

/// When a session ends.
struct Budget {
  std::int64_t trials = 0;      ///< 0: no limit
  double seconds = 0;           ///< 0: no limit; start-up and the final race included
  std::int64_t early_stop = 0;  ///< ends after this many trials without an improvement; 0: never
  /// Ends where going on for as long again is expected to gain less than this (0.01: 1%), but not before there is a
  /// best, the starting points are measured and 64 trials of each template are done; 0: never. For tune_tasks(), it is
  /// the gain of the tasks as a whole.
  double until_gain = 0;
};

/// How much effort the final race takes: `nestwright tune --effort`.
enum class Effort : std::uint8_t { kQuick, kNormal, kFull };

struct SessionOptions {
  Budget budget;
  Effort effort = Effort::kNormal;  ///< of the final race; the budget limits the search
  std::string strategy = "evolutionary";
  std::string cost_model = "xgboost";
  std::string template_name;  ///< the only template to search and to take the result from; empty: all
  Restriction restriction;    ///< what the search and its result stay within
  std::uint64_t seed = 1;
  int batch_size = 16;
  /// The largest number of finalists in the final race; the default and the stored best take part in addition. 0: no
  /// race, the times of the search decide.
  int finalists = 4;
  /// Where a call of the incumbent takes longer than this, in nanoseconds, a CPU's candidates are timed by parts of
  /// their kernels that take about as long, and what seems faster is confirmed as a whole; 0: never.
  double part_ns = 20e6;
  double race_seconds = 0;           ///< time for the final races; 0: a share of the budget's seconds
  int builders = 0;                  ///< builder processes; 0: one for each core
  std::shared_ptr<Builder> builder;  ///< for the task's target, shared with other sessions; null: the session makes one
  /// Measures the highest rates of this machine on `threads` threads. Empty: a measurement that takes 40 ms.
  std::function<MachineLimits(int threads)> measure_limits;
};

/// The options at this effort: how long the search takes, where `budget` limits neither its time nor its trials, and
/// the number of finalists.
SessionOptions session_options(Effort effort, const Budget& budget = {});
/// The effort of this name. Throws UsageError that lists the names.
Effort parse_effort(std::string_view name);

/// The state of a session for a progress line, reported after every few trials.
struct Progress {
  std::int64_t trials = 0;
  std::map<Outcome, std::int64_t> outcomes;
  double best_ns = 0;  ///< 0: none yet
  double seconds = 0;
  double seconds_left = 0;     ///< of the budget; 0 without one
  std::int64_t disturbed = 0;  ///< trials of this run that are still to be measured again
  std::string waiting_for;     ///< what the session is waiting for; empty: it is not waiting
  std::string phase;           ///< what it does apart from searching: "preparing", "final race"; empty: it searches
  std::string detail;          ///< of the phase: "process 3 of 8"; may be empty
};

using ProgressFunction = std::function<void(const Progress&)>;

/// Wall time of the stages of a session, in nanoseconds.
struct StageTimes {
  std::int64_t start_up = 0, propose = 0, features = 0, train = 0, lower = 0, compile = 0, check = 0, measure = 0,
               log = 0, race = 0;

  StageTimes& operator+=(const StageTimes& other);
};

/// The result of a run of a session.
struct SessionResult {
  std::optional<BestRecord> best;  ///< the task's best after this session; nullopt: no valid candidate exists
  /// The template's default, timed in the final race; nullopt where there was no race.
  std::optional<Timing> default_timing;
  std::int64_t trials = 0;          ///< of this run
  std::int64_t same_code = 0;       ///< trials of this run that were not measured because their machine code was known
  std::int64_t earlier_trials = 0;  ///< recorded before this run
  std::map<Outcome, std::int64_t> outcomes;
  std::int64_t disturbed = 0, remeasured = 0;  ///< timed on a disturbed machine; of these, measured again
  std::string race_disturbance;                ///< why the final race replaced nothing; empty: it was not disturbed
  std::string first_failure;                   ///< message of the first trial that failed
  double seconds = 0;
  double seconds_to_best = 0;  ///< when the best of this run was first measured
  std::string stop_reason;
  bool interrupted = false;
  bool all_failed = false;  ///< it ended because its first trials all failed
  /// How well the cost model ranked, for reports of the command line; null: it was not audited.
  std::shared_ptr<const ModelAudit> model_audit;
  StageTimes times;
};

/// Tunes `task` and records every trial in `log`, resuming earlier runs of the task. `interrupt`, which may be null,
/// ends the search when another thread sets it. Throws LogError, UsageError (unknown strategy or model, no template, a
/// target that this machine cannot run, tensors that its memory does not hold) and Error (a worker does not start).
SessionResult run_session(const TaskContext& context, TuningLog& log, const SessionOptions& options,
                          const std::atomic<bool>* interrupt = nullptr, const ProgressFunction& progress = {});

/// A task that shares a budget with others.
struct ListedTask {
  std::string label;  ///< for people
  TaskContext context;
  double weight = 1;  ///< as ListObjective says
  /// It may take the place of other tasks of the list, and is no part of the whole until then.
  bool is_alternative = false;
};

/// What the common budget of several tasks is spent for.
enum class ListObjective : std::uint8_t {
  kRelativeTimes,  ///< the sum of weight x ln(time): a percent counts alike in long and short kernels
  kTotalTime,      ///< the sum of weight x time, as of a network: the weight of a task is the number of its calls
};

/// The result of one task.
struct TaskOutcome {
  SessionResult result;
  bool started = false;
  std::string failure;    ///< why the task failed, in one sentence; empty where it did not
  bool is_tuned = false;  ///< its starting points were tried, or its search is over
};

struct SharedProgress {
  std::size_t task = 0;                      ///< index of the task whose turn just ended
  std::int64_t trials = 0;                   ///< of all tasks
  double seconds = 0, seconds_left = 0;      ///< seconds_left is 0 without a budget in seconds
  double best_ns = 0;                        ///< of the task; 0: none yet
  std::map<Outcome, std::int64_t> outcomes;  ///< of all trials
  std::size_t races_left = 0;                ///< final races still to be held; 0 while the search goes on
  /// Sum of weight x best time, without alternatives; partly estimated until each task has a best.
  double whole_ns = 0;
  bool is_timed = false;   ///< each task has a best, so that nothing of whole_ns is estimated
  double tuned_share = 0;  ///< of whole_ns, from 0 to 1: of tasks that are tuned, as TaskOutcome::is_tuned says
};

/// Tunes tasks of one target on one budget. Each first gets a turn, then its other starting points, those first that
/// matter most; then the time goes to the task whose next turn is expected to do most for the objective. Early stops of
/// the budget apply to each task. Budget::until_gain applies to the objective: the run ends where as much time again is
/// expected to gain less of it, and before that a task whose part of it is less than an equal part of the limit, but
/// none whose starting points are not tried. A task that fails does not stop the others; one that did not run, or
/// failed, has the best of earlier runs. Returns one outcome for each task, in order. Throws as run_session() does,
/// before anything is measured.
std::vector<TaskOutcome> tune_tasks(const std::vector<ListedTask>& tasks, TuningLog& log, const SessionOptions& options,
                                    const std::atomic<bool>* interrupt = nullptr,
                                    const std::function<void(const SharedProgress&)>& progress = {},
                                    ListObjective objective = ListObjective::kRelativeTimes);

/// A search whose caller decides which points are measured, how often, and what is learned from them ("ask and tell"):
///
///   Study study(task);
///   while (const std::optional<Point> point = study.ask()) study.tell(*point, study.measure(*point));
///
/// Nothing of it is recorded. Of the options, those of budgets and races are not used.
class Study {
 public:
  /// Starts the workers. Throws as run_session does.
  explicit Study(const TaskContext& context, const SessionOptions& options = {});
  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;
  ~Study();

  /// The next point, which was never asked for before. The first one is the default. nullopt: none was found.
  std::optional<Point> ask();
  /// Compiles, checks and times the point, beside the fastest one so far. Waits until no other tuner measures. Throws
  /// UsageError for a point that is not in the space, Error.
  Measurement measure(const Point& point);
  /// Gives the strategy the time of a point, or its failure, wherever it was measured. Throws UsageError for a point
  /// that is not in the space.
  void tell(const Point& point, const Measurement& measurement);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Times configurations of a task beside each other, in fresh processes, after each was checked as finalists are; one
/// measurement for each, in order. Nothing is recorded. `is_over`, which may be empty, ends the wait for other tuners,
/// and the race between two passes. Throws UsageError as run_session does, and Error.
std::vector<Measurement> measure_beside(const TaskContext& context, const std::vector<Lookup>& configurations,
                                        Effort effort = Effort::kQuick, const std::function<bool()>& is_over = {});

}  // namespace nestwright

#pragma GCC visibility pop
