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
  CommandOutput run(const std::string& text) {
    CommandOptions options;
    options.folder = folder_.path();
    options.environment = environment_;
    return run_nestwright(words(text), options);
  }

  std::vector<std::string> environment_;  ///< NAME=value, added to that of the test
  const TemporaryFolder folder_;
};

}  // namespace nestwright
