#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/report.h"
#include "lookup/lookup.h"
#include "lookup/task_key.h"
#include "support/error.h"
#include "templates/registry.h"

namespace nestwright::cli {
namespace {

struct QueryOptions {
  CommonOptions common;
  bool exact = false;
  bool any_target = false;  ///< no --target given
  int top = 1;
  TaskFilter filter;  ///< of a listing
};

int nothing(const std::string& sentence) {
  fmt::print(stderr, "nestwright: {}\n", sentence);
  return kNotFound;
}

int list(const QueryOptions& options, const TuningLog& log) {
  TaskFilter filter = options.filter;
  if (!options.any_target) filter.target = options.common.parsed_target().str();
  filter.threads = options.common.threads;
  const std::vector<BestRecord> records = log.list(filter);
  if (options.common.json) {
    nlohmann::json json = nlohmann::json::array();
    for (const BestRecord& record : records) {
      nlohmann::json entry = to_json(record, {});
      entry["workload"] = record.task.workload.text;
      json.push_back(std::move(entry));
    }
    fmt::print("{}\n", json.dump(2));
  } else {
    for (const BestRecord& r : records) {
      fmt::print("{:<64} {:>9.1f} GFLOP/s  {:>10}  {:>6} trials  {}\n", r.task.workload.text, r.gflops(),
                 format_time(r.timing.median_ns), r.trials, r.task.target);
    }
  }
  if (records.empty()) return nothing("nothing that matches is recorded in '" + log.path() + "': run nestwright tune first");
  return kDone;
}

int top(const QueryOptions& options, const TuningLog& log, const Task& task) {
  TaskFilter filter;
  filter.workload = task.workload.str();
  filter.target = task.target.str();
  const auto records = log.top(filter, options.top, usable_templates(task.workload.op, task.target.device));
  if (records.empty()) return nothing(fmt::format("nothing is recorded for {} on {}: run nestwright tune first", filter.workload, filter.target));
  if (options.common.json) {
    nlohmann::json json = nlohmann::json::array();
    for (const BestRecord& record : records) json.push_back(to_json(record, task.workload));
    fmt::print("{}\n", json.dump(2));
    return kDone;
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    fmt::print("{:>3}  {:>8.1f} GFLOP/s  {}  {}\n", i + 1, records[i].gflops(), format_time(records[i].timing),
               records[i].proposal.config.str());
  }
  return kDone;
}

int run(const QueryOptions& options) {
  const bool one = !options.common.workload.empty();
  std::optional<Task> task;
  if (one) task = options.common.task();
  const TuningLog log = TuningLog::open(options.common.db, OpenMode::kRead);
  if (!one) return list(options, log);
  if (options.top > 1) return top(options, log, *task);

  const Lookup found = look_up(*task, &log);
  if (found.match != MatchKind::kExact) {
    TaskFilter any;
    any.op = task->workload.op;
    if (found.match == MatchKind::kDefault && log.list(any).empty()) {
      return nothing(fmt::format("nothing at all is recorded for {} in '{}': run nestwright tune {}", any.op, log.path(),
                                 task->workload.str()));
    }
    if (options.exact) {
      return nothing(fmt::format("nothing is recorded for {} on {}: run nestwright tune, or drop --exact",
                                 task->workload.str(), task->target.str()));
    }
  }
  if (options.common.json) {
    fmt::print("{}\n", (found.record ? to_json(*found.record, task->workload) : default_to_json(found, *task)).dump(2));
  } else {
    fmt::print("{}", found.record ? to_text(*found.record, task->workload) : default_to_text(found, *task));
  }
  return kDone;
}

}  // namespace

void add_query(CLI::App& app, Action& action) {
  auto options = std::make_shared<QueryOptions>();
  CLI::App* command = app.add_subcommand("query", "look up the best known configuration; without a workload, list what is recorded");
  add_workload(*command, options->common, false);
  add_db(*command, options->common);
  add_target(*command, options->common);
  add_json(*command, options->common);
  command->add_flag("--exact", options->exact, "only this very shape: exit 3 where there is none");
  command->add_option("--top", options->top, "the best N of the task")->check(CLI::PositiveNumber)->capture_default_str();
  command->add_option("--op", options->filter.op, "list only this operator");
  command->add_option("--dtype", options->filter.dtype, "list only this type");
  command->callback([options, command, &action] {
    options->any_target = command->get_option("--target")->count() == 0;
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
