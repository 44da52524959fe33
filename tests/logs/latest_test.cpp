// The latest session or race is that of the latest time, whatever its number is in a merged database.
#include <gmock/gmock.h>

#include "logs/listing/log_reader.h"
#include "logs/upkeep/merge.h"
#include "tests/logs/two_logs.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

class LatestTest : public TwoLogs {
 protected:
  /// Merges an older session into a database that has a later one, which has the lower number then.
  void SetUp() override {
    race(a_, record(a_, task_, "2026-01-02", {{1, timed(10)}, {2, timed(11)}}), "2026-01-02T01", {10});
    race(b_, record(b_, task_, "2026-01-01", {{3, timed(30)}, {4, timed(31)}}), "2026-01-01T01", {30});
    merge_log(b_, a_);
  }
};

TEST_F(LatestTest, RacesAreInTheOrderOfTheirTimes) {
  const LogReader reader(a_);
  std::vector<std::string> times;
  for (const RecordedRace& race : reader.races(reader.tasks(filter_of(task_)).at(0))) {
    times.push_back(race.recorded_at);
  }
  EXPECT_THAT(times, ElementsAre("2026-01-01T01", "2026-01-02T01"));
}

TEST_F(LatestTest, TrialsAreThoseOfTheLatestSession) {
  const TuningLog log = TuningLog::open(a_, OpenMode::kRead);
  const std::vector<TrialRecord> latest = log.trials(filter_of(task_), 2);
  ASSERT_EQ(latest.size(), 2u);
  EXPECT_EQ(number_of(latest[0].point), 1);
  EXPECT_EQ(number_of(latest[1].point), 2);
  std::vector<int> history;
  for (const TrialRecord& trial : log.history(task_, 2, 0)) history.push_back(number_of(trial.point));
  EXPECT_THAT(history, ElementsAre(1, 2, 3)) << "the latest, and the winners of races";
}

TEST_F(LatestTest, RelativesAreOfTheLatestSessions) {
  // The older session has so many trials that they would be all of the relatives.
  execute(a_, R"sql(
INSERT INTO proposal(batch_id, position, space_id, config, knobs, origin)
  WITH RECURSIVE number(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM number WHERE n < 2299)
  SELECT batch_id, n, space_id, 'unroll_k=' || n, json_object('unroll_k', json_array(n)), origin
  FROM number JOIN proposal ON proposal.id = 4;
INSERT INTO trial(proposal_id, session_id, outcome, message, median_ns, samples_ns, raw_ns, fma_ns, ended_early, verified,
                  compile_ms, check_ms, measure_ms, recorded_at)
  SELECT proposal.id, 2, 0, '', 50, '[]', '[]', '[]', 0, 1, 1, 1, 1, trial.recorded_at
  FROM proposal JOIN trial ON trial.id = 4 WHERE proposal.id > 4;
)sql");
  const std::vector<RelatedTask> related =
      TuningLog::open(a_, OpenMode::kRead).relatives(task_of(matmul(64, 64, 64)), 10);
  ASSERT_EQ(related.size(), 1u);
  EXPECT_EQ(related[0].trials.size(), 1998u) << "two of the latest 2000 are of the other session, in another unit";
}

}  // namespace
}  // namespace nestwright
