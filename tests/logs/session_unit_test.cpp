// Anchors, which define the unit of a session's times, and confirmed incumbents.
#include <limits>

#include "nestwright/error.h"
#include "tests/logs/recorded_runs.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

class SessionUnitTest : public RecordedRuns {
 protected:
  std::string anchor_refusal(SessionId session, TrialId trial, double ns) {
    return message<LogError>([&] { log_.set_anchor(session, trial, ns); });
  }
  std::string incumbent_refusal(SessionId session, TrialId trial) {
    return message<LogError>([&] { log_.set_incumbent(session, trial); });
  }
};

TEST_F(SessionUnitTest, AnAnchorMayBeAnEarlierSessionsTrial) {
  EXPECT_TRUE(log_.session_units(task_).empty()) << "a task that is not recorded";
  const SessionId first = run({timed(100)});
  const TrialId anchor = trials_[0];
  log_.set_anchor(first, anchor, 100.5);
  const SessionId second = run({timed(120)});
  EXPECT_EQ(log_.session_units(task_).at(1).anchor, 0) << "not set yet";
  log_.set_anchor(second, anchor, 130.25);
  const std::vector<SessionUnit> units = log_.session_units(task_);
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[0].session, first);
  EXPECT_EQ(units[0].rule, ScoringRule::kPaired);
  EXPECT_EQ(units[0].anchor, anchor);
  EXPECT_EQ(units[0].anchor_ns, 100.5);
  EXPECT_EQ(units[1].session, second);
  EXPECT_EQ(units[1].anchor, anchor);
  EXPECT_EQ(units[1].anchor_ns, 130.25);

  const std::vector<TrialRecord> trials = log_.trials(filter_of(task_));
  EXPECT_EQ(trials.at(0).unit.session, first);
  EXPECT_EQ(trials.at(0).unit.anchor_ns, 100.5);
  EXPECT_EQ(trials.at(1).unit.session, second);
  EXPECT_EQ(trials.at(1).unit.anchor_ns, 130.25);
}

TEST_F(SessionUnitTest, ATrialThatTakesAnothersMeasurementIsInThatOnesUnit) {
  const SessionId first = log_.begin_session(task_, info());
  const TrialId measured =
      log_.record(first, log_.commit_batch(first, 0, points(0, 1)).ids[0], timed(100), {"c0de", 0});
  log_.set_anchor(first, measured, 100);
  const SessionId second = log_.begin_session(task_, info());
  log_.record(second, log_.commit_batch(second, 0, points(1, 1)).ids[0], timed(100), {"c0de", measured});
  const TrialRecord copy = log_.trials(filter_of(task_)).at(1);
  EXPECT_EQ(copy.session, second);
  EXPECT_EQ(copy.unit.session, first);
  EXPECT_EQ(copy.unit.anchor_ns, 100);
}

TEST_F(SessionUnitTest, AnAnchorIsATimedTrialOfTheTaskAndSetOnce) {
  const SessionId session = run({timed(100)});
  const TrialId own = trials_[0];
  run(task_of(matmul(64, 64, 64)), {timed(1)});
  EXPECT_EQ(anchor_refusal(session, trials_[0], 100), "trial " + std::to_string(trials_[0]) + " of database '" + path_ +
                                                          "' is not one of the task of session " +
                                                          std::to_string(session));
  EXPECT_THAT(anchor_refusal(session, 99, 100), HasSubstr("trial 99 of database"));
  EXPECT_THAT(anchor_refusal(99, own, 100), HasSubstr("has no session 99"));
  for (const double ns :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(anchor_refusal(session, own, ns), HasSubstr("needs a positive time"));
  }
  EXPECT_EQ(log_.session_units(task_).at(0).anchor, 0);
  log_.set_anchor(session, own, 100);
  EXPECT_THAT(anchor_refusal(session, own, 101), HasSubstr("has an anchor already: its times are in that unit"));
  EXPECT_EQ(log_.session_units(task_).at(0).anchor_ns, 100);
}

TEST_F(SessionUnitTest, OnlyWhatMayBeBestIsAnIncumbent) {
  Measurement unverified = timed(10), early = timed(20), untimed = timed(0);
  unverified.evidence.verified = false;
  early.timing.ended_early = true;
  const SessionId session = run({unverified, early, untimed, disturbed(40), failed(Outcome::kCrash, "SIGSEGV")});
  for (const TrialId trial : trials_) {
    EXPECT_THAT(incumbent_refusal(session, trial),
                HasSubstr("trial " + std::to_string(trial) + " of database '" + path_ + "' cannot be an incumbent"));
  }
  EXPECT_EQ(best()->source, BestSource::kDisturbed);
  const SessionId other = run(task_of(matmul(64, 64, 64)), {timed(1)});
  EXPECT_THAT(incumbent_refusal(session, trials_[0]), HasSubstr("is not one of the task of session"));
  EXPECT_THAT(incumbent_refusal(99, trials_[0]), HasSubstr("has no session 99"));
  EXPECT_EQ(incumbent_refusal(other, trials_[0]), "accepted");
}

TEST_F(SessionUnitTest, ATrialThatTakesAnothersMeasurementIsNoIncumbent) {
  const SessionId session = log_.begin_session(task_, info());
  const Batch batch = log_.commit_batch(session, 0, points(0, 2));
  const TrialId measured = log_.record(session, batch.ids[0], timed(100), {"c0de", 0});
  const TrialId copy = log_.record(session, batch.ids[1], timed(100), {"c0de", measured});
  EXPECT_THAT(incumbent_refusal(session, copy), HasSubstr("takes another trial's measurement"));
}

TEST_F(SessionUnitTest, AnIntervalBecomesWiderAndNeverNarrower) {
  run({timed(100)});
  const auto interval = [&] {
    const Timing timing = log_.trials(filter_of(task_)).at(0).measurement.timing;
    EXPECT_EQ(timing.median_ns, 100);
    return std::pair(timing.low_ns, timing.high_ns);
  };
  log_.widen_interval(trials_[0], 90, 100.5);
  EXPECT_EQ(interval(), std::pair(90.0, 101.0));
  log_.widen_interval(trials_[0], 95, 120);
  EXPECT_EQ(interval(), std::pair(90.0, 120.0));
}

}  // namespace
}  // namespace nestwright
