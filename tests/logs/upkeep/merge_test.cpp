// Merging adds everything once, and chooses between measurements as remeasuring does.
#include "logs/upkeep/merge.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "logs/schema.h"
#include "nestwright/error.h"
#include "tests/logs/two_logs.h"
#include "tests/logs/writer_process.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

class MergeTest : public TwoLogs {
 protected:
  /// Merges a copy of each log into a copy of the other one and expects the same times from both, which are returned.
  std::map<int, double> merged_both_ways() {
    const std::string ab = folder_.file("ab.db"), ba = folder_.file("ba.db");
    for (const auto& [first, second, both] : {std::tuple(a_, b_, ab), std::tuple(b_, a_, ba)}) {
      std::filesystem::remove(both);
      merge_log(first, both);
      merge_log(second, both);
      expect_whole(both);
    }
    EXPECT_EQ(times(ab, task_), times(ba, task_));
    return times(ab, task_);
  }
};

TEST_F(MergeTest, AddsEverythingOnce) {
  record(a_, task_, "2026-01-01", {{1, timed(10)}, {2, failed(Outcome::kCrash, "it crashed")}});
  const Recorded other = record(b_, task_, "2026-01-02", {{3, timed(30)}, {4, timed(20)}});
  race(b_, other, "2026-01-03", {30, 40});
  record(b_, task_of(matmul(64, 64, 64)), "2026-01-04", {{1, timed(5)}});
  const MergeResult added = merge_log(b_, a_);
  EXPECT_EQ(added.tasks, 1);
  EXPECT_EQ(added.sessions, 2);
  EXPECT_EQ(added.trials, 3);
  EXPECT_EQ(added.races, 1);
  EXPECT_EQ(added.replaced, 0);
  EXPECT_THAT(times(a_, task_), ElementsAre(Pair(1, 10), Pair(2, 0), Pair(3, 30), Pair(4, 20)));
  const auto best = TuningLog::open(a_, OpenMode::kRead).best(filter_of(task_));
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->source, BestSource::kRace);
  EXPECT_EQ(number_of(best->point), 3);
  expect_whole(a_);

  const MergeResult again = merge_log(b_, a_);
  EXPECT_EQ(again.tasks + again.sessions + again.trials + again.races + again.replaced, 0);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM session"), 3);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM race_entry"), 2);
}

TEST_F(MergeTest, ADatabaseThatDoesNotExistIsACopy) {
  record(a_, task_, "2026-01-01", {{1, timed(10)}});
  const MergeResult added = merge_log(a_, b_);
  EXPECT_EQ(added.trials, 1);
  EXPECT_EQ(times(b_, task_), times(a_, task_));
  EXPECT_EQ(merge_log(a_, b_).trials, 0);
}

TEST_F(MergeTest, MachinesAndBackendsStayApart) {
  record(a_, task_, "2026-01-01", {{1, timed(10)}});
  TaskKey elsewhere = task_, newer = task_;
  elsewhere.machine = "another machine";
  newer.backend = "LLVM 20";
  record(b_, elsewhere, "2026-01-01", {{1, timed(20)}});
  record(b_, newer, "2026-01-01", {{1, timed(30)}});
  EXPECT_EQ(merge_log(b_, a_).tasks, 2);
  EXPECT_THAT(times(a_, task_), ElementsAre(Pair(1, 10)));
  EXPECT_THAT(times(a_, elsewhere), ElementsAre(Pair(1, 20)));
  EXPECT_THAT(times(a_, newer), ElementsAre(Pair(1, 30)));
}

