// Fixture that runs nestwright in a temporary folder.
// Thread rule: that of command_line.h.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"

namespace nestwright {

class CommandTest : public ::testing::Test {
 protected:
  /// Arguments that contain spaces are given one by one.
  CommandOutput run(const std::vector<std::string>& arguments) {
    CommandOptions options;
    options.folder = folder_.path();
    options.environment = environment_;
    return run_nestwright(arguments, options);
  }
  CommandOutput run(const std::string& text) { return run(words(text)); }

  std::vector<std::string> environment_;  ///< NAME=value, added to that of the test
  const TemporaryFolder folder_;
};

}  // namespace nestwright
