#include "tests/codegen/device/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace nestwright::testing {

void expect_golden(const std::string& text, const std::string& file) {
  const std::string path = std::string(NESTWRIGHT_SOURCE_DIR) + "/tests/codegen/device/golden/" + file;
  if (std::getenv("NESTWRIGHT_WRITE_GOLDENS") != nullptr) {
    std::ofstream(path) << text;
    FAIL() << path << " was written: look at it";
  }
  std::ifstream stream(path);
  ASSERT_TRUE(stream.good()) << path << " is missing";
  std::stringstream golden;
  golden << stream.rdbuf();
  EXPECT_EQ(text, golden.str()) << file;
}

}  // namespace nestwright::testing