TEST_F(MergeTest, TheBetterMeasurementOfAPointStays) {
  Measurement partial = timed(9);
  partial.evidence.verified = false;
  record(a_, task_, "2026-01-01",
         {{1, timed(10)}, {2, disturbed(10)}, {3, timed(10)}, {4, timed_often(10)}, {5, partial}, {6, timed(10)}});
  record(b_, task_, "2026-01-02",
         {{1, disturbed(11)},
          {2, timed(11)},
          {3, timed_often(11)},
          {4, timed(11)},
          {5, timed(11)},
          {6, failed(Outcome::kWrongResult, "C[0, 0] is 1, not 2")}});
  EXPECT_THAT(merged_both_ways(),
              ElementsAre(Pair(1, 10), Pair(2, 11), Pair(3, 11), Pair(4, 10), Pair(5, 11), Pair(6, 0)));
  EXPECT_EQ(merge_log(b_, a_).replaced, 4);
  EXPECT_EQ(merge_log(b_, a_).replaced, 0);
}

TEST_F(MergeTest, APartDoesNotReplaceAWholeAndAWholeReplacesAPartWithItsCopies) {
  Measurement part = timed(15);
  part.evidence.verified = false;
  part.timing.part_ratio = 4;
  part.device_clock_mhz = 1000;
  {
    TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
    const SessionId session = log.begin_session(task_, info());
    const Batch batch = log.commit_batch(session, 0, points(1, 3));
    log.record(session, batch.ids[0], timed(10));
    const TrialId measured = log.record(session, batch.ids[1], part, {"c0de"});
    log.record(session, batch.ids[2], part, {"c0de", measured});
    log.end_session(session, SessionStatus::kDone, "");
    execute(a_, "UPDATE session SET started_at = '2026-01-01'");
  }
  record(b_, task_, "2026-01-02", {{1, part}, {2, timed(12)}});
  EXPECT_THAT(merged_both_ways(), ElementsAre(Pair(1, 10), Pair(2, 12), Pair(3, 12)));
  for (const char* file : {"ab.db", "ba.db"}) {
    EXPECT_EQ(value(folder_.file(file),
                    "SELECT count(*) FROM trial WHERE part_ratio IS NULL AND verified"
                    " AND device_clock_mhz = 1980"),
              3)
        << file;
  }
}

TEST_F(MergeTest, TheStateOfASessionIsThatOfTheCopyWithMoreTrials) {
  const Recorded recorded = record(a_, task_, "2026-01-01", {{1, timed(10)}, {2, timed(5)}}, SessionStatus::kKilled);
  merge_log(a_, b_);
  for (const std::string& path : {a_, b_}) execute(path, "UPDATE session SET incumbent_trial_id = 1");
  execute(a_, "UPDATE session SET incumbent_trial_id = 2");
  execute(b_, "DELETE FROM trial WHERE id = 2");
  merged_both_ways();
  for (const char* file : {"ab.db", "ba.db"}) {
    EXPECT_EQ(number_of(TuningLog::open(folder_.file(file), OpenMode::kRead).best(filter_of(task_))->point), 2) << file;
  }
  execute(b_, "UPDATE session SET status = 'running', ended_at = NULL, incumbent_trial_id = NULL");
  merge_log(a_, b_);
  EXPECT_EQ(value(b_, "SELECT incumbent_trial_id FROM session WHERE status = 'killed'"), 2);
}

TEST_F(MergeTest, RacesAndSessionsOfEqualTimesAreTheSameInTheirOrder) {
  const Recorded first = record(a_, task_, "2026-01-01", {{1, timed(10)}, {2, timed(12)}});
  race(a_, first, "2026-01-01T01", {10});
  race(a_, first, "2026-01-01T01", {10, 12});
  record(a_, task_, "2026-01-01", {{3, timed(10)}});
  execute(a_, "UPDATE session SET owner = 'the same'");
  record(b_, task_, "2026-01-02", {{4, timed(10)}});
  const MergeResult added = merge_log(a_, b_);
  EXPECT_EQ(added.races, 2);
  EXPECT_EQ(added.sessions, 2);
  const MergeResult again = merge_log(a_, b_);
  EXPECT_EQ(again.races + again.sessions + again.trials, 0);
  merge_log(b_, a_);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM race"), 2);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM session"), 3);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM race_entry"), 3);
}

