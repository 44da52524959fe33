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

TEST(MomentOption, TimesAreRewrittenAsTheBeginningOfAStoredOne) {
  EXPECT_EQ(checked(moment(), "2026-11-30"), "2026-11-30");
  EXPECT_EQ(checked(moment(), "2026-11-30 14:05"), "2026-11-30T14:05");
  EXPECT_EQ(checked(moment(), "2026-11-30T14:05:59.125Z"), "2026-11-30T14:05:59.125Z");
}

TEST(MomentOption, AgesArePast) {
  const std::string now = checked(moment(), "0min"), earlier = checked(moment(), "12h"), old = checked(moment(), "5w");
  EXPECT_EQ(now.size(), std::string("2026-11-30T14:05:59").size());
  EXPECT_LT(earlier, now);
  EXPECT_LT(old, earlier);
  EXPECT_LT(checked(moment(), "1000000d"), "2000");
}

TEST(MomentOption, OtherTextsAreRefused) {
  for (const std::string text : {"", "d", "-1d", "1.5h", "30", "yesterday", "2026", "2026-1-1", "2026-11-30X",
                                 "2000000d", "2026-13-01", "2026-02-30", "2026-11-30T24", "2026-11-30T14:60"}) {
    EXPECT_EQ(
        checked(moment(), text),
        "give a time such as 2026-11-30 or 2026-11-30T14:05 (UTC), or an age such as 2w, 30d, 12h or 45min, not '" +
            text + "'");
  }
}

TEST(NumberOption, AShareMayBeTheWhole) {
  EXPECT_EQ(checked(share_or_whole(), "5%"), "0.05");
  EXPECT_EQ(checked(share_or_whole(), "0.05"), "0.05");
  EXPECT_EQ(checked(share_or_whole(), "100%"), "1");
  EXPECT_EQ(checked(share_or_whole(), "0"), "0");
  for (const std::string text : {"101%", "1.01", "-1%", "nan", "five", "%", ""}) {
    EXPECT_EQ(checked(share_or_whole(), text),
              "give a percentage from 0% to 100%, or a number from 0 to 1 such as 0.05, not '" + text + "'");
  }
}

}  // namespace
}  // namespace nestwright::cli
