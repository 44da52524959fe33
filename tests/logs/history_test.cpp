// The trials from which a search continues, and the totals that triggers maintain.
#include <gmock/gmock.h>

#include <algorithm>

#include "logs/sqlite/database.h"
#include "nestwright/database.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

class HistoryTest : public ::testing::Test {
 protected:
  /// Records a session whose trials take these times, in ns.
  SessionId record(const std::vector<double>& times) {
    const SessionId session = log_.begin_session(task_, info());
    const Batch batch =
        log_.commit_batch(session, log_.next_batch_number(task_), points(proposed_, static_cast<int>(times.size())));
    proposed_ += static_cast<int>(times.size());
    for (std::size_t i = 0; i < times.size(); ++i)
      trials_.push_back(log_.record(session, batch.ids[i], timed(times[i])));
    return session;
  }
  std::vector<double> history(std::int64_t latest, std::int64_t fastest) const {
    std::vector<double> times;
    for (const TrialRecord& trial : log_.history(task_, latest, fastest)) {
      times.push_back(trial.measurement.timing.median_ns);
    }
    return times;
  }
  std::int64_t number(const std::string& sql) const {
    const sqlite::Database database(path_, path_, SQLITE_OPEN_READONLY, 0);
    sqlite::Statement select = database.prepare(sql);
    return select.step() ? select.integer(0) : -1;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("log.db");
  TuningLog log_ = TuningLog::open(path_, OpenMode::kWrite);
  TaskKey task_ = task_of(matmul(512, 512, 512));
  std::vector<TrialId> trials_;
  int proposed_ = 0;
};

TEST_F(HistoryTest, AShortOneIsAllThatWasRecorded) {
  EXPECT_THAT(history(10, 1), ElementsAre());
  record({50, 30, 40});
  record({20, 60});
  EXPECT_THAT(history(10, 1), ElementsAre(50, 30, 40, 20, 60));
}

TEST_F(HistoryTest, ALongOneIsTheLatestAndTheFastestOfEachSession) {
  record({50, 30, 40});
  record({20, 60, 70});
  EXPECT_THAT(history(2, 1), ElementsAre(30, 20, 60, 70));
  EXPECT_THAT(history(2, 2), ElementsAre(30, 40, 20, 60, 70));
}

TEST_F(HistoryTest, SessionsWithoutTrialsTakeNoPlace) {
  record({50, 30, 40});
  for (int i = 0; i < 10; ++i) log_.begin_session(task_, {.strategy = "revalidate"});
  record({20, 60, 70});
  EXPECT_THAT(history(2, 1), ElementsAre(30, 20, 60, 70));
}

TEST_F(HistoryTest, ALongOneHoldsWhatSessionsAndRacesName) {
  const SessionId first = record({50, 30, 40, 45, 46});
  record({20, 60, 70});
  log_.set_anchor(first, trials_[0], 50);
  log_.set_incumbent(first, trials_[2]);
  Race race;
  race.entries = {{trials_[2], "finalist", timed(40), false, {}}, {trials_[3], "finalist", timed(39), false, {}}};
  race.winner = 1;
  ASSERT_FALSE(log_.record_race(first, race));
  EXPECT_THAT(history(1, 0), ElementsAre(50, 40, 45, 70));
}

TEST_F(HistoryTest, OtherTasksAreNotAmongIt) {
  record({50});
  EXPECT_TRUE(log_.history(task_of(matmul(64, 64, 64)), 10, 1).empty());
}

TEST_F(HistoryTest, TotalsFollowWhatIsWrittenHoweverItIsWritten) {
  EXPECT_EQ(log_.totals(task_).trials, 0);
  const SessionId session = record({50, 30, 40});
  const Measurement one = timed(1);
  const double each = 1e-3 * (one.compile_ms + one.check_ms + one.measure_ms);
  EXPECT_EQ(log_.totals(task_).trials, 3);
  EXPECT_NEAR(log_.totals(task_).seconds, 3 * each, 1e-9);
  EXPECT_EQ(log_.totals(task_of(matmul(64, 64, 64))).trials, 0);

  log_.remeasure(session, trials_[0], timed(45));
  EXPECT_EQ(log_.totals(task_).trials, 3);
  EXPECT_NEAR(log_.totals(task_).seconds, 4 * each - 1e-3 * one.compile_ms, 1e-9);
  sqlite::Database(path_, path_, SQLITE_OPEN_READWRITE, 1000).execute("DELETE FROM trial WHERE id = 2");
  EXPECT_EQ(log_.totals(task_).trials, 2);
  EXPECT_EQ(number("SELECT sum(unmeasured) FROM batch"), 1);
}

TEST_F(HistoryTest, ABatchKnowsHowManyOfItsPointsWait) {
  const SessionId session = log_.begin_session(task_, info());
  const Batch batch = log_.commit_batch(session, 0, points(0, 3));
  EXPECT_EQ(number("SELECT unmeasured FROM batch"), 3);
  log_.record(session, batch.ids[1], timed(10));
  EXPECT_EQ(number("SELECT unmeasured FROM batch"), 2);
}

TEST_F(HistoryTest, UnfinishedBatchesAreFoundByTheirIndex) {
  const sqlite::Database database(path_, path_, SQLITE_OPEN_READONLY, 0);
  sqlite::Statement plan = database.prepare(
      "EXPLAIN QUERY PLAN SELECT id FROM batch WHERE session_id = 1 AND batch.unmeasured > 0 ORDER BY id LIMIT 1");
  ASSERT_TRUE(plan.step());
  EXPECT_THAT(plan.text(3), ::testing::HasSubstr("unfinished_batch"));
}

}  // namespace
}  // namespace nestwright
