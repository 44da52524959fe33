#include "findings/funnel.h"

#include <gmock/gmock.h>

#include "tests/findings/tiled_operator.h"

namespace nestwright {
namespace {

class FunnelTest : public ::testing::Test {
 protected:
  Funnel funnel(const std::vector<SpaceRecord>& spaces = {}) const {
    return funnel_of(context_, spaces, sessions_, proposals_, races_, trials_.columns());
  }

  const TaskContext context_ = tiled_task();
  MadeUpTrials trials_;
  std::vector<ListedSession> sessions_{made_up_session(1), made_up_session(2, 0, 0, R"({"fix":{"pack":"no"}})")};
  std::vector<SessionProposals> proposals_{{1, 5, {}, SearchFunnel{{{{"made_up.cpu", 1}, {100, 40}, {}}}}},
                                           {2, 2, {}, SearchFunnel{{{{"made_up.cpu", 1}, {10, 0}, {}}}}}};
  std::vector<RecordedRace> races_;
};

TEST_F(FunnelTest, EachStageIsCounted) {
  trials_.fail(1, "pack=no rows=1 columns=4 order=rows", Outcome::kInvalidConfig, "refused");
  trials_.fail(1, "pack=no rows=2 columns=4 order=rows", Outcome::kCompileError, "no memory");
  trials_.fail(1, "pack=no rows=4 columns=4 order=rows", Outcome::kWrongResult, "Y[0] is 1, not 2");
  trials_.add(1, "pack=no rows=1 columns=8 order=rows", 300, kIsVerified | kIsDisturbed);
  trials_.add(2, "pack=no rows=2 columns=8 order=rows", 200);
  trials_.add(2, "pack=no rows=4 columns=8 order=rows", 200, kIsVerified | kIsCopy);
  races_.push_back({1, 2, "", "", 5, {{5, {}, "finalist", false, {}, {}}}});
  const Funnel counted = funnel();
  EXPECT_EQ(counted.task.valid->points, 30);
  EXPECT_EQ(counted.task.considered, (ConsideredPoints{110, 40}));
  EXPECT_EQ(counted.task.proposed, 7);
  EXPECT_EQ(counted.task.tried, 6);
  EXPECT_EQ(counted.task.built, 4);
  EXPECT_EQ(counted.task.right, 3);
  EXPECT_EQ(counted.task.timed, 3);
  EXPECT_EQ(counted.task.same_code, 1);
  EXPECT_EQ(counted.task.confirmed, 1);
  EXPECT_EQ(counted.task.raced, 1);
  ASSERT_EQ(counted.sessions.size(), 2);
  EXPECT_EQ(counted.sessions[0].stages.tried, 4);
  EXPECT_EQ(counted.sessions[0].stages.confirmed, 0);
  EXPECT_EQ(counted.sessions[1].stages.valid->points, 12);
  EXPECT_EQ(counted.sessions[1].stages.proposed, 2);
  EXPECT_EQ(counted.sessions[1].stages.raced, 1);
}

TEST_F(FunnelTest, PointsThatSessionsCountedAreNotCountedAgain) {
  const Funnel counted = funnel({{{"made_up.cpu", 1}, {1e9, true}}, {{"made_up.cpu", 2}, {7, false}}});
  EXPECT_EQ(counted.task.valid->points, 1e9);
  EXPECT_TRUE(counted.task.valid->estimated);
  EXPECT_EQ(counted.sessions[1].stages.valid->points, 12);  // within its restriction
}

TEST_F(FunnelTest, WhatOldSessionsConsideredIsNotKnown) {
  for (SessionProposals& of : proposals_) of.funnel.reset();
  EXPECT_EQ(funnel().task.considered, std::nullopt);
  EXPECT_EQ(funnel().task.proposed, 7);
}

}  // namespace
}  // namespace nestwright
