// Converting scores of several sessions of a task into one unit.
#include "search/session/session_timescale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "lookup/task_key.h"
#include "support/os/scratch_folder.h"
#include "templates/registry.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

class SessionTimescaleTest : public ::testing::Test {
 protected:
  SessionTimescaleTest() { setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1); }

  std::vector<TrialRecord> recorded(const TuningLog& log) const { return log.trials(filter_of(task_key(task_))); }

  const Task task_{parse_workload("matmul m=33 n=31 k=17"), Target::parse("host")};
  const ScratchFolder folder_{"units-test"};
  const std::string path_ = folder_.path() + "/log.db";
  const SessionOptions options_{.budget = {.trials = 6}, .batch_size = 6};
};

TEST_F(SessionTimescaleTest, TimesOfAnotherSessionAreScaledByTheAnchorsThatBothMeasured) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  run_session(task_, log, options_);
  const std::vector<TrialRecord> trials = recorded(log);
  SessionState session(task_, log, options_);
  session.id = log.begin_session(session.context.key(), {.made_by = session.context.provenance()});
  for (const TrialRecord& trial : trials) {
    if (const auto point = session.point_of(trial.proposal)) {
      session.note_default(trial.id, *point, trial.measurement.outcome, trial.code);
    }
  }
  SessionTimescale units;
  units.establish(session, trials);
  ASSERT_TRUE(session.anchor.has_value());
  ASSERT_TRUE(session.incumbent.has_value());
  EXPECT_EQ(session.anchor->trial, session.default_trial);
  EXPECT_LE(session.incumbent_ns(), session.anchor->reference_ns);
  const SessionUnit then = log.session_units(session.context.key()).front();
  ASSERT_EQ(then.anchor, session.default_trial) << "both have the default as their anchor";
  const double factor = units.factor(session, then.session);
  EXPECT_GT(factor, 0);
  EXPECT_EQ(units.factor(session, session.id), 1);
  for (const TrialRecord& trial : trials) {
    const Timing converted = units.convert(session, trial).timing;
    EXPECT_NEAR(converted.median_ns, factor * trial.measurement.timing.median_ns, 1e-6 * converted.median_ns);
  }
}

// A trial that was disturbed in an earlier session is measured again, and can then be the incumbent.
TEST_F(SessionTimescaleTest, ADefaultThatWasDisturbedIsMeasuredAgain) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  SessionState session(task_, log, options_);
  const Point point = session.space.seeds().front();
  const SessionId earlier = log.begin_session(session.context.key(), {.made_by = session.context.provenance()});
  const Batch batch = log.commit_batch(earlier, 0, {{{point.template_name, point.version}, point.config, "seed"}});
  Measurement disturbed = timed(1e6);
  disturbed.timing.disturbance = "a thread waited 900 us for a processor";
  session.default_trial = log.record(earlier, batch.proposals[0].id, disturbed);
  EXPECT_FALSE(log.may_be_best(session.default_trial));

  session.id = log.begin_session(session.context.key(), {.made_by = session.context.provenance()});
  bool measured = false;  // real disturbances may intervene
  for (int attempt = 0; attempt < 20 && !measured; ++attempt) {
    SessionTimescale units;
    units.establish(session, recorded(log));
    measured = session.anchor.has_value();
    if (!measured) continue;
    const Measurement* renewed = units.renewed(session.default_trial);
    ASSERT_NE(renewed, nullptr) << "what was read before holds the old measurement";
    EXPECT_LT(renewed->timing.median_ns, 1e6);
    EXPECT_EQ(units.renewed(session.default_trial + 1), nullptr);
  }
  ASSERT_TRUE(measured);
  EXPECT_TRUE(log.may_be_best(session.default_trial));
  const TrialRecord trial = recorded(log).front();
  EXPECT_EQ(trial.session, session.id);
  EXPECT_LT(trial.measurement.timing.median_ns, 1e6);
  EXPECT_EQ(log.best(filter_of(session.context.key()), session.versions)->trial, session.default_trial);
}

