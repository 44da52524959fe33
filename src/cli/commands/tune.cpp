#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>

#include "cli/commands/tune_file.h"
#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "cli/options/interrupt.h"
#include "cli/options/model_options.h"
#include "cli/options/option_checks.h"
#include "cli/output/progress.h"
#include "cli/output/record_output.h"
#include "cli/output/shell_command.h"
#include "cli/output/tune_output.h"
#include "cost_model/cost_model.h"
#include "findings/failures.h"
#include "nestwright/error.h"
#include "nestwright/template.h"
#include "nestwright/tune.h"
#include "search/budget/effort.h"
#include "search/propose/make_strategy.h"
#include "search/task/runnable.h"
#include "support/base/shell_word.h"

namespace nestwright::cli {
namespace {

struct TuneOptions {
  CommonOptions common;
  ModelOptions model;
  std::string file;
  std::string label;
  std::string effort = effort_name(Effort::kNormal);
  std::optional<double> until_gain;
  std::optional<int> finalists;
  std::vector<std::string> fixed, only;
  std::string require = quality_name(Quality::kDefault);
  SessionOptions session;

  /// Sets what the effort decides, except for options that were given explicitly.
  void apply_effort() {
    session.effort = parse_effort(effort);
    const SessionOptions at_effort = session_options(session.effort, session.budget);
    session.budget = at_effort.budget;
    if (until_gain) session.budget.until_gain = *until_gain;
    session.finalists = finalists.value_or(at_effort.finalists);
  }
};

/// Parses --fix and --only. Throws UsageError where they are malformed.
Restriction restriction_of(const TuneOptions& options) {
  for (const std::string& fixed : options.fixed) {
    // A shell variable that is not set: without this check, the whole space would be searched.
    if (Config::parse(fixed).entries().empty()) {
      throw UsageError("--fix is empty: give a knob and its value, as in unroll_k=4, or leave the option out");
    }
  }
  Restriction restriction{Config::parse(fmt::format("{}", fmt::join(options.fixed, " "))), {}};
  for (const std::string& condition : options.only) restriction.only.push_back(KnobCondition::parse(condition));
  return restriction;
}

/// Says how much of the space is left. Throws UsageError as SearchSpace does.
void announce_restriction(const TaskContext& context, const SessionOptions& session) {
  const SearchSpace space(context, session.template_name, session.restriction);
  const auto count_text = [](const PointCount& count) {
    return fmt::format("{}{:.0f}", count.estimated ? "about " : "", count.points);
  };
  std::string text = fmt::format("searching within {}:", session.restriction.str());
  const char* separator = " ";
  for (const SearchSpace::Member& member : space.members()) {
    text += fmt::format("{}{} of {} valid points of {}", std::exchange(separator, ", "),
                        count_text(member.searched().count_valid()), count_text(member.space.count_valid()),
                        member.source->name);
  }
  note(printable(text) + "\n");
}

/// Returns what the result stays within, and whether the task's best is another one. "" if the whole space is searched.
std::string within_text(const SessionResult& result, const TaskContext& context, const TuningLog& log,
                        const SessionOptions& session) {
  if (session.restriction.empty() && session.template_name.empty()) return {};
  const auto of_task = log.best(filter_of(context.key()), context.usable_templates());
  std::string text = session.restriction.str();
  if (!session.template_name.empty()) {
    text = fmt::format("{}{}{}", session.template_name, text.empty() ? "" : " and ", text);
  }
  if (of_task && of_task->trial != result.best->trial) {
    text += fmt::format("; the task's best is outside ({}), as nestwright query says",
                        format_time(of_task->timing.median_ns));
  }
  return text;
}

void print_text(const SessionResult& result, const Task& task, const std::string& within, const TuneOptions& options) {
  if (!options.label.empty()) fmt::print("label     {}\n", printable(options.label));
  fmt::print("{}{}", options.common.given_line(), record_text(*result.best, task.workload));
  if (!within.empty()) fmt::print("within    {}\n", printable(within));
  const Work work = work_of(task.workload);
  if (work.is_memory_bound()) {
    if (const double rate = measure_read_rate(task.target, work.bytes); rate > 0) {
      fmt::print("memory    {:.1f}% of the {:.1f} GB/s that {} read just now\n",
                 100 * work.throughput(result.best->timing.median_ns) / rate, rate,
                 task.target.threads == 1 ? "one thread" : fmt::format("{} threads", task.target.threads));
    }
  } else if (const double peak = peak_of(task, measure_peak(task.target)); peak > 0) {
    fmt::print("peak      {:.1f}% of the {:.1f} GFLOP/s that this machine reached in a loop of FMAs just now\n",
               100 * result.best->gflops() / peak, peak);
  }
  if (const auto ratio = ratio_to_default(result)) {
    fmt::print("default   {:.2f} times as fast as the untuned default schedule ({})\n", *ratio,
               format_time(result.default_timing->median_ns));
  }
  if (const std::string disturbed = disturbance_text(result); !disturbed.empty()) {
    fmt::print("disturbed {}\n", disturbed);
  }
}

/// The most frequent failure of the last session of the task, with the command that repeats an example; empty if no
/// trial failed.
std::string most_frequent_failure(const TaskContext& context, const TuningLog& log) {
  const LogReader reader(log.path());
  for (const auto& task : reader.tasks(filter_of(context.key()))) {
    const TrialColumns trials = reader.trials(task);
    if (trials.size() == 0) continue;
    const std::vector<FailureCause> causes = failure_causes(trials, trials.session.back());
    if (causes.empty()) continue;
    const FailureCause& cause = causes.front();
    return fmt::format(
        "{} of {} trials: {}: {}; to repeat one: {}", cause.trials,
        std::ranges::count(trials.session, trials.session.back()), outcome_name(cause.outcome), cause.message,
        measure_command(context.task(), trials.spaces[trials.space[cause.example]].name, trials.config(cause.example)));
  }
  return {};
}

std::string no_candidate(const SessionResult& result, const TaskContext& context, const TuningLog& log) {
  const Task& task = context.task();
  if (result.trials == 0) {
    return fmt::format("no candidate for {} was tried before the run stopped ({}): give it more time",
                       task.workload.str(), result.stop_reason);
  }
  const std::string failure = most_frequent_failure(context, log);
  return fmt::format("no valid candidate was found for {}{}: see {}{}", task.workload.str(),
                     failure.empty() ? "" : fmt::format(" ({})", failure), task_command("explain", task),
                     result.all_failed ? "" : ", or give it more trials");
}

/// Says how to look at what was recorded. `command` names the tasks.
void note_report(const std::string& command, const CommonOptions& common) {
  note(printable(fmt::format("to look at it: {} --db {} --out report.html\n", command, shell_word(common.db))));
}

/// The command that reports on the workloads of a file, or the kernels of a model.
std::string list_report(const TuneOptions& options) {
  if (!options.file.empty()) return "nestwright report --file " + shell_word(options.file);
  std::string text = "nestwright report " + shell_word(model_path(options.common));
  for (const std::string& dim : options.model.dims) text += " --dim " + shell_word(dim);
  for (const std::string& constant : options.model.constants) text += " --constant " + shell_word(constant);
  return text;
}

/// Tunes the workloads of a file, or the kernels of a model.
int run_list(const TuneOptions& options) {
  install_signal_handlers();
  const Registry registry = options.common.registry();
  const Target target = options.common.parsed_target();
  const CacheState caches = options.common.parsed_caches(target);
  const TaskList list = options.file.empty()
                            ? model_tasks(model_path(options.common), options.model, registry, target, caches)
                            : read_tasks(options.file, registry, target, caches);
  const int code =
      tune_tasks(list, options.common, options.session, parse_quality(options.require), registry, interrupt_flag());
  if (code == kDone) note_report(list_report(options), options.common);
  return code;
}

int run(TuneOptions& options) {
  const TaskContext context = options.common.task(options.common.registry());
  const Task& task = context.task();
  options.session.restriction = restriction_of(options);
  require_runnable(task, Machine::host());
  context.templates(options.session.template_name);  // throws before a database is created
  if (!options.session.restriction.empty()) announce_restriction(context, options.session);
  TuningLog log = open_database(options.common, OpenMode::kWrite);
  install_signal_handlers();

  note_missing_lock(task.target);
  note(fmt::format("tuning {} on {}{}\n", task.workload.str(), task.target.str(), caches_arguments(task)));
  ProgressLine line(options.session.budget);
  const Work work = work_of(task.workload);
  const SessionResult result = run_session(context, log, options.session, &interrupt_flag(),
                                           [&](const Progress& p) { line.show(p, work, options.label); });
  line.finish();
  note(fmt::format("{} trials in {:.1f} s ({:.1f} a second), {} recorded before; {}; stopped: {}\n", result.trials,
                   result.seconds, trials_per_second(result.trials, result.seconds), result.earlier_trials,
                   outcomes_text(result.outcomes), result.stop_reason));

  if (options.common.json) {
    const double peak = result.best ? peak_of(task, measure_peak(task.target)) : 0;
    Json json = tune_json(result, task, peak);
    if (const Restriction& within = options.session.restriction; !within.empty()) json["within"] = within.str();
    if (!options.label.empty()) json["label"] = options.label;
    print_json(json);
  } else if (result.best) {
    print_text(result, task, within_text(result, context, log, options.session), options);
  }
  if (result.interrupted || is_interrupted()) return kInterrupted;  // the flag may be set during the final race
  if (!result.best) {
    return print_error(kNoValid, no_candidate(result, context, log));
  }
  note_report(task_command("report", task), options.common);
  const std::string missing = missing_quality(result.best, task, parse_quality(options.require));
  return missing.empty() ? kDone : print_error(kNoValid, missing);
}

void add_budget(Command& command, TuneOptions& options) {
  constexpr std::uint64_t kMaxTrials = 1'000'000'000;
  Budget& budget = options.session.budget;
  command
      .add_option("--effort", options.effort,
                  "quick: 10 s; normal: 60 s; full: 600 s, and a more careful final race. quick and normal end early "
                  "where little is left to be gained (2%, 1%)")
      .value_name("NAME")
      .one_of(effort_names())
      .show_default();
  command.add_option("--trials", budget.trials, "stop after this many trials of this run, all tasks of a file together")
      .value_name("N")
      .check(integer(1, kMaxTrials));
  command
      .add_option("--seconds", budget.seconds,
                  "end within this much time, all tasks of a file together, plus 8% and 2 s whatever the machine does "
                  "(default: what --effort says, without --trials)")
      .value_name("S")
      .check(positive_seconds());
  command
      .add_option("--require", options.require,
                  "exit with 4 where the best is less: raced (in the final race), confirmed (on a quiet machine), "
                  "disturbed (right, on a busy machine)")
      .value_name("NAME")
      .one_of(quality_names())
      .show_default();
  command
      .add_option("--early-stop", budget.early_stop,
                  "stop after this many trials without a better one, each task of a file by itself")
      .value_name("N")
      .check(integer(1, kMaxTrials));
  command
      .add_option("--until-gain", options.until_gain,
                  "stop when twice the time is expected to gain less than this, of all tasks of a file or model as a "
                  "whole; 0: never (default: what --effort says, without --seconds and --trials)")
      .value_name("1%")
      .check(share());
}

void add_search(Command& command, TuneOptions& options) {
  SessionOptions& session = options.session;
  command.add_option("--strategy", session.strategy, "how points are proposed")
      .value_name("NAME")
      .one_of(strategy_names())
      .show_default();
  command.add_option("--cost-model", session.cost_model, "model that ranks the points")
      .value_name("NAME")
      .one_of(cost_model_names())
      .show_default();
  command
      .add_option("--template", session.template_name,
                  "search this template only, and report its best (default: all of the operator)")
      .value_name("NAME");
  command
      .add_option("--fix", options.fixed,
                  "search only configurations with this value of a knob, e.g. unroll_k=4; may be repeated")
      .value_name("KNOB=VALUE")
      .one_value_each();
  command
      .add_option("--only", options.only,
                  "search only configurations for which this holds, e.g. \"register_rows * register_vectors <= 24 and "
                  "pack_b == no\"; may be repeated")
      .value_name("CONDITION")
      .one_value_each();
  command.add_option("--seed", session.seed, "seed of all random choices")
      .value_name("N")
      .check(integer(0, std::numeric_limits<std::uint64_t>::max()))
      .show_default();
  command.add_option("--batch", session.batch_size, "points proposed at a time, 1 to 256")
      .value_name("N")
      .check(integer(1, 256))
      .show_default();
  command
      .add_option("--finalists", options.finalists,
                  "points in the final race, 0 to 64; 0: no race, the times of the search choose (default: what "
                  "--effort says)")
      .value_name("N")
      .check(integer(0, 64));
  command.add_option("--builders", session.builders, "builder processes, 1 to 256 (default: one a core)")
      .value_name("N")
      .check(integer(1, 256));
}

}  // namespace

void add_tune(CommandLine& line, Action& action) {
  auto options = std::make_shared<TuneOptions>();
  Command command =
      line.add_command("tune", "search for the fastest configuration of a workload, or of each kernel of a model");
  add_workload(command, options->common);
  add_model_options(command, options->model);
  command
      .add_option(
          "--file", options->file,
          "tune all workloads of a JSON file on one budget: a list of workloads, or of objects with \"workload\", "
          "\"label\" and \"weight\"")
      .value_name("FILE");
  command.add_option("--label", options->label, "what progress and report call the workload").value_name("TEXT");
  add_db(command, options->common);
  add_target(command, options->common);
  add_caches(command, options->common);
  add_json(command, options->common);
  add_budget(command, *options);
  add_search(command, *options);
  command.on_chosen([options, &action] {
    options->apply_effort();
    const bool has_file = !options->file.empty();
    if (options->common.has_workload() == has_file) {
      throw WrongArguments(
          has_file ? "a workload and --file are given: drop one of them"
                   : "no workload is given: write one, an expression with --expr, or a file of them with --file");
    }
    const bool has_list = has_file || is_model(options->common);
    const char* const list = has_file ? "--file" : "a model";
    if (has_list && !options->session.template_name.empty()) {
      throw WrongArguments(fmt::format("--template and {} are given: drop one of them", list));
    }
    if (has_list && !(options->fixed.empty() && options->only.empty())) {
      throw WrongArguments(fmt::format("--fix or --only and {} are given: drop one of them", list));
    }
    if (has_list && !options->label.empty()) {
      throw WrongArguments(fmt::format("--label and {} are given: its tasks have labels", list));
    }
    if (!options->model.is_empty() && !is_model(options->common)) {
      throw WrongArguments("--dim and --constant are for models: name a file that ends in .onnx, or drop them");
    }
    action = [options, has_list] { return has_list ? run_list(*options) : run(*options); };
  });
}

}  // namespace nestwright::cli
