// The subcommands of `nestwright log`, which show and change what a database contains.
// Thread rule: one thread at a time.
#pragma once

#include "cli/options/arguments.h"
#include "cli/options/common_options.h"

namespace nestwright::cli {

// Each function declares one subcommand, which sets `action` if it is chosen, and is in the file of that name.
void add_log_export(Command& log, Action& action);
void add_log_import(Command& log, Action& action);
void add_log_sessions(Command& log, Action& action);
void add_log_trials(Command& log, Action& action);
void add_log_diff(Command& log, Action& action);
void add_log_merge(Command& log, Action& action);
void add_log_prune(Command& log, Action& action);
void add_log_delete(Command& log, Action& action);
void add_log_check(Command& log, Action& action);
void add_log_repair(Command& log, Action& action);

}  // namespace nestwright::cli
