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
  bool db_given = false;  ///< then it must be there
};

int run(const ExportCommandOptions& options) {
  const Task task = options.common.task();
  const Lookup found = look_up_in(options.common, options.db_given, task);
  if (options.exact && found.match != MatchKind::kExact) {
    return complain(kNotFound, nothing_exact(task, found.match));
  }
  const ExportResult result = export_kernel(task, found, options.output);
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
  CLI::Option* db = add_db(*command, options->common);
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
  command->callback([options, db, &action] {
    options->db_given = db->count() > 0;
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
