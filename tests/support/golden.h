// Golden files: expected outputs of tests, checked into the tree and reviewed. An unintended change makes the test
// fail, and an intended one appears in the review.
// Thread rule: pure functions, except for the files.
#pragma once

#include <string>

namespace nestwright::testing {

/// Expects that `file`, a path relative to the root of the tree, contains `text`. With NESTWRIGHT_WRITE_GOLDENS in the
/// environment, writes `text` there if it differs, and fails, so that new goldens are not mistaken for a passing test.
void expect_golden(const std::string& text, const std::string& file);

}  // namespace nestwright::testing
