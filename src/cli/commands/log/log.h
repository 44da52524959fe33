// The subcommands of `nestwright log`, which show and change what a database contains.
// Thread rule: one thread at a time.
#pragma once

#include "cli/options/arguments.h"
#include "cli/options/common_options.h"

namespace nestwright::cli {

// Each function declares one subcommand, which sets `action` if it is chosen, and is in the file of that name.
void add_log_sessions(Command& log, Action& action);

}  // namespace nestwright::cli
