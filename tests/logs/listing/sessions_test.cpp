#include "logs/listing/log_reader.h"

#include <gmock/gmock.h>

#include "tests/logs/two_logs.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

class ListedSessionsTest : public TwoLogs {
 protected:
  std::vector<SessionId> listed(const SessionFilter& filter) {
    std::vector<SessionId> ids;
    for (const ListedSession& session : LogReader(a_).sessions(filter).sessions) ids.push_back(session.id);
    return ids;
  }
};

TEST_F(ListedSessionsTest, HaveTheirCountsAndTheirBest) {
  Measurement early = timed(5);
  early.timing.ended_early = true;
  const Recorded recorded = record(a_, task_, "2026-01-01T00:00:00.000Z",
                                   {{1, timed(30)},
                                    {2, timed(20)},
                                    {3, early},
                                    {4, disturbed(10)},
                                    {5, failed(Outcome::kCrash, "")},
                                    {6, failed(Outcome::kWrongResult, "")},
                                    {7, failed(Outcome::kWrongResult, "")}});
  execute(a_, "UPDATE session SET ended_at = '2026-01-01T00:01:15.500Z'");
  const SessionListing listing = LogReader(a_).sessions({});
  ASSERT_EQ(listing.sessions.size(), 1u);
  const ListedSession& session = listing.sessions[0];
  EXPECT_EQ(session.task.workload.text, "matmul m=512 n=512 k=512");
  EXPECT_EQ(session.seed, "7");
  EXPECT_EQ(session.strategy, "evolutionary");
  EXPECT_EQ(session.status, "done");
  EXPECT_NEAR(session.seconds.value(), 75.5, 1e-3);
  EXPECT_EQ(session.trials, 7);
  EXPECT_EQ(session.timed, 4);
  ASSERT_EQ(session.not_timed.size(), 2u);
  EXPECT_EQ(session.not_timed[0].outcome, Outcome::kCrash);
  EXPECT_EQ(session.not_timed[0].trials, 1);
  EXPECT_EQ(session.not_timed[1].outcome, Outcome::kWrongResult);
  EXPECT_EQ(session.not_timed[1].trials, 2);
  EXPECT_EQ(session.best, recorded.trials[1]);
  EXPECT_EQ(session.best_ns, 20);
  EXPECT_FALSE(session.is_held);
}

TEST_F(ListedSessionsTest, AreInTheOrderInWhichTheyBegan) {
  record(a_, task_, "2026-01-03", {{1, timed(1)}});
  record(a_, task_of(matmul(64, 64, 64)), "2026-01-01", {{1, timed(1)}});
  record(a_, task_, "2026-01-02", {{2, timed(1)}});
  EXPECT_THAT(listed({}), ElementsAre(2, 3, 1));
  EXPECT_THAT(listed({.limit = 2}), ElementsAre(3, 1));
  EXPECT_EQ(LogReader(a_).sessions({.limit = 2}).matching, 3);
  EXPECT_THAT(listed({.since = "2026-01-02"}), ElementsAre(3, 1));
  EXPECT_THAT(listed({.session = 2}), ElementsAre(2));
  EXPECT_THAT(listed({.tasks = filter_of(task_)}), ElementsAre(3, 1));
  EXPECT_THAT(listed({.tasks = {.target = "cuda"}}), ElementsAre());
}

TEST_F(ListedSessionsTest, AreHeldWhileTheirProcessWorksOnThem) {
  TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
  const SessionId session = log.begin_session(task_, info());
  EXPECT_TRUE(LogReader(a_).sessions({}).sessions.at(0).is_held);
  EXPECT_FALSE(LogReader(a_).sessions({}).sessions.at(0).seconds.has_value());
  log.end_session(session, SessionStatus::kDone, "");
  EXPECT_FALSE(LogReader(a_).sessions({}).sessions.at(0).is_held);
}

}  // namespace
}  // namespace nestwright
