#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace nestwright::testing {

void expect_golden(const std::string& text, const std::string& file) {
  const std::string path = std::string(NESTWRIGHT_SOURCE_DIR) + "/" + file;
  std::stringstream golden;
  golden << std::ifstream(path).rdbuf();
  if (std::getenv("NESTWRIGHT_WRITE_GOLDENS") != nullptr && text != golden.str()) {
    std::ofstream(path) << text;
    FAIL() << path << " was written: look at it";
  }
  ASSERT_FALSE(golden.str().empty()) << path << " is missing, or empty";
  EXPECT_EQ(text, golden.str()) << file;
}

}  // namespace nestwright::testing
