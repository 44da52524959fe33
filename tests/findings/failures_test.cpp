#include "findings/failures.h"

#include <gmock/gmock.h>

#include "tests/findings/made_up_trials.h"

namespace nestwright {
namespace {

using ::testing::IsEmpty;

TEST(FailuresTest, NumbersDoNotDistinguishMessages) {
  EXPECT_EQ(message_class("C[0, 12] is 1.5e-3, not -2"), "C[N, N] is N, not N");
  EXPECT_EQ(message_class("signal 11 at 0x7fffe21a in float32 of step3x4"), "signal N at N in float32 of step3x4");
  EXPECT_EQ(message_class("a-1 b - 2 5. .5 1e 7e+"),
            "a-N b - N N. .N N"
            "e Ne+");
  EXPECT_EQ(message_class(""), "");
}

TEST(FailuresTest, EqualCausesFallTogetherAndTheMostFrequentComesFirst) {
  MadeUpTrials trials;
  trials.add(1, "x=1", 100);
  trials.fail(1, "x=2", Outcome::kCrash, "signal 11");
  trials.fail(1, "x=3", Outcome::kWrongResult, "C[0] is 1, not 2");
  trials.fail(2, "x=4", Outcome::kWrongResult, "C[17] is 3, not 4");
  trials.fail(2, "x=5", Outcome::kTimeout, "signal 11");
  const std::vector<FailureCause> causes = failure_causes(trials.columns());
  ASSERT_EQ(causes.size(), 3);
  EXPECT_EQ(causes[0].outcome, Outcome::kWrongResult);
  EXPECT_EQ(causes[0].trials, 2);
  EXPECT_EQ(causes[0].message, "C[17] is 3, not 4");
  EXPECT_EQ(trials.columns().config(causes[0].example), "x=4");
  EXPECT_EQ(failure_causes(trials.columns(), 1).size(), 2);
  EXPECT_THAT(failure_causes(trials.columns(), 3), IsEmpty());
}

}  // namespace
}  // namespace nestwright
