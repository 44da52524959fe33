#include "cli/commands/log/log.h"

namespace nestwright::cli {

void add_log(CommandLine& line, Action& action) {
  Command log = line.add_command("log", "show and change what a database contains");
  add_log_sessions(log, action);
  add_log_trials(log, action);
  add_log_diff(log, action);
  add_log_merge(log, action);
  add_log_prune(log, action);
  add_log_delete(log, action);
  add_log_check(log, action);
  add_log_export(log, action);
  add_log_import(log, action);
  add_log_repair(log, action);
}

}  // namespace nestwright::cli
