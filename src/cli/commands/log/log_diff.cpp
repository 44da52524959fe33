#include <fmt/format.h>

#include <memory>

#include "cli/commands/log/log.h"
#include "cli/commands/log/log_output.h"
#include "cli/commands/log/named_databases.h"
#include "cli/commands/log/selection.h"
#include "cli/options/exit_code.h"
#include "cli/output/record_output.h"
#include "logs/listing/difference.h"

namespace nestwright::cli {
namespace {

struct DiffOptions {
  std::string first, second;
  bool json = false;
};

/// "-12.3%, beyond both intervals"
std::string change_text(const BestDifference& d) {
  if (!d.first) return "only in the second";
  if (!d.second) return "only in the first";
  return fmt::format("{:+.1f}%, {}", 100 * (d.ratio - 1),
                     d.is_beyond_intervals ? "beyond both intervals" : "within the intervals");
}

std::string time_text(const std::optional<BestRecord>& best) { return best ? format_time(best->timing) : "-"; }

std::string backend_text(const BestDifference& d) {
  if (!d.first || !d.second || d.first->task.backend == d.second->task.backend) {
    return d.first ? d.first->task.backend : d.second->task.backend;
  }
  return fmt::format("{} -> {}", d.first->task.backend, d.second->task.backend);
}

void print_text(const DatabaseDifference& result) {
  std::vector<std::vector<std::string>> rows{{"change", "first", "second", "backend", "task", "machine"}};
  for (const BestDifference& d : result.differences) {
    const TaskKey& task = d.first ? d.first->task : d.second->task;
    rows.push_back(
        {change_text(d), time_text(d.first), time_text(d.second), backend_text(d), task_text(task), task.machine});
  }
  if (rows.size() > 1) fmt::print("{}", table_text(rows, "lrrlll"));
  fmt::print("{} of {} bests differ\n", result.differences.size(),
             static_cast<std::int64_t>(result.differences.size()) + result.unchanged);
}

Json best_json(const std::optional<BestRecord>& best) {
  if (!best) return {};
  return {
      {"trial", best->trial},
      {"session", best->session},
      {"time_ns", {{"median", best->timing.median_ns}, {"low", best->timing.low_ns}, {"high", best->timing.high_ns}}},
      {"template", best->point.template_name},
      {"version", best->point.version},
      {"config_text", best->point.config.str()},
      {"quality", quality_name(quality_of(*best))},
      {"backend", best->task.backend},
      {"recorded_at", best->recorded_at}};
}

Json differences_json(const DiffOptions& options, const DatabaseDifference& result) {
  Json list = Json::list();
  for (const BestDifference& d : result.differences) {
    const TaskKey& task = d.first ? d.first->task : d.second->task;
    Json json{
        {"workload", task.workload.text}, {"target", task.target}, {"machine", task.machine}, {"caches", task.cache}};
    json["first"] = best_json(d.first);
    json["second"] = best_json(d.second);
    json["ratio"] = d.ratio > 0 ? Json(d.ratio) : Json();
    json["beyond_intervals"] = d.ratio > 0 ? Json(d.is_beyond_intervals) : Json();
    list.push_back(json);
  }
  return {{"first", options.first}, {"second", options.second}, {"differences", list}, {"unchanged", result.unchanged}};
}

int run(const DiffOptions& options) {
  const TuningLog first = TuningLog::open(options.first, OpenMode::kRead, database_options());
  const TuningLog second = TuningLog::open(options.second, OpenMode::kRead, database_options());
  TaskFilter all;
  all.with_foreign = true;
  const DatabaseDifference result = compare_bests(first, second, all);
  if (options.json) {
    print_json(differences_json(options, result));
  } else {
    print_text(result);
  }
  return kDone;
}

}  // namespace

void add_log_diff(Command& log, Action& action) {
  auto options = std::make_shared<DiffOptions>();
  Command command = log.add_command("diff", "compare the bests of two databases, task by task");
  command.add_option("first", options->first, "a database").value_name("FIRST.db").required();
  command.add_option("second", options->second, "the database that is compared with it")
      .value_name("SECOND.db")
      .required();
  command.add_flag("--json", options->json, "one JSON document on standard output");
  command.on_chosen(
      [options, &action] { action = [options] { return run_with_named_databases([&] { return run(*options); }); }; });
}

}  // namespace nestwright::cli
