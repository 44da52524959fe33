// Asserts that misuse throws a UsageError with a given message.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "nestwright/error.h"

namespace nestwright {

inline void expect_usage_error(const std::function<void()>& misuse, const std::string& part_of_message) {
  try {
    misuse();
    FAIL() << "not refused; expected: " << part_of_message;
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr(part_of_message));
  }
}

}  // namespace nestwright
