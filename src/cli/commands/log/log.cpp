#include "cli/commands/log/log.h"

namespace nestwright::cli {

void add_log(CommandLine& line, Action& action) {
  Command log = line.add_command("log", "show and change what a database contains");
  add_log_sessions(log, action);
}

}  // namespace nestwright::cli
