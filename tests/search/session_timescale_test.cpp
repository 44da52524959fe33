// Converting scores of several sessions of a task into one unit.
#include "search/session/session_timescale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "lookup/task_key.h"
#include "nestwright/registry.h"
#include "nestwright/tune.h"
#include "support/os/scratch_folder.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

class SessionTimescaleTest : public ::testing::Test {
 protected:
  SessionTimescaleTest() { setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1); }

  std::vector<TrialRecord> recorded(const TuningLog& log) const { return log.trials(filter_of(task_key(task_))); }

  /// Makes `trial` the one of the default.
  static void set_default(SessionTrials& trials, TrialId trial) {
    trials.note_default(trial, trials.default_point().value(), Outcome::kOk, {});
  }

  const Task task_{parse_workload("matmul m=33 n=31 k=17"), Target::parse("host")};
  const TaskContext context_{task_};
  const ScratchFolder folder_{"units-test"};
  const std::string path_ = folder_.path() + "/log.db";
  const SessionOptions options_{.budget = {.trials = 6}, .batch_size = 6};
};

TEST_F(SessionTimescaleTest, TimesOfAnotherSessionAreScaledByTheAnchorsThatBothMeasured) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  run_session(task_, log, options_);
  const std::vector<TrialRecord> records = recorded(log);
  Tools tools(context_, log, options_);
  SessionTrials trials(tools.space.default_point());
  tools.id = log.begin_session(context_.key(), {.made_by = context_.provenance()});
  for (const TrialRecord& trial : records) {
    if (const auto point = tools.space.find(trial.point)) {
      trials.note_default(trial.id, *point, trial.measurement.outcome, trial.code);
    }
  }
  SessionTimescale units;
  units.establish(context_, trials, tools, records);
  ASSERT_TRUE(trials.anchor().has_value());
  ASSERT_TRUE(trials.incumbent().has_value());
  EXPECT_EQ(trials.anchor()->id, trials.default_trial());
  EXPECT_LE(trials.incumbent_ns(), trials.anchor()->ns);
  const SessionUnit then = log.session_units(context_.key()).front();
  ASSERT_EQ(then.anchor, trials.default_trial()) << "both have the default as their anchor";
  const double factor = units.factor(tools.id, then.session);
  EXPECT_GT(factor, 0);
  EXPECT_EQ(units.factor(tools.id, tools.id), 1);
  for (const TrialRecord& trial : records) {
    const Timing converted = units.convert(tools.id, trial).timing;
    EXPECT_NEAR(converted.median_ns, factor * trial.measurement.timing.median_ns, 1e-6 * converted.median_ns);
  }
}

// A trial that was disturbed in an earlier session is measured again, and can then be the incumbent.
TEST_F(SessionTimescaleTest, ADefaultThatWasDisturbedIsMeasuredAgain) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  Tools tools(context_, log, options_);
  SessionTrials trials(tools.space.default_point());
  const Point point = tools.space.seeds().front();
  const SessionId earlier = log.begin_session(context_.key(), {.made_by = context_.provenance()});
  const Batch batch = log.commit_batch(earlier, 0, {point});
  Measurement disturbed = timed(1e6);
  disturbed.timing.disturbance = "a thread waited 900 us for a processor";
  set_default(trials, log.record(earlier, batch.ids[0], disturbed));
  EXPECT_FALSE(log.may_be_best(trials.default_trial()));

  tools.id = log.begin_session(context_.key(), {.made_by = context_.provenance()});
  bool measured = false;  // real disturbances may intervene
  for (int attempt = 0; attempt < 20 && !measured; ++attempt) {
    SessionTimescale units;
    units.establish(context_, trials, tools, recorded(log));
    measured = trials.anchor().has_value();
    if (!measured) continue;
    const Measurement* renewed = units.renewed(trials.default_trial());
    ASSERT_NE(renewed, nullptr) << "what was read before holds the old measurement";
    EXPECT_LT(renewed->timing.median_ns, 1e6);
    EXPECT_EQ(units.renewed(trials.default_trial() + 1), nullptr);
  }
  ASSERT_TRUE(measured);
  EXPECT_TRUE(log.may_be_best(trials.default_trial()));
  const TrialRecord trial = recorded(log).front();
  EXPECT_EQ(trial.session, tools.id);
  EXPECT_LT(trial.measurement.timing.median_ns, 1e6);
  EXPECT_EQ(log.best(filter_of(context_.key()), tools.versions)->trial, trials.default_trial());
}

