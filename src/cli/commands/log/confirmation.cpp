#include "cli/commands/log/confirmation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "cli/options/common_options.h"
#include "nestwright/error.h"

namespace nestwright::cli {

void add_deletion(Command& command, DeletionOptions& options) {
  command.add_flag("--yes", options.yes, "do not ask");
  command.add_flag("--dry-run", options.is_dry, "only say what would be deleted");
}

bool ask_confirmation(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0) {
    throw UsageError(question + " Nothing was changed: give --yes, or answer at a terminal");
  }
  note(printable(fmt::format("nestwright: {} [y/N] ", question)));
  std::string answer;
  std::getline(std::cin, answer);
  const bool is_yes = answer == "y" || answer == "Y" || answer == "yes";
  if (!is_yes) note("nestwright: nothing was changed\n");
  return is_yes;
}

}  // namespace nestwright::cli
