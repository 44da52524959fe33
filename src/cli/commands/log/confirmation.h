// The options of the subcommands of `nestwright log` that delete something, and the confirmation that they ask for.
// Thread rule: one thread at a time.
#pragma once

#include <string>

#include "cli/options/arguments.h"

namespace nestwright::cli {

struct DeletionOptions {
  bool yes = false;     ///< do not ask
  bool is_dry = false;  ///< delete nothing, whatever `yes` says
  bool must_ask() const { return !yes && !is_dry; }
};

/// Declares --yes and --dry-run.
void add_deletion(Command& command, DeletionOptions& options);

/// Asks the question on standard error, and returns whether the answer is yes; else it says that nothing was changed.
/// Throws UsageError that asks for --yes if standard input is no terminal.
bool ask_confirmation(const std::string& question);

}  // namespace nestwright::cli
