// Blanks what is not code in the text of a C++ source, so that checks can search the rest.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace nestwright::house {

enum class Strings { kKept, kBlank };

/// Returns the text with comments and raw strings replaced by spaces, and with Strings::kBlank the contents of other
/// strings and of characters, too: `f("{", 'a');  // why` becomes `f(" ", ' ');        `. Keeps newlines, so that lines
/// and columns stay.
std::string code_of(std::string_view text, Strings strings = Strings::kBlank);

}  // namespace nestwright::house