TEST_F(MergeTest, TwoPointsAtOnePlaceOfABatchAreBothKept) {
  record(a_, task_, "2026-01-01", {{1, timed(10)}, {2, timed(20)}});
  merge_log(a_, b_);
  execute(a_, "UPDATE proposal SET config = 'unroll_k=7', knobs = '{\"unroll_k\":[7]}' WHERE id = 2");
  EXPECT_EQ(merge_log(a_, b_).trials, 1);
  EXPECT_EQ(merge_log(a_, b_).trials, 0);
  EXPECT_EQ(value(b_, "SELECT count(DISTINCT position) FROM proposal"), 3);
  expect_whole(b_);
}

TEST_F(MergeTest, AWriteAheadLogThatIsLeftIsNotAppliedToTheNewDatabase) {
  record(a_, task_, "2026-01-01", {{1, timed(10)}});
  std::ofstream(b_ + "-wal") << "of an earlier database";
  EXPECT_THAT([&] { merge_log(a_, b_); }, ThrowsMessage<LogError>(HasSubstr("-wal' exists and was left as it is")));
  EXPECT_FALSE(std::filesystem::exists(b_));
}

TEST_F(MergeTest, ATrialThatWasMeasuredReplacesACopyAndItsCopiesFollow) {
  const auto with_copy = [&](const std::string& path, const std::string& started_at, double ns, int measured,
                             int copy) {
    TuningLog log = TuningLog::open(path, OpenMode::kWrite);
    const SessionId session = log.begin_session(task_, info());
    const Batch batch = log.commit_batch(session, 0, {point(measured), point(copy), point(3 + measured)});
    const TrialId first = log.record(session, batch.ids[0], timed(ns), {"c0de"});
    log.record(session, batch.ids[1], timed(0), {"c0de", first});
    log.record(session, batch.ids[2], timed(0), {"c0de", first});
    log.end_session(session, SessionStatus::kDone, "");
    execute(path, "UPDATE session SET started_at = '" + started_at + "'");
  };
  with_copy(a_, "2026-01-01", 10, 1, 2);
  with_copy(b_, "2026-01-02", 20, 2, 1);
  // Both points were measured in one of the databases. The copies of both follow the trial that was theirs.
  EXPECT_THAT(merged_both_ways(), ElementsAre(Pair(1, 10), Pair(2, 20), Pair(4, 10), Pair(5, 20)));
  merge_log(b_, a_);
  EXPECT_EQ(value(a_,
                  "SELECT count(*) FROM trial JOIN trial AS measured ON measured.id = trial.same_as_trial_id"
                  " WHERE measured.same_as_trial_id IS NOT NULL"),
            0);
}

TEST_F(MergeTest, TheLastRaceAnswersAndTheWinnerThatItOmittedIsAChallenger) {
  const Recorded early = record(a_, task_, "2026-01-01", {{1, timed(10)}});
  race(a_, early, "2026-01-01T01", {10});
  const Recorded late = record(b_, task_, "2026-01-02", {{2, timed(20)}});
  race(b_, late, "2026-01-02T01", {20});
  merged_both_ways();
  for (const char* file : {"ab.db", "ba.db"}) {
    const TuningLog log = TuningLog::open(folder_.file(file), OpenMode::kRead);
    EXPECT_EQ(number_of(log.best(filter_of(task_))->point), 2) << file;
    const std::vector<TrialRecord> challengers = log.challengers(task_, 2);
    ASSERT_EQ(challengers.size(), 1u) << file;
    EXPECT_EQ(number_of(challengers[0].point), 1) << file;
  }
}

