#include "templates/framework/knobs/split_candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"

namespace nestwright {
namespace {

using Policy = SplitOptions::Policy;
using ::testing::ElementsAre;

TEST(SplitCandidates, FollowThePolicy) {
  EXPECT_THAT(split_candidates(6, {}), ElementsAre(KnobValue{6, 1}, KnobValue{3, 2}, KnobValue{2, 3}, KnobValue{1, 6}));
  EXPECT_THAT(split_candidates(6, {.policy = Policy::kPowerOfTwo}),
              ElementsAre(KnobValue{6, 1}, KnobValue{3, 2}, KnobValue{2, 4}, KnobValue{1, 8}));
  EXPECT_THAT(split_candidates(5, {.policy = Policy::kAll, .max_factor = 3}),
              ElementsAre(KnobValue{5, 1}, KnobValue{3, 2}, KnobValue{2, 3}));
  // Ordered factorisations of 12 into three: d3(12) = 18.
  EXPECT_EQ(split_candidates(12, {.parts = 3}).size(), 18u);
}

TEST(SplitCandidates, AreFilteredAndBounded) {
  const SplitOptions odd{.filter = [](std::span<const std::int64_t> parts) { return parts[1] % 2 == 1; }};
  EXPECT_THAT(split_candidates(6, odd), ElementsAre(KnobValue{6, 1}, KnobValue{2, 3}));
  EXPECT_THROW(split_candidates(0, {}), InternalError);
  EXPECT_THROW(split_candidates(6, {.parts = 1}), InternalError);
  EXPECT_THROW(split_candidates(2'000'000, {.policy = Policy::kAll}), InternalError);
}

}  // namespace
}  // namespace nestwright
