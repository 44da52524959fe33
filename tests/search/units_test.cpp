// Scores of several sessions of one task, brought into one unit.
#include "search/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "lookup/task_key.h"

namespace nestwright {
namespace {

class UnitsTest : public testing::Test {
 protected:
  UnitsTest() {
    setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1);
    remove();
  }
  ~UnitsTest() override { remove(); }

  void remove() const {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
  }
  std::vector<TrialRecord> recorded(const TuningLog& log) const { return log.trials(filter_of(task_key(task_))); }

  const Task task_{parse_workload("matmul m=33 n=31 k=17"), Target::parse("host")};
  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("units_test_" + std::to_string(getpid()) + ".db")).string();
  const SessionOptions options_{.budget = {.trials = 6}, .batch_size = 6};
};

TEST_F(UnitsTest, TimesOfAnotherSessionAreScaledByTheAnchorsThatBothMeasured) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  run_session(task_, log, options_);
  const std::vector<TrialRecord> trials = recorded(log);
  SessionState session(task_, log, options_);
  session.id = log.begin_session(session.key, {});
  for (const TrialRecord& trial : trials) {
    if (const auto point = session.point_of(trial.proposal)) {
      session.note_default(trial.id, *point, trial.measurement.outcome, trial.code);
    }
  }
  Units units;
  units.establish(session, trials);
  ASSERT_TRUE(session.anchor.has_value());
  ASSERT_TRUE(session.incumbent.has_value());
  EXPECT_EQ(session.anchor->trial, session.default_trial);
  EXPECT_LE(session.incumbent_ns(), session.anchor->reference_ns);
  const SessionUnit then = log.session_units(session.key).front();
  ASSERT_EQ(then.anchor, session.default_trial) << "both have the default as their anchor";
  const double factor = units.factor(session, then.session);
  EXPECT_GT(factor, 0);
  EXPECT_EQ(units.factor(session, session.id), 1);
  for (const TrialRecord& trial : trials) {
    const Timing converted = units.convert(session, trial).timing;
    EXPECT_NEAR(converted.median_ns, factor * trial.measurement.timing.median_ns, 1e-6 * converted.median_ns);
  }
}

TEST_F(UnitsTest, ASessionWithNothingInCommonCannotBeCompared) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  run_session(task_, log, options_);
  SessionState session(task_, log, options_);
  session.id = log.begin_session(session.key, {});
  const Units nothing_measured;
  const TrialRecord trial = recorded(log).front();
  EXPECT_EQ(nothing_measured.factor(session, trial.session), 0);
  const Timing timing = nothing_measured.convert(session, trial).timing;
  EXPECT_EQ(timing.disturbance, "timed by a session that cannot be compared with this one");
}

TEST_F(UnitsTest, WithoutTrialsThereIsNoAnchorYet) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  SessionState session(task_, log, options_);
  session.id = log.begin_session(session.key, {});
  Units units;
  units.establish(session, {});
  EXPECT_FALSE(session.anchor.has_value());
  EXPECT_EQ(session.incumbent_ns(), 0);
}

}  // namespace
}  // namespace nestwright
