// Measurements that replace recorded ones.
#include "nestwright/error.h"
#include "tests/logs/recorded_runs.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

class RemeasureTest : public RecordedRuns {
 protected:
  std::string refusal(SessionId session, TrialId trial, const Measurement& measurement) {
    return message<LogError>([&] { log_.remeasure(session, trial, measurement); });
  }
  TrialRecord recorded(TrialId trial) {
    for (const TrialRecord& record : log_.trials(filter_of(task_))) {
      if (record.id == trial) return record;
    }
    throw InternalError("no such trial");
  }
};

TEST_F(RemeasureTest, ADisturbedTimingIsReplacedWhole) {
  const SessionId session = run({disturbed(70), timed(90)});
  Measurement again = timed(100);
  again.timing.walk_ns = {7, 8};
  again.timing.samples_ns = {99};
  again.compile_ms = 1000;
  again.check_ms = 1;
  again.measure_ms = 2;
  again.device_clock_mhz = 1500;
  again.evidence.largest_error = 0.5;
  again.resources.clear();
  const TrialRecord before = recorded(trials_[0]);
  log_.remeasure(session, trials_[0], again);
  const TrialRecord after = recorded(trials_[0]);
  EXPECT_EQ(after.measurement.timing.median_ns, 100);
  EXPECT_EQ(after.measurement.timing.samples_ns, again.timing.samples_ns);
  EXPECT_EQ(after.measurement.timing.walk_ns, again.timing.walk_ns);
  EXPECT_EQ(after.measurement.timing.disturbance, "");
  EXPECT_EQ(after.measurement.evidence.largest_error, 0.5);
  EXPECT_EQ(after.measurement.device_clock_mhz, 1500);
  EXPECT_EQ(after.measurement.compile_ms, before.measurement.compile_ms) << "nothing was compiled";
  EXPECT_EQ(after.measurement.check_ms, before.measurement.check_ms + 1);
  EXPECT_EQ(after.measurement.measure_ms, before.measurement.measure_ms + 2);
  EXPECT_EQ(after.measurement.resources.size(), 2u);
  EXPECT_EQ(after.point.config.str(), before.point.config.str());
  EXPECT_EQ(recorded(trials_[1]).measurement.timing.median_ns, 90) << "the other one";
  log_.set_incumbent(session, trials_[0]);
  EXPECT_EQ(best()->timing.median_ns, 100);
}

TEST_F(RemeasureTest, TheTrialIsTheSessionsThatMeasuredItLast) {
  const SessionId first = run({disturbed(70), timed(60)});
  const TrialId trial = trials_[0];
  log_.set_anchor(first, trials_[1], 60);
  const SessionId second = run({timed(90)});
  log_.set_anchor(second, trials_[0], 90);
  log_.remeasure(second, trial, timed(100));
  EXPECT_EQ(recorded(trial).session, second);
  EXPECT_EQ(recorded(trial).unit.anchor_ns, 90);
}

TEST_F(RemeasureTest, TrialsOfTheSameCodeFollow) {
  const SessionId first = log_.begin_session(task_, info());
  const Batch batch = log_.commit_batch(first, 0, points(0, 3));
  const TrialId measured = log_.record(first, batch.ids[0], disturbed(70), {"c0de", 0});
  Measurement taken = disturbed(70);
  taken.check_ms = taken.measure_ms = 0;
  const TrialId copy = log_.record(first, batch.ids[1], taken, {"c0de", measured});
  const TrialId other = log_.record(first, batch.ids[2], timed(80), {"f00d", 0});
  const SessionId second = log_.begin_session(task_, info());
  log_.remeasure(second, measured, timed(100));
  EXPECT_EQ(recorded(copy).measurement.timing.median_ns, 100);
  EXPECT_FALSE(recorded(copy).measurement.timing.is_disturbed());
  EXPECT_EQ(recorded(copy).session, first);
  EXPECT_EQ(recorded(copy).unit.session, second);
  EXPECT_EQ(recorded(copy).measurement.measure_ms, 0) << "nothing of it was run";
  EXPECT_EQ(recorded(other).measurement.timing.median_ns, 80);
  EXPECT_EQ(refusal(second, copy, timed(100)), "trial " + std::to_string(copy) + " of database '" + path_ +
                                                   "' takes the measurement of trial " + std::to_string(measured) +
                                                   ": measure that one again");
}

