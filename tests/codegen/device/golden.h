// Goldens of devices: tests/codegen/device/golden. Thread rule: pure functions, but for files of their own.
#pragma once

#include <string>

namespace nestwright::testing {

/// Expects that the golden `file` holds `text`. With NESTWRIGHT_WRITE_GOLDENS in the environment writes it, and fails.
void expect_golden(const std::string& text, const std::string& file);

}  // namespace nestwright::testing
