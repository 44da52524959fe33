// What the log calls best, and what it never does.
#include <gmock/gmock.h>

#include "logs/tuning_log.h"
#include "support/error.h"
#include "tests/logs/sample.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using testing::HasSubstr;

class BestTest : public testing::Test {
 protected:
  /// Records one trial for each measurement in a session of its own, which stays open.
  SessionId run(const TaskKey& task, const std::vector<Measurement>& measurements, int version = 1) {
    const SessionId session = log_.begin_session(task, info());
    std::vector<Proposal> proposals;
    for (std::size_t i = 0; i < measurements.size(); ++i) proposals.push_back(point(next_point_++, version));
    const Batch batch = log_.commit_batch(session, 0, proposals);
    trials_.clear();
    for (std::size_t i = 0; i < measurements.size(); ++i) {
      trials_.push_back(log_.record(session, batch.proposals[i].id, measurements[i]));
    }
    return session;
  }
  static Race race_of(const std::vector<std::pair<TrialId, double>>& entries, int winner) {
    Race race;
    for (const auto& [trial, median] : entries) race.entries.push_back({trial, "finalist", timed(median)});
    race.winner = winner;
    return race;
  }
  std::optional<BestRecord> best(const std::vector<TemplateVersion>& templates = {}) {
    return log_.best(filter_of(task_), templates);
  }

  TemporaryFolder folder_;
  TuningLog log_ = TuningLog::open(folder_.file("log.db"), OpenMode::kWrite);
  TaskKey task_ = task_of(matmul(512, 512, 512));
  std::vector<TrialId> trials_;  ///< of the last run()
  int next_point_ = 0;
};

TEST_F(BestTest, NothingRecordedIsNoAnswer) {
  EXPECT_FALSE(best());
  run(task_, {failed(Outcome::kCrash, "SIGSEGV")});
  EXPECT_FALSE(best());
  EXPECT_TRUE(log_.list({}).empty());
}

TEST_F(BestTest, OnlyVerifiedTrialsThatRanToTheEnd) {
  Measurement unverified = timed(10), early = timed(20), wrong = timed(30);
  unverified.evidence.verified = false;
  early.timing.ended_early = true;
  wrong.outcome = Outcome::kWrongResult;
  run(task_, {unverified, early, wrong, timed(100), timed(90)});
  const auto record = best();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->timing.median_ns, 90);
  EXPECT_EQ(record->trial, trials_[4]);
  EXPECT_FALSE(record->from_race);
  EXPECT_EQ(record->match, MatchKind::kExact);
  EXPECT_EQ(record->trials, 5);
  EXPECT_TRUE(record->evidence.verified);
  EXPECT_EQ(record->task.workload.text, task_.workload.text);
  EXPECT_EQ(record->task.machine, "made-up machine");
  EXPECT_DOUBLE_EQ(record->gflops(), 2.0 * 512 * 512 * 512 / 90);
  EXPECT_THAT(record->recorded_at, testing::MatchesRegex("20..-..-..T..:..:..\\....Z"));
}

TEST_F(BestTest, WithoutARaceTheBusiestSessionAnswers) {
  run(task_, {timed(100), timed(90), timed(95)});
  run(task_, {timed(10)});  // its clock may have run faster: not comparable
  EXPECT_EQ(best()->timing.median_ns, 90);
}

TEST_F(BestTest, TheLastRaceDecides) {
  const SessionId first = run(task_, {timed(100), timed(90)});
  const std::vector<TrialId> old = trials_;
  // In the race the first one turns out faster.
  EXPECT_FALSE(log_.record_race(first, race_of({{old[0], 80}, {old[1], 85}}, 0)));
  log_.end_session(first, SessionStatus::kDone, "trials");
  EXPECT_EQ(best()->trial, old[0]);
  EXPECT_EQ(best()->timing.median_ns, 80);
  EXPECT_TRUE(best()->from_race);
  EXPECT_EQ(best()->pipeline, Pipeline::kFinal);

  const SessionId second = run(task_, {timed(50), timed(60), timed(70)});  // a faster clock
  EXPECT_EQ(best()->trial, old[0]) << "raw times of another session do not count";
  EXPECT_FALSE(log_.record_race(second, race_of({{trials_[0], 55}, {old[0], 52}}, 1)));
  EXPECT_EQ(best()->trial, old[0]) << "the stored best won again";
  EXPECT_EQ(best()->timing.median_ns, 52);
  EXPECT_EQ(best()->session, second);
  EXPECT_EQ(best()->trials, 5);
}

