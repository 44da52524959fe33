// Goldens of all kinds: what tests print, held against what it was when somebody last read it. A change that was not
// meant is seen, and one that was meant is reviewed. Thread rule: pure functions, but for files of their own.
#pragma once

#include <string>

namespace nestwright::testing {

/// Expects that `file`, a path from the root of the tree, holds `text`. With NESTWRIGHT_WRITE_GOLDENS in the
/// environment writes it where it does not, and fails, so that nobody takes what was written for what was expected.
void expect_golden(const std::string& text, const std::string& file);

}  // namespace nestwright::testing