// Otherwise it would end every further run of its task.
TEST_F(SessionTimescaleTest, ADefaultThatFailedInARaceIsAnAnchorAndNoBest) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  SessionState session(task_, log, options_);
  const SessionId earlier = log.begin_session(session.context.key(), {.made_by = session.context.provenance()});
  std::vector<Proposal> proposals;
  for (const Point& point : {session.space.seeds().at(0), session.space.seeds().at(1)}) {
    proposals.push_back({{point.template_name, point.version}, point.config, "seed"});
  }
  const Batch batch = log.commit_batch(earlier, 0, proposals);
  session.default_trial = log.record(earlier, batch.proposals[0].id, timed(1e6));
  const TrialId other = log.record(earlier, batch.proposals[1].id, timed(2e6));
  session.id = log.begin_session(session.context.key(), {.made_by = session.context.provenance()});
  Race race;
  race.entries.resize(2);
  race.entries[0].trial = session.default_trial;
  race.entries[0].role = "default";
  race.entries[0].measurement.outcome = Outcome::kCrash;
  race.entries[0].measurement.message = "SIGSEGV while being timed";
  race.entries[1].trial = other;
  race.entries[1].role = "finalist";
  race.entries[1].measurement = timed(1e3);
  race.winner = 1;
  log.record_race(session.id, race, session.versions);
  for (int attempt = 0; attempt < 20 && !session.anchor; ++attempt)
    SessionTimescale().establish(session, recorded(log));
  ASSERT_TRUE(session.anchor.has_value());
  EXPECT_EQ(session.anchor->trial, session.default_trial);
  EXPECT_FALSE(log.may_be_best(session.default_trial));
  EXPECT_NE(log.best(filter_of(session.context.key()), session.versions)->trial, session.default_trial);
}

TEST_F(SessionTimescaleTest, ASessionWithNothingInCommonCannotBeCompared) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  run_session(task_, log, options_);
  SessionState session(task_, log, options_);
  session.id = log.begin_session(session.context.key(), {.made_by = session.context.provenance()});
  const SessionTimescale nothing_measured;
  const TrialRecord trial = recorded(log).front();
  EXPECT_EQ(nothing_measured.factor(session, trial.session), 0);
  const Timing timing = nothing_measured.convert(session, trial).timing;
  EXPECT_EQ(timing.disturbance, "timed by a session that cannot be compared with this one");
}

// Another code generator may compile a configuration to other code: its times link two sessions only where the code is
// unchanged.
TEST_F(SessionTimescaleTest, ASessionOfAnotherCodeGeneratorIsLinkedByUnchangedCodeAlone) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  SessionState session(task_, log, options_);
  const Point point = session.space.seeds().front();
  const std::string code = session.build({point}, Pipeline::kSearch).front().result.object.code_fingerprint;
  RecordProvenance another = session.context.provenance();
  another.code_generator = "0123456789abcdef";
  const SessionId earlier = log.begin_session(session.context.key(), {.made_by = another});
  const Batch batch = log.commit_batch(earlier, 0, {{{point.template_name, point.version}, point.config, "seed"}});
  session.default_trial = log.record(earlier, batch.proposals[0].id, timed(1e6), {.identity = code});
  log.set_anchor(earlier, session.default_trial, 1e6);
  session.id = log.begin_session(session.context.key(), {.made_by = session.context.provenance()});

  std::vector<TrialRecord> trials = recorded(log);
  SessionTimescale same;
  for (int attempt = 0; attempt < 20 && !session.anchor; ++attempt) same.establish(session, trials);
  ASSERT_TRUE(session.anchor.has_value());
  EXPECT_GT(same.factor(session, earlier), 0);

  trials.front().code.identity = "other code";
  SessionTimescale changed;
  changed.establish(session, trials);
  EXPECT_EQ(changed.factor(session, earlier), 0);
  EXPECT_TRUE(changed.convert(session, trials.front()).timing.is_disturbed());
}

TEST_F(SessionTimescaleTest, WithoutTrialsThereIsNoAnchorYet) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  SessionState session(task_, log, options_);
  session.id = log.begin_session(session.context.key(), {.made_by = session.context.provenance()});
  SessionTimescale units;
  units.establish(session, {});
  EXPECT_FALSE(session.anchor.has_value());
  EXPECT_EQ(session.incumbent_ns(), 0);
}

}  // namespace
}  // namespace nestwright
