#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "cli/options/interrupt.h"
#include "cli/options/option_checks.h"
#include "cli/options/text_file.h"
#include "cli/output/record_output.h"
#include "cli/output/revalidation_output.h"
#include "nestwright/error.h"
#include "search/budget/effort.h"
#include "search/revalidation/baseline.h"
#include "search/revalidation/revalidate.h"
#include "support/base/clock.h"
#include "support/base/utc_time.h"
#include "target/description/machine.h"

namespace nestwright::cli {
namespace {

constexpr const char* kDecidedName = "decided";

struct RevalidateOptions {
  CommonOptions common;
  std::vector<std::string> workloads;
  std::string op;
  bool any_target = true;  ///< no --target was given
  bool all = false;
  std::string before;  ///< only what was recorded before, UTC, ISO 8601; empty: at any time
  double tolerance = 0.05;
  double seconds = 0;  ///< 0: no limit
  std::string effort = effort_name(Effort::kQuick);
  std::string baseline;
  std::string require;

  /// Whether the bests are chosen by something else than what changed.
  bool is_chosen() const { return all || !workloads.empty() || !before.empty() || !baseline.empty(); }
};

StoredBestsFilter filter_of(const RevalidateOptions& options, const Registry& registry) {
  StoredBestsFilter filter;
  for (const std::string& text : options.workloads) {
    filter.workloads.push_back(parse_any_workload(registry, text).str());
  }
  if (!options.op.empty()) filter.tasks.op = registry.find_operator(options.op)->name;
  if (!options.any_target) filter.tasks.target = options.common.parsed_target().str();
  filter.tasks.threads = options.common.threads;
  if (options.common.caches) filter.tasks.cache = cache_state_name(parse_cache_state(*options.common.caches));
  filter.recorded_before = options.before;
  filter.only_changed = !options.is_chosen();
  return filter;
}

int threads_of(const std::string& target) {
  try {
    return Target::parse(target).threads;
  } catch (const UsageError&) {
    return 0;  // of another version of this program
  }
}

/// Whether the filter would select the task of a baseline if it were stored.
bool is_wanted(const BaselineTask& task, const StoredBestsFilter& filter) {
  const TaskFilter& tasks = filter.tasks;
  const auto matches = [](const std::string& wanted, const std::string& value) {
    return wanted.empty() || wanted == value;
  };
  const bool is_named =
      filter.workloads.empty() || std::ranges::find(filter.workloads, task.workload) != filter.workloads.end();
  return is_named && (task.workload + " ").starts_with(tasks.op.empty() ? "" : tasks.op + " ") &&
         matches(tasks.target, task.target) && matches(tasks.cache, task.caches) &&
         (tasks.threads == 0 || tasks.threads == threads_of(task.target));
}

/// Says that nothing is to be done.
int nothing_to_do(const RevalidateOptions& options, StoredBestsFilter filter, const ParseWorkload& parse,
                  const TuningLog& log, const RevalidationReport& report) {
  filter.only_changed = false;
  const std::size_t stored = stored_bests(log, filter, parse).size();
  if (stored == 0 && filter.recorded_before.empty()) {
    return print_error(kNotFound,
                       fmt::format("nothing that matches is recorded in '{}': run nestwright tune first", log.path()));
  }
  if (options.common.json) {
    print_json(revalidation_json(report));
  } else if (!filter.recorded_before.empty()) {
    fmt::print("no stored best that matches was recorded before {}\n", filter.recorded_before);
  } else {
    fmt::print("nothing changed since the {} recorded: give --all to race {} all the same\n",
               stored == 1 ? "stored best was" : fmt::format("{} stored bests were", stored),
               stored == 1 ? "it" : "them");
  }
  return kDone;
}

/// The sentence for the exit code kRegressed.
std::string regression_text(const RevalidationReport& report) {
  std::size_t count = 0;
  const RevalidationRow* first = nullptr;
  for (const RevalidationRow& row : report.rows) {
    if (!is_regression(row.result.verdict)) continue;
    if (first == nullptr) first = &row;
    ++count;
  }
  const RevalidatedBest& result = first->result;
  const std::string what = result.verdict == RevalidationVerdict::kSlower
                               ? fmt::format("takes {:.2f} times as long as before", result.comparison.ratio)
                               : fmt::format("{}: {}", verdict_name(result.verdict), result.detail);
  return fmt::format(
      "{} of {} stored bests {} slower, wrong or fail{}, the first is {} ({}): tune it again, or find what changed",
      count, report.rows.size(), count == 1 ? "is" : "are", count == 1 ? "s" : "", task_text(first->best), what);
}

/// The exit code, with a message if it is not 0.
int conclude(const RevalidateOptions& options, const RevalidationReport& report) {
  if (report.is_interrupted) return kInterrupted;
  if (report.has_regressed()) return print_error(kRegressed, regression_text(report));
  for (const RevalidationRow& row : report.rows) {
    if (row.result.failure.empty()) continue;
    return print_error(kFailed, fmt::format("the race of {} failed: {}", task_text(row.best), row.result.failure));
  }
  if (options.require == kDecidedName && !report.is_decided()) {
    return print_error(kNoValid, "not everything is decided (--require): give it more time, or a quieter machine");
  }
  return kDone;
}

/// "2 of 12: matmul m=512 n=512 k=512: ".
std::string place_text(const StoredBest& best, std::size_t index, std::size_t count) {
  return fmt::format("{} of {}: {}: ", index + 1, count, best.record.task.workload.text);
}

void race_all(const RevalidateOptions& options, const std::vector<StoredBest>& bests, RevalidationReport& report) {
  TuningLog log = open_database(options.common, OpenMode::kWrite);
  for (const StoredBest& best : bests) report.rows.push_back({best, {}});
  const auto timed = std::ranges::find_if(bests, [](const StoredBest& best) { return best.context.has_value(); });
  if (timed != bests.end()) note_missing_lock(timed->context->target());
  const auto now_ns = [] { return steady_clock().now_ns(); };
  const std::int64_t start_ns = now_ns();
  RevalidationOptions how{.tolerance = options.tolerance,
                          .effort = parse_effort(options.effort),
                          .seconds = options.seconds,
                          .interrupt = &interrupt_flag()};
  how.on_note = [&](std::size_t i, const std::string& text) {
    note(printable(place_text(bests[i], i, bests.size()) + text) + "\n");
  };
  how.on_verdict = [&](std::size_t i, const RevalidatedBest& row) {
    report.rows[i].result = row;
    const std::string time = row.now ? format_time(row.now->median_ns) + ", " : "";
    note(printable(place_text(bests[i], i, bests.size()) + time + verdict_text(row)) + "\n");
  };
  revalidate(bests, log, how);
  report.seconds = 1e-9 * static_cast<double>(now_ns() - start_ns);
  report.is_interrupted = is_interrupted();
}

int run(const RevalidateOptions& options) {
  const Registry registry = options.common.registry();
  const StoredBestsFilter filter = filter_of(options, registry);
  const ParseWorkload parse = [&](const std::string& text) { return parse_any_workload(registry, text); };
  RevalidationReport report{.machine = Machine::host().fingerprint(),
                            .recorded_at = utc_now_text(),
                            .tolerance = options.tolerance,
                            .has_baseline = !options.baseline.empty()};
  std::vector<BaselineTask> baseline;
  if (report.has_baseline) {
    baseline = parse_baseline(read_text_file(options.baseline, "baseline", kBaselineAdvice), options.baseline);
  }
  std::vector<StoredBest> bests;
  {
    const TuningLog log = open_database(options.common, OpenMode::kRead);
    StoredBestsFilter of_any_time = filter;
    of_any_time.recorded_before.clear();
    bests = stored_bests(log, report.has_baseline ? of_any_time : filter, parse);
    if (report.has_baseline) {
      for (const BaselineTask& task : apply_baseline(baseline, bests)) {
        if (is_wanted(task, filter))
          report.only_in_baseline.push_back(task_text(task.workload, task.target, task.caches));
      }
      std::erase_if(bests, [&](const StoredBest& best) { return !filter.selects(best); });
    }
    if (bests.empty() && report.only_in_baseline.empty()) return nothing_to_do(options, filter, parse, log, report);
  }
  install_signal_handlers();
  if (!bests.empty()) note(fmt::format("revalidating {} stored best{}\n", bests.size(), bests.size() == 1 ? "" : "s"));
  if (!bests.empty()) race_all(options, bests, report);
  if (options.common.json) {
    print_json(revalidation_json(report));
  } else {
    fmt::print("{}", printable(revalidation_text(report)));
  }
  return conclude(options, report);
}

void add_scope(Command& command, RevalidateOptions& options) {
  command.add_flag("--all", options.all, "every stored best, also where nothing changed");
  command
      .add_option("--workload", options.workloads,
                  "only the bests of this workload, also where nothing changed; may be repeated")
      .value_name("WORKLOAD")
      .one_value_each()
      .check(not_empty());
  command.add_option("--op", options.op, "only this operator").value_name("NAME");
  command
      .add_option("--older-than", options.before,
                  "only what was recorded longer ago, also where nothing changed, e.g. 12h, 30d, 2w")
      .value_name("WHEN")
      .check(moment());
}

}  // namespace

void add_revalidate(CommandLine& line, Action& action) {
  auto options = std::make_shared<RevalidateOptions>();
  Command command = line.add_command("revalidate",
                                     "check and race stored bests again whose compiler, code generator, plugins, "
                                     "driver or system changed, and replace "
                                     "those that are beaten");
  add_scope(command, *options);
  add_plugins(command, options->common);
  add_db(command, options->common);
  Argument target = add_target(command, options->common);
  target.describe("only this target: host, cuda, opencl, or for example cpu,isa=avx2,threads=1 (default: any)");
  add_caches(command, options->common);
  command
      .add_option("--seconds", options->seconds,
                  "end within this much time, plus 8% and 2 s; what was recorded first comes first (default: no limit)")
      .value_name("S")
      .check(positive_seconds());
  command
      .add_option("--effort", options->effort,
                  "how often each is timed: in as many fresh processes as the finalists of tune")
      .value_name("NAME")
      .one_of(effort_names())
      .show_default();
  command
      .add_option("--tolerance", options->tolerance,
                  "exit with 6 where a best is slower by more than this beyond its range (default: 5%)")
      .value_name("5%")
      .check(share_or_whole());
  command
      .add_option(
          "--baseline", options->baseline,
          "compare with the times in this file, which revalidate --json printed, instead of the stored ones; all "
          "stored bests are raced")
      .value_name("FILE")
      .check(not_empty());
  command
      .add_option("--require", options->require,
                  "decided: exit with 4 where a verdict is missing, because the machine was disturbed or the time over")
      .value_name("NAME")
      .one_of({kDecidedName});
  add_json(command, options->common);
  command.on_chosen([options, target, &action] {
    options->any_target = !target.is_given();
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
