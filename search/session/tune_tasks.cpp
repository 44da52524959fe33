// tune_tasks() of nestwright/tune.h.
#include <algorithm>

#include "nestwright/tune.h"
#include "search/budget/shared_budget.h"
#include "search/session/session.h"
#include "search/task/runnable.h"
#include "search/trials/session_builder.h"
#include "templates/framework/space/discover.h"

namespace nestwright {
namespace {

constexpr double kRaceShare = 0.15;    // of a task's equal share of the seconds, for its final race
constexpr double kMemoryShare = 0.5;   // of the machine's memory, for all open sessions
constexpr double kWorkerBytes = 64e6;  // of an open session, in addition to its tensors
constexpr double kTrialsPerSecond = 2;
constexpr double kTurns = 8;  // that a task has at least, so that all get one where there is little time for each
constexpr int kMinBatch = 4;
constexpr double kFlopsPerNs = 100, kBytesPerNs = 20;  // of common processors

std::int64_t count_seeds(const TaskContext& context) {
  std::int64_t seeds = 0;
  for (const Template* source : context.templates()) {
    seeds += static_cast<std::int64_t>(context.seeds(*source).size());
  }
  return seeds;
}

/// About how long a kernel takes, in nanoseconds: only ratios of it count.
double estimated_ns(const TaskContext& context) {
  const Definition& definition = context.definition();
  return std::max({definition.flops / kFlopsPerNs, definition.bytes / kBytesPerNs, 1.0});
}

SharedTask shared_task(const ListedTask& task, TuningLog& log, const SessionOptions& session,
                       const std::atomic<bool>* interrupt) {
  SharedTask shared;
  shared.name = task.label;
  shared.weight = task.weight;
  shared.is_alternative = task.is_alternative;
  shared.estimated_ns = estimated_ns(task.context);
  if (const auto best = log.best(filter_of(task.context.key()), task.context.usable_templates()))
    shared.known_ns = best->timing.median_ns;
  shared.bytes = kWorkerBytes + tuning_bytes(task.context.workload());
  shared.seeds = count_seeds(task.context);
  if (shared.seeds == 0) refuse_without_schedule(task.context.workload(), task.context.target());
  const TaskTotals totals = log.totals(task.context.key());
  shared.earlier_trials = totals.trials;
  shared.earlier_seconds = totals.seconds;
  shared.open = [&task, &log, session, interrupt] {
    return std::make_unique<TuningSession>(task.context, log, session, interrupt);
  };
  return shared;
}

/// The options of each task's session. Where there is little for each, a turn is so short that all get one.
SessionOptions options_of_each(const SessionOptions& options, std::size_t tasks, const Target& target) {
  SessionOptions session = options;
  session.budget = {.early_stop = options.budget.early_stop};
  const double seconds = options.budget.seconds / static_cast<double>(tasks);
  session.race_seconds = kRaceShare * seconds;
  const double trials = static_cast<double>(options.budget.trials) / static_cast<double>(tasks);
  for (const double of_each : {seconds * kTrialsPerSecond, trials}) {
    if (of_each <= 0) continue;
    const auto batch = static_cast<int>(std::min(of_each / kTurns, 256.0));
    session.batch_size = std::clamp(batch, std::min(kMinBatch, session.batch_size), session.batch_size);
  }
  session.builder = make_session_builder(target, options);
  return session;
}

}  // namespace

std::vector<TaskOutcome> tune_tasks(const std::vector<ListedTask>& tasks, TuningLog& log, const SessionOptions& options,
                                    const std::atomic<bool>* interrupt,
                                    const std::function<void(const SharedProgress&)>& progress,
                                    ListObjective objective) {
  if (tasks.empty()) return {};
  const Machine machine = Machine::host();
  for (const ListedTask& task : tasks) require_runnable(task.context.task(), machine);
  const SessionOptions session = options_of_each(options, tasks.size(), tasks.front().context.target());
  std::vector<SharedTask> shared;
  for (const ListedTask& task : tasks) shared.push_back(shared_task(task, log, session, interrupt));
  const SharedBudget budget{.objective = objective,
                            .until_gain = options.budget.until_gain,
                            .trials = options.budget.trials,
                            .seconds = options.budget.seconds,
                            .memory_bytes = kMemoryShare * static_cast<double>(machine.memory_bytes)};
  std::vector<TaskOutcome> outcomes = share_budget(shared, budget, steady_clock(), interrupt, progress);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    std::optional<BestRecord>& best = outcomes[i].result.best;
    if (!best) best = log.best(filter_of(tasks[i].context.key()), tasks[i].context.usable_templates());
  }
  return outcomes;
}

}  // namespace nestwright