TEST_F(BestTest, ARaceWithoutTheStoredBestIsSentBack) {
  const SessionId first = run(task_, {timed(100)});
  const TrialId stored = trials_[0];
  const SessionId second = run(task_, {timed(90)});
  ASSERT_FALSE(log_.record_race(first, race_of({{stored, 100}}, 0)));
  const Race incomplete = race_of({{trials_[0], 90}}, 0);
  const auto missing = log_.record_race(second, incomplete);
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->trial, stored);
  EXPECT_EQ(best()->trial, stored) << "nothing was written";
  EXPECT_FALSE(log_.record_race(second, race_of({{trials_[0], 90}, {stored, 101}}, 0)));
  EXPECT_EQ(best()->trial, trials_[0]);
}

TEST_F(BestTest, RacesThatProveNothingAreRefused) {
  const SessionId session = run(task_, {timed(100)});
  const auto refusal = [&](Race race) -> std::string {
    return message<LogError>([&] { log_.record_race(session, race); });
  };
  Race race = race_of({{trials_[0], 100}}, 0);
  race.entries[0].measurement.evidence.verified = false;
  EXPECT_THAT(refusal(race), HasSubstr("can only be won by an entry that was checked"));
  EXPECT_THAT(refusal(race_of({{trials_[0], 100}}, 1)), HasSubstr("needs a winner"));
  EXPECT_THAT(refusal(race_of({}, 0)), HasSubstr("needs a winner"));
  EXPECT_THAT(refusal(race_of({{12345, 100}}, 0)), HasSubstr("trial 12345"));
  const TrialId own = trials_[0];
  run(task_of(matmul(64, 64, 64)), {timed(1)});
  EXPECT_THAT(refusal(race_of({{own, 100}, {trials_[0], 1}}, 1)), HasSubstr("not one of the task"));
  EXPECT_FALSE(best()->from_race);
}

TEST_F(BestTest, OtherVersionsOfTheTemplateArePassedOver) {
  const SessionId first = run(task_, {timed(100)}, 1);
  const TrialId old = trials_[0];
  log_.record_race(first, race_of({{old, 100}}, 0));
  EXPECT_FALSE(best({{"matmul.cpu", 2}}));
  const SessionId second = run(task_, {timed(120)}, 2);
  EXPECT_EQ(best({{"matmul.cpu", 2}})->trial, trials_[0]);
  EXPECT_EQ(best({{"matmul.cpu", 1}})->trial, old);
  EXPECT_FALSE(log_.record_race(second, race_of({{trials_[0], 120}}, 0), {{"matmul.cpu", 2}}))
      << "what cannot be instantiated any more need not be raced";
  EXPECT_EQ(best()->trial, trials_[0]);
  EXPECT_EQ(best({{"other", 1}, {"matmul.cpu", 1}})->trial, old);
}

TEST_F(BestTest, TopStaysWithinOneSession) {
  run(task_, {timed(1)});
  const SessionId session = run(task_, {timed(100), timed(90), timed(95), timed(110), failed(Outcome::kTimeout, "")});
  log_.record_race(session, race_of({{trials_[1], 91}, {trials_[2], 89}, {trials_[0], 99}}, 1));
  std::vector<TrialId> order;
  for (const BestRecord& record : log_.top(filter_of(task_), 10)) order.push_back(record.trial);
  EXPECT_EQ(order, (std::vector<TrialId>{trials_[2], trials_[1], trials_[0], trials_[3]}));
  EXPECT_EQ(log_.top(filter_of(task_), 2).size(), 2u);
  EXPECT_TRUE(log_.top(filter_of(task_of(matmul(1, 1, 1))), 2).empty());
}

