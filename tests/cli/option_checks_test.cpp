#include "cli/options/option_checks.h"

#include <gtest/gtest.h>

namespace nestwright::cli {
namespace {

/// Returns the text as rewritten by the check, or the message of the check if it refuses the text.
std::string checked(const TextCheck& check, std::string text) {
  const std::string message = check(text);
  return message.empty() ? text : message;
}

TEST(NumberOption, WholeNumbersAreDecimal) {
  EXPECT_EQ(checked(integer(1, 100), "010"), "10");
  EXPECT_EQ(checked(integer(1, 100), "09"), "9");
  EXPECT_EQ(checked(integer(1, 100), "101"), "give an integer from 1 to 100, not '101'");
  EXPECT_EQ(checked(integer(1, 100), "0x1"), "give an integer from 1 to 100, not '0x1'");
}

TEST(NumberOption, SharesArePercentagesOrNumbers) {
  EXPECT_EQ(checked(share(), "1%"), "0.01");
  EXPECT_EQ(checked(share(), "0.01"), "0.01");
  EXPECT_EQ(checked(share(), "2.5%"), "0.025");
  EXPECT_EQ(checked(share(), "0"), "0");
  EXPECT_EQ(checked(share(), "0%"), "0");
}

TEST(NumberOption, OtherSharesAreRefused) {
  for (const std::string text : {"1", "100%", "-1%", "nan", "inf", "%", "one", "1 %", ""}) {
    EXPECT_EQ(checked(share(), text),
              "give a percentage such as 1%, or a number below 1 such as 0.01, not '" + text + "'");
  }
}

}  // namespace
}  // namespace nestwright::cli
