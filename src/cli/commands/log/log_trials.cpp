#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "cli/commands/log/log.h"
#include "cli/commands/log/log_output.h"
#include "cli/commands/log/selection.h"
#include "cli/options/exit_code.h"
#include "cli/options/option_checks.h"
#include "cli/output/record_output.h"
#include "logs/listing/trials.h"
#include "nestwright/error.h"

namespace nestwright::cli {
namespace {

struct TrialsOptions {
  CommonOptions common;
  bool has_target = false;
  TrialFilter filter;
  std::string outcome, config, sort = "number";
};

std::vector<std::string> all_outcome_names() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(Outcome::kWrongResult); ++i) {
    names.emplace_back(outcome_name(static_cast<Outcome>(i)));
  }
  return names;
}

TrialFilter filter_of_options(const TrialsOptions& options) {
  TrialFilter filter = options.filter;
  const std::vector<std::string> names = all_outcome_names();
  if (const auto named = std::find(names.begin(), names.end(), options.outcome); named != names.end()) {
    filter.outcome = static_cast<Outcome>(named - names.begin());
  }
  std::istringstream entries(options.config);
  for (std::string entry; entries >> entry;) {
    if (entry.find('=') == std::string::npos) {
      throw UsageError(fmt::format("--config: '{}' has no value: write it as knob=value", entry));
    }
    filter.entries.push_back(entry);
  }
  filter.order = options.sort == "time" ? TrialOrder::kTime : TrialOrder::kNumber;
  return filter;
}

/// "ok", "ok (disturbed)", "ok (as 41)", "wrong_result: C[0, 0] is 1, not 2".
std::string outcome_text(const ListedTrial& t) {
  std::string text = outcome_name(t.outcome);
  if (t.ended_early) text += " (ended early)";
  if (t.part_ratio > 0) text += " (by a part)";
  if (t.same_as != 0) text += fmt::format(" (as {})", t.same_as);
  if (!t.message.empty()) text += ": " + t.message;
  if (!t.disturbance.empty()) text += fmt::format(" (disturbed: {})", t.disturbance);
  return text;
}

void print_text(const TrialListing& listing) {
  const bool is_one_task = listing.tasks.size() == 1;
  if (is_one_task) fmt::print("task      {}\n", printable(task_text(listing.tasks.front())));
  std::vector<std::vector<std::string>> rows{{"trial", "session", "recorded", "time", "outcome", "template"}};
  if (!is_one_task) rows.front().emplace_back("task");
  rows.front().emplace_back("config");
  for (const ListedTrial& t : listing.trials) {
    rows.push_back({std::to_string(t.id), std::to_string(t.session), t.recorded_at.substr(0, 19),
                    t.median_ns > 0 ? format_time(t.median_ns) : "-", outcome_text(t),
                    fmt::format("{} v{}", t.from.name, t.from.version)});
    if (!is_one_task) rows.back().push_back(task_text(listing.tasks[t.task]));
    rows.back().push_back(t.config);
  }
  fmt::print("{}", table_text(rows, is_one_task ? "rrlrlll" : "rrlrllll"));
}

Json trial_json(const ListedTrial& t, const TaskKey& task) {
  Json json{{"trial", t.id},
            {"session", t.session},
            {"workload", task.workload.text},
            {"source", task.workload.source.empty() ? Json() : Json(task.workload.source)},
            {"target", task.target},
            {"machine", task.machine},
            {"backend", task.backend},
            {"caches", task.cache},
            {"template", t.from.name},
            {"version", t.from.version},
            {"config_text", t.config},
            {"origin", t.origin},
            {"outcome", outcome_name(t.outcome)},
            {"message", t.message}};
  json["time_ns"] = t.median_ns > 0 ? Json{{"median", t.median_ns}, {"low", t.low_ns}, {"high", t.high_ns}} : Json();
  json["verified"] = t.verified;
  json["ended_early"] = t.ended_early;
  json["part_ratio"] = t.part_ratio > 0 ? Json(t.part_ratio) : Json();
  json["disturbance"] = t.disturbance.empty() ? Json() : Json(t.disturbance);
  json["largest_error_ratio"] = t.largest_error_ratio ? Json(*t.largest_error_ratio) : Json();
  json["compile_ms"] = t.compile_ms;
  json["check_ms"] = t.check_ms;
  json["measure_ms"] = t.measure_ms;
  json["code"] = t.code.empty() ? Json() : Json(t.code);
  json["same_as_trial"] = t.same_as == 0 ? Json() : Json(t.same_as);
  json["recorded_at"] = t.recorded_at;
  return json;
}

int run(const TrialsOptions& options) {
  TrialFilter filter = filter_of_options(options);
  const TaskSelection selection = task_selection(options.common, options.has_target);
  filter.tasks = selection.filter;
  const TrialListing listing = list_trials(options.common.db, filter, database_options());
  if (listing.trials.empty()) return print_nothing_matches(selection, options.common, "trial");
  if (options.common.json) {
    Json json = Json::list();
    for (const ListedTrial& trial : listing.trials) json.push_back(trial_json(trial, listing.tasks[trial.task]));
    print_json(json);
  } else {
    print_text(listing);
  }
  if (listing.is_cut) {
    note(fmt::format("nestwright: more trials match than the {} {} that are shown: --limit 0 shows all\n",
                     filter.order == TrialOrder::kTime ? "fastest" : "latest", listing.trials.size()));
  }
  return kDone;
}

}  // namespace

void add_log_trials(Command& log, Action& action) {
  auto options = std::make_shared<TrialsOptions>();
  options->filter.limit = 50;
  Command command = log.add_command("trials", "list the trials of a workload, of a session or of all");
  const Argument target = add_task_selection(command, options->common);
  add_session(command, options->filter.session, "only those that the session with this number measured");
  command.add_option("--outcome", options->outcome, "only those that ended so")
      .value_name("NAME")
      .one_of(all_outcome_names());
  add_since(command, options->filter.since, "only those recorded since");
  command.add_option("--template", options->filter.from_template, "only those of this template").value_name("NAME");
  command
      .add_option("--config", options->config,
                  "only those whose configuration has these values, e.g. \"tile_i=4x2x14 pack_b=yes\"")
      .value_name("TEXT")
      .check(not_empty());
  command
      .add_option("--sort", options->sort,
                  "number: as recorded, or time: the fastest first (times of two sessions have units of their own)")
      .value_name("NAME")
      .one_of({"number", "time"})
      .show_default();
  add_limit(command, options->filter.limit, "the latest or fastest N trials");
  add_json(command, options->common);
  command.on_chosen([options, target, &action] {
    options->has_target = target.is_given();
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