TEST_F(BestTest, ChallengersAreWhatNoRaceHasSeen) {
  const SessionId raced = run(task_, {timed(100), timed(90)});
  log_.record_race(raced, race_of({{trials_[1], 90}}, 0));
  log_.end_session(raced, SessionStatus::kDone, "");
  Measurement early = timed(1);
  early.timing.ended_early = true;
  const SessionId killed = run(task_, {timed(80), early, timed(70), timed(75)});
  const std::vector<TrialId> left = trials_;
  EXPECT_TRUE(log_.challengers(task_, 2).empty()) << "a running session races its own";
  log_.end_session(killed, SessionStatus::kKilled, "");
  const auto challengers = log_.challengers(task_, 2);
  ASSERT_EQ(challengers.size(), 2u);
  EXPECT_EQ(challengers[0].id, left[2]);
  EXPECT_EQ(challengers[1].id, left[3]);
  const SessionId next = run(task_, {timed(60)});
  const TrialId stored = best()->trial;
  EXPECT_FALSE(log_.record_race(next, race_of({{trials_[0], 60}, {left[2], 70}, {stored, 90}}, 0)));
  EXPECT_TRUE(log_.challengers(task_, 2).empty()) << "raced once is raced";
}

TEST_F(BestTest, NearestShapeInLogSpace) {
  run(task_of(matmul(256, 512, 512)), {timed(50)});                // 1 away from 512^3
  run(task_of(matmul(500, 500, 500)), {timed(95)});                // about 0.06
  run(task_of(matmul(512, 512, 512, "float64")), {timed(10)});     // another type
  run(task_of(matmul(512, 512, 512, "float32", 1)), {timed(10)});  // another flag
  const auto near = log_.nearest(matmul(512, 512, 512), {}, 10);
  ASSERT_EQ(near.size(), 2u);
  EXPECT_EQ(near[0].task.workload.text, matmul(500, 500, 500).text);
  EXPECT_EQ(near[0].match, MatchKind::kNearest);
  EXPECT_NEAR(near[0].distance, 0.0593, 0.0001);
  EXPECT_DOUBLE_EQ(near[1].distance, 1);
  EXPECT_EQ(log_.nearest(matmul(512, 512, 512), {}, 1).size(), 1u);

  TaskFilter elsewhere;
  elsewhere.target = "cpu,isa=avx2,threads=2";
  EXPECT_TRUE(log_.nearest(matmul(512, 512, 512), elsewhere, 10).empty());
}

TEST_F(BestTest, FindBestPrefersExactThenWhatFits) {
  run(task_of(matmul(256, 512, 512)), {timed(50)});
  run(task_of(matmul(500, 500, 500)), {timed(95)});
  const auto find = [&](std::int64_t m, bool fits_odd) {
    return find_best(log_, matmul(m, 512, 512), {}, {}, [&](const BestRecord& record) {
      return fits_odd || record.task.workload.parameters[0].value != "500";
    });
  };
  EXPECT_EQ(find(256, true)->match, MatchKind::kExact);
  EXPECT_EQ(find(512, true)->task.workload.text, matmul(500, 500, 500).text);
  EXPECT_EQ(find(512, false)->task.workload.text, matmul(256, 512, 512).text);
  EXPECT_FALSE(find_best(log_, matmul(512, 512, 512), {}, {}, [](const BestRecord&) { return false; }));
  EXPECT_STREQ(match_name(MatchKind::kNearest), "nearest");
}

TEST_F(BestTest, TheLatestOfSeveralMachinesAndTheOneAskedFor) {
  TaskKey other = task_;
  other.machine = "another machine";
  run(task_, {timed(100)});
  usleep(2000);  // recorded_at has milliseconds
  run(other, {timed(200)});
  TaskFilter filter = filter_of(task_);
  filter.machine.clear();
  EXPECT_EQ(log_.best(filter)->task.machine, "another machine");
  EXPECT_EQ(best()->task.machine, "made-up machine");
}

}  // namespace
}  // namespace nestwright