TEST_F(MergeTest, AFailureInALaterRaceCountsWhicheverDatabaseHasIt) {
  const Recorded early = record(a_, task_, "2026-01-01", {{1, timed(10)}, {2, timed(12)}});
  merge_log(a_, b_);
  race(a_, early, "2026-01-01T01", {10, 12});
  {
    TuningLog log = TuningLog::open(b_, OpenMode::kWrite);
    const SessionId session = log.begin_session(task_, info());
    Race race;
    race.entries = {{early.trials[1], "finalist", timed(12), false, {}},
                    {early.trials[0], "finalist", failed(Outcome::kWrongResult, "wrong"), false, {}}};
    race.winner = 0;
    ASSERT_FALSE(log.record_race(session, race).has_value());
    log.end_session(session, SessionStatus::kDone, "");
  }
  merged_both_ways();
  for (const char* file : {"ab.db", "ba.db"}) {
    EXPECT_EQ(number_of(TuningLog::open(folder_.file(file), OpenMode::kRead).best(filter_of(task_))->point), 2) << file;
  }
}

TEST_F(MergeTest, AnchorsAndIncumbentsAreNamedByTheirNewNumbers) {
  record(a_, task_, "2026-01-01", {{7, timed(10)}, {1, timed(10)}});
  const Recorded other = record(b_, task_, "2026-01-02", {{1, timed(11)}, {2, timed(9)}});
  {
    TuningLog log = TuningLog::open(b_, OpenMode::kWrite);
    log.set_anchor(other.session, other.trials[0], 11);
    log.set_incumbent(other.session, other.trials[1]);
  }
  merge_log(b_, a_);
  const TuningLog log = TuningLog::open(a_, OpenMode::kRead);
  const std::vector<SessionUnit> units = log.session_units(task_);
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(number_of(log.find_trial(units[1].anchor)->point), 1);
  EXPECT_EQ(units[1].anchor_ns, 11);
  EXPECT_EQ(number_of(log.best(filter_of(task_))->point), 2) << "the confirmed incumbent";
}

TEST_F(MergeTest, ADeadSessionIsKilledUntilItsEndIsKnown) {
  const Recorded recorded = record(b_, task_, "2026-01-01", {{1, timed(10)}});
  execute(b_, "UPDATE session SET status = 'running', ended_at = NULL");
  record(a_, task_of(matmul(64, 64, 64)), "2026-01-01", {{1, timed(5)}});
  merge_log(b_, a_);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM session WHERE status = 'killed' AND ended_at <> ''"), 1);
  execute(b_, "UPDATE session SET status = 'done', reason = 'its time was over', ended_at = '2026-01-02'");
  EXPECT_EQ(merge_log(b_, a_).sessions, 0);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM session WHERE status = 'done' AND reason = 'its time was over'"), 1);
}

TEST_F(MergeTest, LimitsAreTheHigherOnes) {
  TuningLog::open(a_, OpenMode::kWrite).raise_limits("m", {100, 20});
  {
    TuningLog log = TuningLog::open(b_, OpenMode::kWrite);
    log.raise_limits("m", {90, 30});
    log.raise_limits("n", {1, 2});
  }
  merge_log(b_, a_);
  TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
  const MachineLimits limits = log.raise_limits("m", {0, 0});
  EXPECT_EQ(limits.fma_gflops, 100);
  EXPECT_EQ(limits.read_gb_s, 30);
  EXPECT_EQ(log.raise_limits("n", {0, 0}).fma_gflops, 1);
}

