#include <fmt/format.h>

#include <cstdio>

#include "cli/common_options.h"
#include "cli/exit_code.h"
#include "cli/export_check.h"
#include "cli/option_checks.h"
#include "cli/report.h"
#include "exporter/exporter.h"
#include "support/error.h"

namespace nestwright::cli {
namespace {

struct ExportCommandOptions {
  CommonOptions common;
  ExportOptions output;
  bool exact = false;
  bool unchecked = false;
  bool db_given = false;  ///< if so, the database must exist
};

/// The result of running the object.
std::string check_text(const ExportResult& result) {
  if (!result.check) return "not run: --unchecked";
  if (!result.check->why_not_run.empty()) return "not run: " + result.check->why_not_run;
  if (result.check->median_ns == 0) return "run here: right; not timed, as the machine was disturbed";
  return fmt::format("run here: right, {} [{} .. {}]", format_time(result.check->median_ns),
                     format_time(result.check->low_ns), format_time(result.check->high_ns));
}

Json check_json(const ExportResult& result) {
  Json json = {{"ran", result.check && result.check->why_not_run.empty()}, {"time_ns", nullptr}};
  if (result.check && result.check->median_ns > 0) {
    json["time_ns"] = {
        {"median", result.check->median_ns}, {"low", result.check->low_ns}, {"high", result.check->high_ns}};
  }
  return json;
}

int run(const ExportCommandOptions& options) {
  const Task task = options.common.task(options.common.registry());
  const Lookup found = look_up_in(options.common, options.db_given, task);
  if (options.exact && found.match != MatchKind::kExact) {
    return print_error(kNotFound, no_exact_match_text(task, found.match));
  }
  ExportOptions output = options.output;
  if (!options.unchecked) output.check = [&](const CompiledObject& object) { return check_export(task, object); };
  const ExportResult result = export_kernel(task, found, output);
  if (found.match != MatchKind::kExact) {
    const bool elsewhere = found.match == MatchKind::kOtherMachine;
    note(fmt::format(
        "nestwright: {} was not tuned{}, the {} configuration was exported: run nestwright tune for a better one\n",
        task.workload.str(), elsewhere ? " on this machine" : "",
        elsewhere ? "other machine's" : match_name(found.match)));
  }
  if (options.common.json) {
    print_json({{"function", result.symbol},
                {"workload", task.workload.str()},
                {"target", task.target.str()},
                {"match", match_name(found.match)},
                {"checked", check_json(result)},
                {"directory", options.output.directory},
                {"files", result.files}});
    return kDone;
  }
  fmt::print("{} exported to {} ({})\n{}\n", result.symbol, options.output.directory, match_name(found.match),
             check_text(result));
  for (const std::string& file : result.files) fmt::print("  {}\n", file);
  return kDone;
}

}  // namespace

void add_export(CommandLine& line, Action& action) {
  auto options = std::make_shared<ExportCommandOptions>();
  Command command = line.add_command("export", "write the best known kernel of a workload as a library");
  add_workload(command, options->common);
  Argument db = add_db(command, options->common);
  add_target(command, options->common);
  add_json(command, options->common);
  command.add_option("--out", options->output.directory, "folder to write to; made where it is not there")
      .value_name("DIR")
      .required();
  command.add_option("--name", options->output.name, "name of the function and the files (default: from the workload)")
      .value_name("NAME")
      .check(not_empty());
  command.add_flag("--exact", options->exact, "only if this very workload was tuned: exit code 3 otherwise");
  command.add_flag("--unchecked", options->unchecked, "do not run the kernel before it is written");
  command.on_chosen([options, db, &action] {
    options->db_given = db.is_given();
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
