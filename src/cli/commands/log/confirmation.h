// Asks before something is deleted.
// Thread rule: one thread at a time.
#pragma once

#include <string>

namespace nestwright::cli {

/// Asks the question on standard error, and returns whether the answer is yes. Throws UsageError that asks for --yes if
/// standard input is no terminal.
bool ask_confirmation(const std::string& question);

}  // namespace nestwright::cli