TEST_F(MergeTest, AnOlderSchemaIsMigratedInACopy) {
  record(a_, task_, "2026-01-01", {{1, timed(10)}});
  {
    sqlite::Database database(b_, b_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 1000);
    migrate(database, log_migrations().first(5));
    database.execute(
        "INSERT INTO target VALUES (1, 'cpu,isa=avx512,threads=2', 'made-up machine', 'LLVM 19.1.7', 2);"
        "INSERT INTO workload VALUES (1, 'matmul m=512 n=512 k=512', 'matmul', 'float32', '{}', 1);"
        "INSERT INTO task VALUES (1, 1, 1, 0, 'warm', 'small', 'none');"
        "INSERT INTO session VALUES (1, 1, '1', 's', 'c', '{}', 'done', '', 'o', '2025', NULL)");
  }
  const auto content = [&] {
    std::ifstream file(b_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = content();
  EXPECT_EQ(merge_log(b_, a_).sessions, 1);
  EXPECT_EQ(merge_log(b_, a_).sessions, 0);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM session WHERE rule = 1"), 1);
  EXPECT_TRUE(content() == before) << "the older database was changed";
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_THAT(entry.path().filename(), ::testing::AnyOf("a.db", "b.db", "a.db-sessions"));
  }
}

TEST_F(MergeTest, ForeignRecordsKeepTheirSource) {
  TaskKey foreign = task_of(matmul(8, 8, 8));
  foreign.workload.source = "T4";
  record(b_, foreign, "2026-01-01", {{1, timed(10)}});
  record(a_, task_, "2026-01-01", {{1, timed(10)}});
  merge_log(b_, a_);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM workload WHERE source = 'T4'"), 1);
  foreign.workload.source = "";
  const std::string c = folder_.file("c.db");
  record(c, foreign, "2026-01-01", {{1, timed(10)}});
  EXPECT_THAT([&] { merge_log(c, a_); }, ThrowsMessage<LogError>(HasSubstr("was imported from another tuner")));
}

TEST_F(MergeTest, WhatCannotBeMergedIsRefused) {
  record(a_, task_, "2026-01-01", {{1, timed(10)}});
  EXPECT_THAT([&] { merge_log(a_, a_); }, ThrowsMessage<LogError>(HasSubstr("into itself")));
  EXPECT_THAT([&] { merge_log(folder_.file("none.db"), b_); }, ThrowsMessage<LogError>(HasSubstr("does not exist")));
  EXPECT_FALSE(std::filesystem::exists(b_));
  std::ofstream(folder_.file("text")) << "no database";
  EXPECT_THAT([&] { merge_log(folder_.file("text"), a_); },
              ThrowsMessage<LogError>(HasSubstr("is not a database of nestwright")));
  EXPECT_THAT([&] { merge_log(a_, folder_.file("text")); },
              ThrowsMessage<LogError>(HasSubstr("is not a database of nestwright")));
  TuningLog running = TuningLog::open(b_, OpenMode::kWrite);
  const SessionId session = running.begin_session(task_, info());
  EXPECT_THAT([&] { merge_log(b_, a_); }, ThrowsMessage<LogError>(HasSubstr("session 1 of database")));
  EXPECT_THAT([&] { merge_log(b_, folder_.file("new.db")); }, ThrowsMessage<LogError>(HasSubstr("is running")));
  EXPECT_THAT([&] { merge_log(a_, b_); }, ThrowsMessage<LogError>(HasSubstr("is running")));
  running.end_session(session, SessionStatus::kDone, "");
  EXPECT_EQ(merge_log(b_, a_).sessions, 1);
}

TEST_F(MergeTest, AKilledMergeLeavesAllOrNothing) {
  std::vector<std::pair<int, Measurement>> many;
  for (int i = 0; i < 150; ++i) many.emplace_back(i, timed(100 + i));
  record(b_, task_, "2026-01-02", many);
  record(a_, task_, "2026-01-01", {{1000, timed(10)}});
  int all = 0, nothing = 0;
  for (int round = 0; round < 14; ++round) {
    const std::string target = folder_.file("target.db");
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(target + end);
    std::filesystem::copy_file(a_, target);
    {
      WriterProcess merger({"merge", b_, target});
      ASSERT_EQ(merger.read_line(), "begins");
      usleep(1500 * round);
      merger.kill_and_wait();
    }
    const std::size_t trials = times(target, task_).size();
    EXPECT_TRUE(trials == 1 || trials == 151) << trials;
    ++(trials == 1 ? nothing : all);
    expect_whole(target);
    merge_log(b_, target);
    EXPECT_EQ(times(target, task_).size(), 151u);
  }
  EXPECT_GT(nothing, 0) << "no merge was killed before its end";
}

}  // namespace
}  // namespace nestwright
