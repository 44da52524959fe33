#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "cli/commands/explain_run.h"
#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "cli/options/model_options.h"
#include "cli/options/option_checks.h"
#include "cli/output/explain_output.h"
#include "cli/output/record_output.h"
#include "cli/output/shell_command.h"
#include "cli/output/throughput.h"
#include "cli/output/tune_output.h"
#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "search/revalidation/stored_bests.h"
#include "search/task/runnable.h"
#include "target/description/former_target.h"

namespace nestwright::cli {
namespace {

struct ExplainOptions {
  CommonOptions common;
  std::string why;
  bool runs = false;  ///< measures the bandwidth and runs the best
};

/// The knob and value of --why. Throws UsageError, naming the nearest, where no template has them.
ConfigEntry asked_value(const std::string& why, const TaskContext& context) {
  const Config parsed = Config::parse(why);
  if (parsed.entries().size() != 1) {
    throw UsageError(
        fmt::format("--why asks for one value: give a knob and its value, as in unroll_k=4, not '{}'", why));
  }
  std::vector<const ConfigSpace*> spaces;
  for (const Template* t : context.templates()) spaces.push_back(&context.space(*t));
  check_restriction({parsed, {}}, spaces);
  return parsed.entries().front();
}

/// The task as this build and machine have it or, if it has no trials, as another compiler or machine recorded it with
/// the most trials. Absent if nothing is recorded.
std::optional<RecordedTask> find_task(const LogReader& reader, const TaskContext& context) {
  const TaskKey& key = context.key();
  TaskFilter filter;
  filter.workload = key.workload.text;
  filter.cache = key.cache;
  filter.target = key.target;
  std::vector<RecordedTask> tasks = reader.tasks(filter);
  if (const std::optional<Target> former = former_target(context.target()); former && tasks.empty()) {
    filter.target = former->str();
    tasks = reader.tasks(filter);
  }
  const auto rank = [&](const RecordedTask& task) {
    const bool is_here = task.key.machine == key.machine, is_same = task.key.backend == key.backend;
    return std::tuple(task.totals.trials > 0, is_here, is_same, task.totals.trials);
  };
  const auto found =
      std::max_element(tasks.begin(), tasks.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return found == tasks.end() || found->totals.trials == 0 ? std::nullopt : std::optional(*found);
}

BestBound bound_of(const LogReader& reader, const TaskContext& context, const BestRecord& best) {
  const Task& task = context.task();
  const Work work = work_of(task.workload);
  const MachineLimits limits = reader.limits(limits_key(best.task.machine, task.target.threads));
  BestBound bound;
  bound.work = {work.flops, work.bytes};
  bound.rates.peak_gflops = peak_of(task, limits.fma_gflops);
  bound.rates.read_gb_s = limits.read_gb_s;
  bound.level = "L1";
  const bool is_in_l1 = task.caches == CacheState::kWarm &&
                        work.bytes <= static_cast<double>(task.target.threads * task.target.l1d_bytes);
  bound.rates.is_faster_level = !is_in_l1;
  bound.bound = time_bound(bound.work, best.timing.median_ns, bound.rates);
  return bound;
}

/// Throws UsageError where the best cannot be run here.
void require_runnable_here(const Task& task, const TaskKey& recorded) {
  if (task.target.device != DeviceKind::kCpu) {
    throw UsageError("--run counts what a CPU does: drop it for a device");
  }
  require_runnable(task, Machine::host());
  if (recorded.machine != machine_of(task.target)) {
    throw UsageError(fmt::format("--run measures this machine, and the trials are of another one ({}): drop --run",
                                 printable(recorded.machine)));
  }
}

int run(const ExplainOptions& options) {
  if (is_model(options.common)) {
    throw UsageError("explain takes one kernel, not a model: nestwright model --tasks lists those of the model");
  }
  const TaskContext context = options.common.task(options.common.registry());
  std::optional<ConfigEntry> asked;
  if (!options.why.empty()) asked = asked_value(options.why, context);
  const TuningLog log = open_database(options.common, OpenMode::kRead);
  const LogReader reader(options.common.db);
  const auto task = find_task(reader, context);
  if (!task) {
    return print_error(kNotFound,
                       fmt::format("nothing is recorded for {} on {}{} in '{}': run {}", context.workload().str(),
                                   context.target().str(), caches_arguments(context.task()), log.path(),
                                   task_command("tune", context.task())));
  }
  Explanation e{context,
                options.common.given_line(),
                task->key,
                is_this_machine(task->key.machine, context.target()) ? MatchKind::kExact : MatchKind::kOtherMachine,
                reader.trials(*task),
                reader.sessions({.tasks = filter_of(task->key)}).sessions,
                {},
                {},
                {},
                {},
                {},
                {}};
  const std::vector<SessionProposals> proposals = log.proposals(task->key);
  e.times = comparable_times(e.sessions, e.trials);
  const ValueTableOptions wanted{.knob = asked ? asked->knob : "", .counts_expected = asked.has_value()};
  e.values = value_table(context, e.sessions, proposals, e.trials, e.times, wanted);
  if (asked) {
    if (options.common.json) print_json(why_json(e, *asked));
    if (!options.common.json) fmt::print("{}", why_text(e, *asked));
    return kDone;
  }
  e.funnel = funnel_of(context, log.spaces(task->key), e.sessions, proposals, reader.races(*task), e.trials);
  e.causes = failure_causes(e.trials);
  e.best = log.best(filter_of(task->key), context.usable_templates());
  if (e.best) e.best->match = e.match;
  if (options.runs) require_runnable_here(context.task(), task->key);
  if (e.best) e.bound = bound_of(reader, context, *e.best);
  if (e.bound && options.runs) measure_bound(context, *e.best, *e.bound);
  if (options.common.json) {
    print_json(explanation_json(e));
  } else {
    fmt::print("{}", explanation_text(e));
  }
  return kDone;
}

}  // namespace

void add_explain(CommandLine& line, Action& action) {
  auto options = std::make_shared<ExplainOptions>();
  Command command = line.add_command(
      "explain",
      "say what the trials of a workload tell: how many points reached each stage of the search, what failed, which "
      "values of knobs are ruled out, and what bounds the best");
  add_workload(command, options->common);
  add_db(command, options->common);
  add_target(command, options->common);
  add_caches(command, options->common);
  add_json(command, options->common);
  command.add_option("--why", options->why, "say what became of this value of a knob, e.g. register_rows=14")
      .value_name("KNOB=VALUE")
      .check(not_empty());
  command.add_flag("--run", options->runs,
                   "measure the bandwidth for the best's tensors and the start of a parallel loop, and count what the "
                   "processor does in the best, where perf_event_open is allowed");
  command.on_chosen([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace nestwright::cli
