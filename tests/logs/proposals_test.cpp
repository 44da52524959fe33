#include <gmock/gmock.h>

#include "logs/encode.h"
#include "nestwright/error.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const SearchFunnel kFunnel{{{{"matmul.cpu", 3},
                             {512, 900, 3},
                             {{"tile_i", {{"[4,2,14]", {5, 7}}, {"[1,1,1]", {0, 2}}}}, {"pack_b", {{"yes", {1, 0}}}}}},
                            {{"matmul.plain", 1}, {8, 0}, {}}}};

class ProposalsTest : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  TuningLog log_ = TuningLog::open(folder_.file("a.db"), OpenMode::kWrite);
  const TaskKey task_ = task_of(matmul(64, 64, 64));
};

TEST_F(ProposalsTest, AFunnelIsReadAsItWasWritten) {
  EXPECT_EQ(decode_funnel(encode_funnel(kFunnel)), kFunnel);
  EXPECT_EQ(decode_funnel(encode_funnel({})), SearchFunnel());
  const std::string pair = R"({"templates":[{"template":"a","version":1,"points":[1,2],"knobs":{}}]})";
  EXPECT_EQ(decode_funnel(pair), (SearchFunnel{{{{"a", 1}, {1, 2}, {}}}})) << "without the points not lowered";
}

TEST_F(ProposalsTest, AFunnelOfAnotherProgramIsRefused) {
  for (const char* text : {"", "7", "{}", R"({"templates":[{"template":"a","version":1,"points":[1],"knobs":{}}]})",
                           R"({"templates":[{"template":"a","version":1.5,"points":[1,2],"knobs":{}}]})"}) {
    EXPECT_THROW(decode_funnel(text), LogError) << text;
  }
}

TEST_F(ProposalsTest, TheLastFunnelOfASessionCounts) {
  const SessionId first = log_.begin_session(task_, info()), second = log_.begin_session(task_, info());
  log_.set_funnel(second, {});
  log_.set_funnel(second, kFunnel);
  const std::vector<SessionProposals> sessions = log_.proposals(task_);
  ASSERT_EQ(sessions.size(), 2);
  EXPECT_EQ(sessions[0].session, first);
  EXPECT_EQ(sessions[0].funnel, std::nullopt);
  EXPECT_EQ(sessions[1].funnel, kFunnel);
  EXPECT_THROW(log_.set_funnel(99, kFunnel), LogError);
}

TEST_F(ProposalsTest, PointsWithoutATrialAreListed) {
  const SessionId session = log_.begin_session(task_, info());
  const Batch batch = log_.commit_batch(session, 0, points(1, 3));
  log_.record(session, batch.ids[1], timed(1000));
  const Batch done = log_.commit_batch(session, 1, points(4, 1));
  log_.record(session, done.ids[0], timed(1000));
  const std::vector<SessionProposals> sessions = log_.proposals(task_);
  ASSERT_EQ(sessions.size(), 1);
  EXPECT_EQ(sessions[0].proposed, 4);
  ASSERT_EQ(sessions[0].unmeasured.size(), 2);
  EXPECT_EQ(sessions[0].unmeasured[0].config.str(), "unroll_k=1 tile_i=[4,2,14] pack_b=yes");
  EXPECT_EQ(sessions[0].unmeasured[1].config.str(), "unroll_k=3 tile_i=[4,2,14] pack_b=yes");
}

TEST_F(ProposalsTest, AnUnknownTaskHasNone) { EXPECT_THAT(log_.proposals(task_of(matmul(1, 1, 1))), IsEmpty()); }

}  // namespace
}  // namespace nestwright