TEST_F(RemeasureTest, MoreSamplesOrAFailureReplaceAnUndisturbedTiming) {
  const SessionId session = run({timed(70)});
  Measurement more = timed(80);
  more.timing.samples_ns = {79, 80, 81, 82};
  EXPECT_TRUE(log_.remeasure(session, trials_[0], more));
  EXPECT_EQ(recorded(trials_[0]).measurement.timing.median_ns, 80);
  EXPECT_FALSE(log_.remeasure(session, trials_[0], timed(60))) << "fewer samples";
  Measurement noisy = more;
  noisy.timing.disturbance = "steal of 12%";
  EXPECT_FALSE(log_.remeasure(session, trials_[0], noisy));
  EXPECT_EQ(recorded(trials_[0]).measurement.timing.median_ns, 80);
  EXPECT_TRUE(log_.remeasure(session, trials_[0], failed(Outcome::kWrongResult, "C[0, 0] is 1, not 2")));
  EXPECT_EQ(recorded(trials_[0]).measurement.outcome, Outcome::kWrongResult);
  EXPECT_EQ(recorded(trials_[0]).measurement.message, "C[0, 0] is 1, not 2");
  EXPECT_TRUE(log_.remeasure(session, trials_[0], timed(60))) << "what failed had no timing";
}

TEST_F(RemeasureTest, OnlyTrialsOfTheTask) {
  const SessionId session = run({disturbed(70)});
  run(task_of(matmul(64, 64, 64)), {disturbed(1)});
  EXPECT_THAT(refusal(session, trials_[0], timed(100)), HasSubstr("is not one of the task of session"));
  EXPECT_THAT(refusal(session, 99, timed(100)), HasSubstr("trial 99 of database"));
  EXPECT_THAT(refusal(99, trials_[0], timed(100)), HasSubstr("has no session 99"));
}

TEST_F(RemeasureTest, APartIsNeverTheBestUntilItsWholeReplacesIt) {
  Measurement part = timed(50);
  part.evidence.verified = false;
  part.timing.part_ratio = 8;
  const SessionId session = run({timed(90), part});
  EXPECT_EQ(recorded(trials_[1]).measurement.timing.part_ratio, 8);
  EXPECT_EQ(recorded(trials_[0]).measurement.timing.part_ratio, 0);
  EXPECT_FALSE(log_.may_be_best(trials_[1]));
  EXPECT_THAT(message<LogError>([&] { log_.set_incumbent(session, trials_[1]); }), HasSubstr("cannot be an incumbent"));
  EXPECT_FALSE(log_.remeasure(session, trials_[1], disturbed(60))) << "the part was not disturbed";
  Measurement whole = timed(55);
  whole.timing.samples_ns = {55};
  EXPECT_TRUE(log_.remeasure(session, trials_[1], whole, "code of the whole"));
  EXPECT_EQ(recorded(trials_[1]).measurement.timing.part_ratio, 0);
  EXPECT_EQ(recorded(trials_[1]).measurement.timing.median_ns, 55);
  EXPECT_EQ(recorded(trials_[1]).code.identity, "code of the whole");
  EXPECT_TRUE(log_.may_be_best(trials_[1]));
}

TEST_F(RemeasureTest, APartThatIsWrongAsAWholeFails) {
  Measurement part = timed(50);
  part.evidence.verified = false;
  part.timing.part_ratio = 8;
  const SessionId session = run({part});
  EXPECT_TRUE(log_.remeasure(session, trials_[0], failed(Outcome::kWrongResult, "C[3] is 2 instead of 1"), "code"));
  EXPECT_EQ(recorded(trials_[0]).measurement.outcome, Outcome::kWrongResult);
  EXPECT_EQ(recorded(trials_[0]).measurement.timing.part_ratio, 0);
}

}  // namespace
}  // namespace nestwright
