// Runs of nestwright in a folder of the test's own.
// Thread rule: as command_line.h.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"

namespace nestwright {

class CommandTest : public testing::Test {
 protected:
  Ran run(const std::string& text) {
    CommandOptions options;
    options.folder = folder_.path();
    options.environment = environment_;
    return run_nestwright(words(text), options);
  }

  std::vector<std::string> environment_;  ///< NAME=value, added
  const TemporaryFolder folder_;
};

}  // namespace nestwright
