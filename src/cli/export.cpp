#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

#include "cli/command.h"
#include "cli/exit_code.h"
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
};

int run(const ExportCommandOptions& options) {
  const Task task = options.common.task();
  const TuningLog log = TuningLog::open(options.common.db, OpenMode::kRead);
  const Lookup found = look_up(task, &log);
  if (options.exact && found.match != MatchKind::kExact) {
    return complain(kNotFound, fmt::format("nothing is recorded for {} on {}: run nestwright tune, or drop --exact",
                                           task.workload.str(), task.target.str()));
  }
  const ExportResult result = export_kernel(task, found, options.output);
  if (found.match != MatchKind::kExact) {
    note(fmt::format(
        "nestwright: {} was not tuned, the {} configuration was exported: run nestwright tune for a better one\n",
        task.workload.str(), found.match == MatchKind::kNearest ? "nearest" : "default"));
  }
  if (options.common.json) {
    print_json({{"function", result.symbol},
                {"workload", task.workload.str()},
                {"target", task.target.str()},
                {"match", match_name(found.match)},
                {"directory", options.output.directory},
                {"files", result.files}});
    return kDone;
  }
  fmt::print("{} exported to {} ({})\n", result.symbol, options.output.directory, match_name(found.match));
  for (const std::string& file : result.files) fmt::print("  {}\n", file);
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportCommandOptions>();
  CLI::App* command = app.add_subcommand("export", "write the best known kernel of a workload as a library");
  add_workload(*command, options->common);
  add_db(*command, options->common);
  add_target(*command, options->common);
  add_json(*command, options->common);
  command->add_option("--out", options->output.directory, "folder to write to; made where it is not there")
      ->type_name("DIR")
      ->required();
  command->add_option("--name", options->output.name, "name of the function and the files (default: from the workload)")
      ->type_name("NAME")
      ->check(not_empty());
  command->add_flag("--exact", options->exact, "only if this very workload was tuned: exit code 3 otherwise")
      ->disable_flag_override();
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace nestwright::cli
