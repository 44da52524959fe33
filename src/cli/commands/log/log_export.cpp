#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/commands/log/log.h"
#include "cli/commands/log/log_output.h"
#include "cli/commands/log/selection.h"
#include "cli/options/exit_code.h"
#include "cli/output/record_output.h"
#include "logs/exchange/exchange.h"
#include "nestwright/error.h"

namespace nestwright::cli {
namespace {

struct ExportOptions {
  CommonOptions common;
  bool has_target = false;
  std::string machine, backend, caches;  ///< empty: any
  std::string format = "jsonl", out;
};

int run(const ExportOptions& options) {
  const bool is_stdout = options.out == "-";
  if (is_stdout && options.common.json) {
    throw UsageError("--out - writes the records to standard output, as --json does its document: leave out one");
  }
  TaskSelection selection = task_selection(options.common, options.has_target);
  selection.filter.machine = options.machine;
  selection.filter.backend = options.backend;
  selection.filter.cache = options.caches;
  const ExportReport report =
      export_records(options.common.db, selection.filter, options.format, options.out, database_options());
  if (report.tasks == 0) return print_nothing_matches(selection, options.common, "task");
  if (report.left_out > 0) {
    note(fmt::format("nestwright: {} left out, because times of other sessions cannot be compared with the others\n",
                     counted(report.left_out, "trial")));
  }
  if (options.common.json) {
    print_json(Json{{"file", options.out},
                    {"format", options.format},
                    {"tasks", report.tasks},
                    {"trials", report.trials},
                    {"left_out", report.left_out}});
  } else if (!is_stdout) {
    fmt::print("wrote {} of {} to '{}'\n", counted(report.trials, "trial"), counted(report.tasks, "task"),
               printable(options.out));
  }
  return kDone;
}

}  // namespace

void add_log_export(Command& log, Action& action) {
  auto options = std::make_shared<ExportOptions>();
  Command command = log.add_command("export", "write records to a file that other programs, or log import, read");
  const Argument target = add_task_selection(command, options->common);
  command.add_option("--machine", options->machine, "only this machine, as log sessions --json names it")
      .value_name("MACHINE");
  command.add_option("--backend", options->backend, "only this compiler, e.g. 'LLVM 19.1.7'").value_name("NAME");
  command.add_option("--caches", options->caches, "only this state of the caches; unknown: of another tuner")
      .value_name("STATE")
      .one_of({"warm", "cold", "stream", "unknown"});
  command
      .add_option("--format", options->format, "jsonl loses nothing; t4 and kernel-tuner have the trials of one task")
      .value_name("FORMAT")
      .one_of(exchange_format_names())
      .show_default();
  command.add_option("--out", options->out, "the file; compressed if its name ends in .gz; - is standard output")
      .value_name("FILE")
      .required();
  add_json(command, options->common);
  command.on_chosen([options, target, &action] {
    options->has_target = target.is_given();
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
