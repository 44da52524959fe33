// Pruning removes readings only, and only of trials that are of no further use.
#include "logs/upkeep/prune.h"

#include <gmock/gmock.h>

#include "logs/schema.h"
#include "logs/upkeep/delete.h"
#include "tests/logs/two_logs.h"

namespace nestwright {
namespace {

using ::testing::UnorderedElementsAre;

class PruneTest : public TwoLogs {
 protected:
  /// The numbers of the points that have their readings.
  std::vector<int> whole() {
    std::vector<int> numbers;
    for (const TrialRecord& trial : TuningLog::open(a_, OpenMode::kRead).trials({})) {
      if (!trial.measurement.timing.samples_ns.empty()) numbers.push_back(number_of(trial.point));
    }
    return numbers;
  }
};

TEST_F(PruneTest, TheBestAndWhatIsNamedStay) {
  const Recorded recorded = record(a_, task_, "2026-01-01",
                                   {{1, timed(50)},
                                    {2, timed(10)},
                                    {3, timed(20)},
                                    {4, timed(30)},
                                    {5, timed(40)},
                                    {6, disturbed(5)},
                                    {7, failed(Outcome::kCrash, "it crashed")}});
  {
    TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
    log.set_anchor(recorded.session, recorded.trials[0], 50);
  }
  const PruneResult planned = prune_log(a_, {.best = 2}, true);
  EXPECT_EQ(whole().size(), 6u) << "a dry run changes nothing";
  const PruneResult result = prune_log(a_, {.best = 2}, false);
  EXPECT_EQ(planned.emptied, 3);
  EXPECT_EQ(result.emptied, 3);
  EXPECT_EQ(result.trials, 7);
  EXPECT_EQ(planned.bytes, result.bytes);
  EXPECT_GT(result.bytes, 0);
  EXPECT_THAT(whole(), UnorderedElementsAre(1, 2, 3)) << "the anchor and the fastest two";
  expect_whole(a_);
  EXPECT_EQ(prune_log(a_, {.best = 2}, false).emptied, 0);
}

TEST_F(PruneTest, TimesOutcomesAndMessagesStay) {
  record(a_, task_, "2026-01-01", {{1, timed(10)}, {2, failed(Outcome::kCrash, "it crashed")}});
  const std::map<int, double> before = times(a_, task_);
  prune_log(a_, {.best = 0}, false);
  EXPECT_TRUE(whole().empty());
  EXPECT_EQ(times(a_, task_), before);
  TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
  EXPECT_EQ(log.failure_of(2), "crash: it crashed");
  EXPECT_EQ(log.totals(task_).trials, 2);
  EXPECT_EQ(number_of(log.best(filter_of(task_))->point), 1);
  const SessionId session = log.begin_session(task_, info());
  EXPECT_TRUE(log.commit_batch(session, 0, points(1, 2)).points.empty()) << "they are not proposed again";
  Measurement again = timed(12);
  again.timing.samples_ns = {12};
  EXPECT_TRUE(log.remeasure(session, 1, again)) << "any new measurement replaces one without readings";
}

TEST_F(PruneTest, TheFastestOfEachUnitAreTheBest) {
  record(a_, task_, "2026-01-01", {{1, timed(10)}, {2, timed(11)}});
  record(a_, task_, "2026-01-02", {{3, timed(1000)}, {4, timed(1100)}});  // of another clock, and without an anchor
  prune_log(a_, {.best = 1}, false);
  EXPECT_THAT(whole(), UnorderedElementsAre(1, 3));
}

TEST_F(PruneTest, OtherTasksAndRacesStay) {
  race(a_, record(a_, task_, "2026-01-01", {{1, timed(10)}, {2, timed(20)}, {3, timed(30)}}), "2026-01-01", {10, 20});
  record(a_, task_of(matmul(64, 64, 64)), "2026-01-01", {{4, timed(5)}});
  prune_log(a_, {.tasks = filter_of(task_), .best = 0}, false);
  EXPECT_THAT(whole(), UnorderedElementsAre(1, 2, 4));
  EXPECT_EQ(value(a_, "SELECT count(*) FROM race_entry WHERE samples_ns <> '[]'"), 2);
}

TEST_F(PruneTest, ADryRunDoesNotMigrateTheFile) {
  {
    sqlite::Database database(b_, b_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 1000);
    migrate(database, log_migrations().first(11));
  }
  prune_log(b_, {}, true);
  delete_sessions(b_, {}, true);
  EXPECT_EQ(value(b_, "PRAGMA user_version"), 11);
  prune_log(b_, {}, false);
  EXPECT_EQ(value(b_, "PRAGMA user_version"), log_migrations().back().to_version);
}

TEST_F(PruneTest, RunningSessionsKeepTheirReadings) {
  TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
  const SessionId session = log.begin_session(task_, info());
  log.record(session, log.commit_batch(session, 0, {point(1)}).ids[0], timed(10));
  EXPECT_EQ(prune_log(a_, {.best = 0}, false).emptied, 0);
  log.end_session(session, SessionStatus::kDone, "");
  EXPECT_EQ(prune_log(a_, {.best = 0}, false).emptied, 1);
}

}  // namespace
}  // namespace nestwright
