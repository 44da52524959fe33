// Quotes words of shell commands.
// Thread rule: pure functions.
#pragma once

#include <string>

namespace nestwright {

/// Returns the text as one word of a command for a POSIX shell: as it is if the shell would leave it so, else in
/// quotes.
std::string shell_word(const std::string& text);

}  // namespace nestwright
