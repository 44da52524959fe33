// The functions that the source defines, and their sizes, read off its layout.
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

/// Functions of namespaces and of types, in order. The text is laid out as .clang-format says.
std::vector<FunctionSize> read_functions(std::string_view text);

}  // namespace nestwright::house
