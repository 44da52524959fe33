// The functions that a source defines, and their sizes.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nestwright::house {

struct FunctionSize {
  int line = 0;     ///< where its body begins
  int lines = 0;    ///< of the body, without the lines of its braces
  int nesting = 0;  ///< blocks within blocks, those of lambdas among them; the body itself is none
};

/// Returns the functions of namespaces and of types, in order, and lambdas outside of functions, but none that fits on
/// one line. The text must be formatted by .clang-format, which puts a space before the brace of a block.
std::vector<FunctionSize> read_functions(std::string_view text);

}  // namespace nestwright::house