// Otherwise it would end every further run of its task.
TEST_F(SessionTimescaleTest, ADefaultThatFailedInARaceIsAnAnchorAndNoBest) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  Tools tools(context_, log, options_);
  SessionTrials trials(tools.space.default_point());
  const SessionId earlier = log.begin_session(context_.key(), {.made_by = context_.provenance()});
  const Batch batch = log.commit_batch(earlier, 0, {tools.space.seeds().at(0), tools.space.seeds().at(1)});
  set_default(trials, log.record(earlier, batch.ids[0], timed(1e6)));
  const TrialId other = log.record(earlier, batch.ids[1], timed(2e6));
  tools.id = log.begin_session(context_.key(), {.made_by = context_.provenance()});
  Race race;
  race.entries.resize(2);
  race.entries[0].trial = trials.default_trial();
  race.entries[0].role = "default";
  race.entries[0].measurement.outcome = Outcome::kCrash;
  race.entries[0].measurement.message = "SIGSEGV while being timed";
  race.entries[1].trial = other;
  race.entries[1].role = "finalist";
  race.entries[1].measurement = timed(1e3);
  race.winner = 1;
  log.record_race(tools.id, race, tools.versions);
  for (int attempt = 0; attempt < 20 && !trials.anchor(); ++attempt)
    SessionTimescale().establish(context_, trials, tools, recorded(log));
  ASSERT_TRUE(trials.anchor().has_value());
  EXPECT_EQ(trials.anchor()->id, trials.default_trial());
  EXPECT_FALSE(log.may_be_best(trials.default_trial()));
  EXPECT_NE(log.best(filter_of(context_.key()), tools.versions)->trial, trials.default_trial());
}

TEST_F(SessionTimescaleTest, ASessionWithNothingInCommonCannotBeCompared) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  run_session(task_, log, options_);
  Tools tools(context_, log, options_);
  SessionTrials trials(tools.space.default_point());
  tools.id = log.begin_session(context_.key(), {.made_by = context_.provenance()});
  const SessionTimescale nothing_measured;
  const TrialRecord trial = recorded(log).front();
  EXPECT_EQ(nothing_measured.factor(tools.id, trial.session), 0);
  const Timing timing = nothing_measured.convert(tools.id, trial).timing;
  EXPECT_EQ(timing.disturbance, "timed by a session that cannot be compared with this one");
}

// Another code generator may compile a configuration to other code: its times link two sessions only where the code is
// unchanged.
TEST_F(SessionTimescaleTest, ASessionOfAnotherCodeGeneratorIsLinkedByUnchangedCodeAlone) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  Tools tools(context_, log, options_);
  SessionTrials trials(tools.space.default_point());
  const Point point = tools.space.seeds().front();
  const std::string code = tools.build({point}, Pipeline::kSearch).front().result.object.code_fingerprint;
  RecordProvenance another = context_.provenance();
  another.code_generator = "0123456789abcdef";
  const SessionId earlier = log.begin_session(context_.key(), {.made_by = another});
  const Batch batch = log.commit_batch(earlier, 0, {point});
  set_default(trials, log.record(earlier, batch.ids[0], timed(1e6), {.identity = code}));
  log.set_anchor(earlier, trials.default_trial(), 1e6);
  tools.id = log.begin_session(context_.key(), {.made_by = context_.provenance()});

  std::vector<TrialRecord> records = recorded(log);
  SessionTimescale same;
  for (int attempt = 0; attempt < 20 && !trials.anchor(); ++attempt) same.establish(context_, trials, tools, records);
  ASSERT_TRUE(trials.anchor().has_value());
  EXPECT_GT(same.factor(tools.id, earlier), 0);

  records.front().code.identity = "other code";
  SessionTimescale changed;
  changed.establish(context_, trials, tools, records);
  EXPECT_EQ(changed.factor(tools.id, earlier), 0);
  EXPECT_TRUE(changed.convert(tools.id, records.front()).timing.is_disturbed());
}

TEST_F(SessionTimescaleTest, WithoutTrialsThereIsNoAnchorYet) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  Tools tools(context_, log, options_);
  SessionTrials trials(tools.space.default_point());
  tools.id = log.begin_session(context_.key(), {.made_by = context_.provenance()});
  SessionTimescale units;
  units.establish(context_, trials, tools, {});
  EXPECT_FALSE(trials.anchor().has_value());
  EXPECT_EQ(trials.incumbent_ns(), 0);
}

}  // namespace
}  // namespace nestwright
