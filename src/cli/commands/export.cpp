#include <fmt/format.h>

#include <cstdio>
#include <limits>

#include "cli/commands/export_check.h"
#include "cli/commands/given_config.h"
#include "cli/commands/model_tasks.h"
#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "cli/options/model_options.h"
#include "cli/options/option_checks.h"
#include "cli/output/record_output.h"
#include "codegen/backend.h"
#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "nestwright/export.h"

namespace nestwright::cli {
namespace {

struct ExportCommandOptions {
  CommonOptions common;
  ModelOptions model;
  ExportOptions output;
  std::string config;  ///< to be exported; empty: the best known one
  std::string template_name;
  std::optional<std::int64_t> trial;  ///< to be exported
  bool exact = false;
  bool unchecked = false;
  bool embed = false;     ///< of a model: the weights become part of the library
  bool db_given = false;  ///< if so, the database must exist
};

/// The result of running the object.
std::string check_text(const ExportResult& result) {
  if (!result.check) return "not run: --unchecked";
  if (!result.check->why_not_run.empty()) return "not run: " + result.check->why_not_run;
  if (result.check->median_ns == 0) return "run here: right; not timed, as the machine was disturbed";
  return "run here: right, " + format_time_range(result.check->median_ns, result.check->low_ns, result.check->high_ns);
}

Json check_json(const ExportResult& result) {
  Json json = {{"ran", result.check && result.check->why_not_run.empty()}, {"time_ns", nullptr}};
  if (result.check && result.check->median_ns > 0) {
    json["time_ns"] = {
        {"median", result.check->median_ns}, {"low", result.check->low_ns}, {"high", result.check->high_ns}};
  }
  return json;
}

/// The configuration of --config, of --trial, or the best known one. nullopt where there is no trial of that number.
std::optional<Lookup> choose(const ExportCommandOptions& options, const TaskContext& context) {
  if (!options.config.empty()) return given_config(context, options.config, options.template_name);
  if (!options.trial) return look_up_in(options.common, options.db_given, context, options.template_name);
  return look_up_trial(context, open_database(options.common, OpenMode::kRead), *options.trial);
}

/// Returns the note on a record that is only a hint; "" for others.
std::string hint_note(const Lookup& found) {
  if (found.hint.empty()) return {};
  return printable(fmt::format(
      "nestwright: the record of {} is a hint until it is tuned again ({}): it was verified and timed before "
      "that changed\n",
      found.record->task.workload.text, found.hint));
}

/// Returns the note on a configuration that was completed, or was not tuned for this task on this machine; "" for
/// others.
std::string origin_note(const Lookup& found, const Task& task) {
  if (found.match == MatchKind::kExact) return {};
  if (found.match == MatchKind::kGiven) return config_text(found);
  const bool elsewhere = found.match == MatchKind::kOtherMachine;
  return fmt::format(
      "nestwright: {} was not tuned{}, the {} configuration was exported: run nestwright tune for a better one\n",
      task.workload.str(), elsewhere ? " on this machine" : "",
      elsewhere ? "other machine's" : match_name(found.match));
}

int run_model(const ExportCommandOptions& options) {
  if (!options.config.empty() || !options.template_name.empty() || options.trial || options.exact) {
    throw UsageError("--config, --template, --trial and --exact are for one workload: drop them for a model");
  }
  return export_model(
      options.common, options.model,
      {options.output.directory, options.output.name, options.embed, options.unchecked, options.db_given});
}

int run(const ExportCommandOptions& options) {
  if (is_model(options.common)) return run_model(options);
  if (options.embed) throw UsageError("--embed is for models: name a file that ends in .onnx, or drop it");
  const TaskContext context = options.common.task(options.common.registry());
  const Task& task = context.task();
  const std::optional<Lookup> chosen = choose(options, context);
  if (!chosen) {
    return print_error(kNotFound, fmt::format("database '{}' has no trial {}: query --top N --json lists trials",
                                              options.common.db, *options.trial));
  }
  const Lookup& found = *chosen;
  if (options.exact && found.match != MatchKind::kExact) {
    return print_error(kNotFound, no_exact_match_text(task, found.match));
  }
  ExportOptions output = options.output;
  if (!options.unchecked) {
    output.check = [&](const CompiledObject& object) {
      return check_export(task, object, {.kept_in = references_kept_by(options.common)});
    };
  }
  const ExportResult result = export_kernel(task, found, output);
  note(origin_note(found, task) + hint_note(found));
  if (options.common.json) {
    print_json({{"function", result.symbol},
                {"workload", task.workload.str()},
                {"target", task.target.str()},
                {"caches", caches_of(task)},
                {"match", match_name(found.match)},
                {"hint", hint_json(found.hint)},
                {"checked", check_json(result)},
                {"directory", options.output.directory},
                {"files", result.files}});
    return kDone;
  }
  fmt::print("{} exported to {} ({}{})\n{}\n", result.symbol, options.output.directory, match_name(found.match),
             found.hint.empty() ? "" : ", a hint", check_text(result));
  for (const std::string& file : result.files) fmt::print("  {}\n", file);
  return kDone;
}

}  // namespace

void add_export(CommandLine& line, Action& action) {
  auto options = std::make_shared<ExportCommandOptions>();
  Command command =
      line.add_command("export", "write the best known kernel of a workload, or those of a model, as a library");
  add_workload(command, options->common);
  add_model_options(command, options->model);
  Argument db = add_db(command, options->common);
  add_target(command, options->common);
  add_caches(command, options->common);
  add_json(command, options->common);
  command.add_option("--out", options->output.directory, "folder to write to; created if it does not exist")
      .value_name("DIR")
      .required();
  command.add_option("--name", options->output.name, "name of the function and the files (default: from the workload)")
      .value_name("NAME")
      .check(not_empty());
  Argument config = add_config(command, options->config);
  Argument of_template = add_template(command, options->template_name);
  Argument trial = command
                       .add_option("--trial", options->trial,
                                   "export this trial of the database, as query --top N --json numbers it")
                       .value_name("N")
                       .check(integer(1, std::numeric_limits<std::int64_t>::max()));
  trial.excludes(config).excludes(of_template);
  Argument exact = command.add_flag("--exact", options->exact, "accept only an exact match, else exit with 3");
  exact.excludes(config);
  command.add_flag("--unchecked", options->unchecked, "do not run the kernel before it is written");
  command.add_flag("--embed", options->embed, "of a model: make the weights a part of the library");
  command.on_chosen([options, db, &action] {
    options->db_given = db.is_given();
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
