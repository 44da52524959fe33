#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <utility>

#include "cli/commands/model_tasks.h"
#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "cli/options/model_options.h"
#include "cli/options/option_checks.h"
#include "cli/output/record_output.h"
#include "cli/output/shell_command.h"
#include "cli/output/throughput.h"
#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "nestwright/lookup.h"
#include "nestwright/text_operator.h"
#include "target/description/former_target.h"

namespace nestwright::cli {
namespace {

struct QueryOptions {
  CommonOptions common;
  ModelOptions model;
  bool exact = false;
  std::string require = quality_name(Quality::kDefault);
  bool any_target = true;  ///< no --target was given
  std::optional<int> top;  ///< without it, only the best
  std::string op, dtype;   ///< filters of a listing; empty: any
};

void refuse_ignored_options(const QueryOptions& options) {
  const bool one = options.common.has_workload();
  if (one && !(options.op.empty() && options.dtype.empty())) {
    throw UsageError("--op and --dtype filter a listing: drop them, or drop the workload");
  }
  if (!one && options.exact) throw UsageError("--exact asks for one workload: give the workload, or drop --exact");
  if (is_model(options.common) && (options.exact || options.top)) {
    throw UsageError("--exact and --top ask for one workload: drop them, or name a kernel of the model");
  }
  if (one && options.exact && options.top) {
    throw UsageError("--top lists exact matches only: drop --exact");
  }
}

TaskFilter listing_filter(const QueryOptions& options, const Registry& registry) {
  TaskFilter filter;
  if (!options.op.empty()) filter.op = registry.find_operator(options.op)->name;
  if (!options.dtype.empty()) filter.dtype = ir::Type::parse(options.dtype).str();
  if (!options.any_target) filter.target = options.common.parsed_target().str();
  filter.threads = options.common.threads;
  if (options.common.caches) filter.cache = cache_state_name(parse_cache_state(*options.common.caches));
  return filter;
}

/// Marks the records of other machines as such.
void mark_other_machines(std::vector<BestRecord>& records) {
  std::map<std::string, std::string> machines;  // by target
  for (BestRecord& record : records) {
    const auto [here, is_new] = machines.try_emplace(record.task.target);
    if (is_new) {
      try {
        here->second = machine_of(Target::parse(record.task.target));
      } catch (const UsageError&) {  // a target of another version of this program: of another machine, too
      }
    }
    if (record.task.machine != here->second) record.match = MatchKind::kOtherMachine;
  }
}

/// Returns the best of each task, or with --top its best few.
std::vector<BestRecord> listed(const QueryOptions& options, const Registry& registry, const TuningLog& log) {
  std::vector<BestRecord> records = log.list(listing_filter(options, registry));
  if (options.top) {
    for (const BestRecord& best : std::exchange(records, {})) {
      for (BestRecord& record : log.top(filter_of(best.task), *options.top)) records.push_back(std::move(record));
    }
  }
  mark_other_machines(records);
  return records;
}

/// The operator of a recorded workload: of the registry, or made of its text; null if there is none.
std::shared_ptr<const Operator> operator_of(const WorkloadKey& workload, const Registry& registry) {
  for (const std::shared_ptr<const Operator>& op : registry.operators()) {
    if (op->name == workload.op) return op;
  }
  try {
    return is_expression_text(workload.text) ? workload_of(workload.text, registry).op : nullptr;
  } catch (const UsageError&) {
    return nullptr;  // the grammar was another one when it was recorded
  }
}

int list(const QueryOptions& options, const Registry& registry, const TuningLog& log) {
  const std::vector<BestRecord> records = listed(options, registry, log);
  if (records.empty()) {
    return print_error(kNotFound,
                       fmt::format("nothing that matches is recorded in '{}': run nestwright tune first", log.path()));
  }
  if (options.common.json) {
    Json json = Json::list();
    for (const BestRecord& record : records) {
      json.push_back(listed_json(record, operator_of(record.task.workload, registry)));
    }
    print_json(json);
    return kDone;
  }
  std::size_t width = 0;
  for (const BestRecord& r : records) width = std::max(width, r.task.workload.text.size());
  for (const BestRecord& r : records) {
    fmt::print(
        "{}", printable(fmt::format(
                  "{:<{}} {:>17}  {:>10}  {:>6} trials  {}{}\n", r.task.workload.text, width,
                  throughput_text(work_of(r.task.workload, operator_of(r.task.workload, registry)), r.timing.median_ns),
                  format_time(r.timing.median_ns), r.trials, r.task.target, caches_arguments(r.task))));
  }
  return kDone;
}

int top(const QueryOptions& options, const TuningLog& log, const TaskContext& context) {
  const Task& task = context.task();
  TaskFilter filter;
  filter.workload = task.workload.str();
  filter.target = task.target.str();
  filter.machine = machine_of(task.target);
  filter.cache = caches_of(task);
  const std::vector<TemplateVersion> usable = context.usable_templates();
  std::vector<BestRecord> records = log.top(filter, *options.top, usable);
  if (const std::optional<Target> former = former_target(task.target); former && records.empty()) {
    filter.target = former->str();
    records = log.top(filter, *options.top, usable);
    filter.target = task.target.str();
    for (BestRecord& record : records) record.target_now = filter.target;
  }
  if (records.empty()) {
    filter.machine.clear();
    records = log.top(filter, *options.top, usable);
    mark_other_machines(records);
  }
  if (records.empty()) {
    return print_error(kNotFound,
                       fmt::format("nothing is recorded for {} on {} with {} caches: run nestwright tune first",
                                   filter.workload, filter.target, filter.cache));
  }
  if (options.common.json) {
    Json json = Json::list();
    for (const BestRecord& record : records) json.push_back(record_json(record, task.workload));
    print_json(json);
    return kDone;
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    fmt::print("{:>3}  {:>16}  {}  {}\n", i + 1, throughput_text(work_of(task.workload), records[i].timing.median_ns),
               format_time(records[i].timing), printable(records[i].point.config.str()));
  }
  return kDone;
}

int with_quality(const std::optional<BestRecord>& record, const Task& task, const QueryOptions& options) {
  const std::string missing = missing_quality(record, task, parse_quality(options.require));
  return missing.empty() ? kDone : print_error(kNoValid, missing);
}

int best(const QueryOptions& options, const TuningLog& log, const TaskContext& context) {
  const Task& task = context.task();
  const Lookup found = look_up(context, &log);
  if (found.match == MatchKind::kDefault) {
    TaskFilter any;
    any.op = task.workload.op->name;
    if (log.list(any).empty()) {
      return print_error(kNotFound, fmt::format("nothing at all is recorded for {} in '{}': run {}", any.op, log.path(),
                                                task_command("tune", task)));
    }
  }
  if (options.exact && found.match != MatchKind::kExact) {
    return print_error(kNotFound, no_exact_match_text(task, found.match));
  }
  if (!found.record) {
    if (options.common.json) print_json(default_json(found, task));
    if (!options.common.json) fmt::print("{}", default_text(found, task));
    return with_quality(found.record, task, options);
  }
  if (options.common.json) {
    print_json(record_json(*found.record, task.workload));
  } else {
    fmt::print("{}{}", options.common.given_line(), record_text(*found.record, task.workload));
  }
  return with_quality(found.record, task, options);
}

int run(const QueryOptions& options) {
  refuse_ignored_options(options);
  if (is_model(options.common)) return query_model(options.common, options.model);
  const Registry registry = options.common.registry();
  if (!options.common.has_workload()) {
    listing_filter(options, registry);  // refuses misspelt names before the database is opened
    return list(options, registry, open_database(options.common, OpenMode::kRead));
  }
  const TaskContext context = options.common.task(registry);
  const TuningLog log = open_database(options.common, OpenMode::kRead);
  return options.top ? top(options, log, context) : best(options, log, context);
}

}  // namespace

void add_query(CommandLine& line, Action& action) {
  auto options = std::make_shared<QueryOptions>();
  Command command =
      line.add_command("query", "look up the best known configuration; without a workload, list what is recorded");
  add_workload(command, options->common);
  add_model_options(command, options->model);
  add_db(command, options->common);
  Argument target = add_target(command, options->common);
  target.describe(
      "host, cuda, opencl, or for example cpu,isa=avx2,threads=1; in a listing: only this target (default: any)");
  add_caches(command, options->common);
  add_json(command, options->common);
  command.add_flag("--exact", options->exact, "accept only an exact match, else exit with 3");
  command.add_option("--require", options->require, "exit with 4 where the best of the workload is less than this")
      .value_name("NAME")
      .one_of(quality_names())
      .show_default();
  command.add_option("--top", options->top, "the best N of the task, or of every task in a listing")
      .value_name("N")
      .check(integer(1, 1'000'000));
  command.add_option("--op", options->op, "list only this operator").value_name("NAME");
  command.add_option("--dtype", options->dtype, "list only this type").value_name("NAME");
  command.on_chosen([options, target, &action] {
    options->any_target = !target.is_given();
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
