#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/commands/log/log.h"
#include "cli/commands/log/log_output.h"
#include "cli/options/exit_code.h"
#include "cli/output/record_output.h"
#include "logs/exchange/exchange.h"

namespace nestwright::cli {
namespace {

struct ImportOptions {
  CommonOptions common;
  ImportRequest request;
};

int run(const ImportOptions& options) {
  const ImportReport report = import_records(options.common.db, options.request, database_options());
  if (options.common.json) {
    Json json{{"file", options.request.file}, {"format", report.format}};
    json["workload"] = report.workload.empty() ? Json() : Json(report.workload);
    json["sessions"] = report.sessions;
    json["trials"] = report.trials;
    json["replaced"] = report.replaced;
    json["known"] = report.known;
    print_json(json);
    return kDone;
  }
  const std::string known =
      report.known > 0 ? fmt::format("; {} {} there already", report.known, report.known == 1 ? "was" : "were") : "";
  const std::string replaced =
      report.replaced > 0 ? fmt::format("; {} replaced by better measurements", counted(report.replaced, "trial")) : "";
  const std::string workload = report.workload.empty() ? "" : " of " + report.workload;
  fmt::print("{}", printable(fmt::format("added {}{} (format {}) to '{}'{}{}\n", counted(report.trials, "trial"),
                                         workload, report.format, options.common.db, replaced, known)));
  return kDone;
}

}  // namespace

void add_log_import(Command& log, Action& action) {
  auto options = std::make_shared<ImportOptions>();
  Command command = log.add_command(
      "import", "add the records of a file: of log export, or of another tuner, which no query answers with");
  command.add_option("file", options->request.file, "may be compressed with gzip").value_name("FILE").required();
  command.add_option("--format", options->request.format, "of the file (default: recognised)")
      .value_name("FORMAT")
      .one_of(exchange_format_names());
  command.add_option("--kernel", options->request.kernel, "name of the kernel in a file of another tuner")
      .value_name("NAME");
  command.add_option("--device", options->request.device, "name of the device in a file of another tuner")
      .value_name("NAME");
  add_db(command, options->common);
  add_json(command, options->common);
  command.on_chosen([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace nestwright::cli
