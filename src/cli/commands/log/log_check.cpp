#include <fmt/format.h>

#include <memory>

#include "cli/commands/log/log.h"
#include "cli/options/exit_code.h"
#include "cli/output/record_output.h"

namespace nestwright::cli {
namespace {

int run(const CommonOptions& options) {
  open_database(options, OpenMode::kRead, true);
  if (options.json) {
    print_json({{"database", options.db}, {"sound", true}});
  } else {
    fmt::print("database '{}' is sound\n", printable(options.db));
  }
  return kDone;
}

}  // namespace

void add_log_check(Command& log, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  Command command = log.add_command("check", "look for damage in the whole database: exit code 5 where there is some");
  add_db(command, *options);
  add_json(command, *options);
  command.on_chosen([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace nestwright::cli
