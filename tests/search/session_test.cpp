// Whole sessions through builders, runner and log, on a small matrix product.

#include "search/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>
#include <thread>

#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "search/space/search_space.h"
#include "support/os/machine_lock.h"
#include "support/os/scratch_folder.h"
#include "tests/lookup/counting_operator.h"

namespace nestwright {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::Pair;

class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1); }

  SessionResult tune(SessionOptions options, const std::atomic<bool>* interrupt = nullptr,
                     const ProgressFunction& progress = {}) {
    TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
    options.effort = Effort::kQuick;
    return run_session(task_, log, options, interrupt, progress);
  }

  std::vector<TrialRecord> recorded() const {
    return TuningLog::open(path_, OpenMode::kRead).trials(filter_of(task_key(task_)));
  }

  const Task task_{parse_workload("matmul m=33 n=31 k=17"), Target::parse("host")};
  const ScratchFolder folder_{"session-test"};
  const std::string path_ = folder_.path() + "/log.db";
};

/// A neighbour on this machine may disturb the whole race: then the answer is another one, and the result says why.
bool is_raced_or_disturbed(const SessionResult& result) {
  return (result.best->source == BestSource::kRace) == result.race_disturbance.empty();
}

TEST_F(SessionTest, RecordsEveryTrialAndEndsWithAVerifiedBest) {
  const SessionResult result = tune({.budget = {.trials = 24}, .batch_size = 8});
  EXPECT_EQ(result.trials, 24);
  EXPECT_EQ(recorded().size(), 24u);
  ASSERT_TRUE(result.best.has_value());
  EXPECT_TRUE(result.best->evidence.verified);
  EXPECT_TRUE(is_raced_or_disturbed(result));
  EXPECT_GT(result.best->gflops(), 0);
  EXPECT_LE(result.best->timing.low_ns, result.best->timing.median_ns);
  EXPECT_GE(result.best->timing.high_ns, result.best->timing.median_ns);
  EXPECT_TRUE(result.default_timing.has_value() || !result.race_disturbance.empty());
  EXPECT_EQ(result.stop_reason, "24 trials done");
}

TEST_F(SessionTest, ASecondRunGoesOnAndMeasuresNothingTwice) {
  tune({.budget = {.trials = 10}, .batch_size = 5});
  const SessionResult second = tune({.budget = {.trials = 10}, .batch_size = 5});
  EXPECT_EQ(second.trials, 10);
  EXPECT_EQ(second.earlier_trials, 10);
  std::set<std::string> configs;
  for (const TrialRecord& trial : recorded()) EXPECT_TRUE(configs.insert(trial.point.config.str()).second);
  EXPECT_EQ(configs.size(), 20u);
}

TEST_F(SessionTest, AnInterruptKeepsWhatWasFoundAndTheNextRunFinishesTheBatchFirst) {
  std::atomic<bool> interrupt = false;
  const SessionResult first = tune({.budget = {.trials = 64}, .batch_size = 32}, &interrupt,
                                   [&](const Progress& progress) { interrupt = progress.trials > 1; });
  EXPECT_TRUE(first.interrupted);
  ASSERT_LT(first.trials, 32);
  EXPECT_EQ(recorded().size(), static_cast<std::size_t>(first.trials));
  const std::int64_t left_over = 32 - first.trials;
  ASSERT_GT(left_over, 4);
  EXPECT_EQ(tune({.budget = {.trials = 4}, .batch_size = 32}).trials, 4) << "a part of the batch";
  EXPECT_EQ(tune({.budget = {.trials = left_over - 4}, .batch_size = 32}).trials, left_over - 4);
  std::map<std::int64_t, int> batches;
  for (const TrialRecord& trial : recorded()) ++batches[trial.batch];
  EXPECT_THAT(batches, ElementsAre(Pair(0, 32)));
}

TEST_F(SessionTest, EqualCodeIsMeasuredOnce) {
  const Task tiny{parse_workload("matmul m=2 n=3 k=2"), Target::parse("host")};
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  const SessionResult result =
      run_session(tiny, log, {.budget = {.trials = 40}, .strategy = "random", .batch_size = 20});
  std::map<std::string, TrialId> measured;
  std::int64_t same = 0;
  for (const TrialRecord& trial : log.trials(filter_of(task_key(tiny)))) {
    if (trial.code.identity.empty()) continue;
    EXPECT_EQ(trial.measurement.outcome, Outcome::kOk) << trial.measurement.message;
    const auto [first, is_new] = measured.try_emplace(trial.code.identity, trial.id);
    EXPECT_EQ(trial.code.same_as, is_new ? 0 : first->second) << trial.point.config.str();
    if (is_new) continue;
    ++same;
    EXPECT_EQ(trial.measurement.measure_ms, 0);
    EXPECT_GT(trial.measurement.compile_ms, 0);
  }
  EXPECT_GT(same, 0) << "knobs of blocks and prefetching mean nothing in so small a product";
  EXPECT_EQ(result.same_code, same);
  EXPECT_GT(static_cast<std::int64_t>(measured.size()), 0);
}

TEST_F(SessionTest, ResolvesItsTaskOnce) {
  const CountingOperator counting;
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  const SessionResult result =
      run_session(counting.task(4096), log, {.budget = {.trials = 4}, .effort = Effort::kQuick, .batch_size = 2});
  ASSERT_TRUE(result.best);
  EXPECT_EQ(counting.counts().defined, 1);
  EXPECT_EQ(counting.counts().discovered, 1);
  EXPECT_EQ(counting.counts().seeded, 1);
}

TEST_F(SessionTest, StepsTakeTurns) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  const Task other{parse_workload("matmul m=20 n=24 k=16"), Target::parse("host")};
  TuningSession a(task_, log, {.budget = {.trials = 16}, .effort = Effort::kQuick, .batch_size = 8});
  TuningSession b(other, log, {.budget = {.trials = 8}, .effort = Effort::kQuick, .batch_size = 8});
  EXPECT_TRUE(a.step());
  EXPECT_EQ(a.so_far().trials, 8);
  EXPECT_TRUE(a.best_ns() > 0 || a.so_far().disturbed > 0);
  const double seconds = a.seconds();
  EXPECT_TRUE(b.step());
  EXPECT_FALSE(b.step());
  EXPECT_EQ(a.seconds(), seconds) << "its time stands still while the other one works";
  EXPECT_TRUE(a.step());
  EXPECT_GT(a.seconds(), seconds);
  EXPECT_FALSE(a.step());
  EXPECT_EQ(b.finish().trials, 8);
  const SessionResult result = a.finish();
  EXPECT_EQ(result.stop_reason, "16 trials done");
  ASSERT_TRUE(result.best);
  EXPECT_TRUE(is_raced_or_disturbed(result));
}

TEST_F(SessionTest, TwoTunersOfOneTaskTakeTurnsAndMeasureNothingTwice) {
  std::array<SessionResult, 2> results;
  std::vector<std::thread> tuners;
  for (std::size_t i = 0; i < results.size(); ++i) {
    tuners.emplace_back([&, i] {
      TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
      results[i] = run_session(task_, log, {.budget = {.trials = 24}, .seed = 1 + i, .batch_size = 8});
    });
  }
  for (std::thread& tuner : tuners) tuner.join();
  std::set<std::string> configs, codes;
  std::int64_t twice = 0;
  for (const TrialRecord& trial : recorded()) {
    EXPECT_TRUE(configs.insert(trial.point.config.str()).second);
    if (trial.code.same_as == 0 && !trial.code.identity.empty() && !trial.measurement.timing.is_disturbed()) {
      twice += codes.insert(trial.code.identity).second ? 0 : 1;
    }
  }
  // A trial that one session measured while disturbed is measured by the other when it meets it, and again by the
  // first.
  EXPECT_LE(twice, results[0].remeasured + results[1].remeasured) << "each hears what the other has measured";
  EXPECT_EQ(configs.size(), 48u);
  for (const SessionResult& result : results) EXPECT_EQ(result.trials, 24);
}

TEST_F(SessionTest, ARunThatNeverGetsItsTurnEndsInTimeWithTheDefault) {
  MachineLock lock("cpu");
  const MachineLock::Hold other = lock.hold([] { return false; });
  const auto cpu_s = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  double waiting_s = -1;
  const SessionResult result = tune({.budget = {.seconds = 1.5}}, nullptr, [&](const Progress& p) {
    if (p.waiting_for == "another tuner has the machine" && waiting_s < 0) waiting_s = cpu_s();
  });
  EXPECT_EQ(result.stop_reason, "1.5 seconds are over");
  EXPECT_EQ(result.trials, 1) << "one candidate is measured beside the other tuner";
  ASSERT_TRUE(result.best.has_value());
  EXPECT_TRUE(result.best->evidence.verified);
  EXPECT_NE(result.best->source, BestSource::kRace);
  EXPECT_EQ(result.best->point.config.str(), SearchSpace(task_).default_point()->config.str());
  EXPECT_LT(result.seconds, 2.5);
  ASSERT_GE(waiting_s, 0);
  EXPECT_LT(cpu_s() - waiting_s, 0.3) << "it sleeps until it is its turn";
}

TEST_F(SessionTest, TheTimeIsOverBeforeTheFirstTrial) {
  const SessionResult result = tune({.budget = {.seconds = 0.01}});
  EXPECT_EQ(result.trials, 1);
  ASSERT_TRUE(result.best.has_value());
  EXPECT_TRUE(result.best->evidence.verified);
  EXPECT_EQ(result.stop_reason, "0.01 seconds are over");
  const SessionResult again = tune({.budget = {.seconds = 0.01}});
  EXPECT_EQ(again.trials, 0) << "there is an answer";
  EXPECT_TRUE(again.best.has_value());
}

TEST_F(SessionTest, LimitsCountFromWhenTheyAreSet) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  TuningSession session(task_, log, {.budget = {}, .batch_size = 8});
  EXPECT_TRUE(session.step());
  session.limit(3, 0);
  EXPECT_TRUE(session.step());
  EXPECT_EQ(session.so_far().trials, 11);
  EXPECT_FALSE(session.step());
  EXPECT_EQ(session.finish().trials, 11);
}

TEST_F(SessionTest, ProgressCountsUp) {
  std::int64_t last = 0;
  tune({.budget = {.trials = 12}, .batch_size = 6}, nullptr, [&](const Progress& p) {
    if (!p.waiting_for.empty() || !p.phase.empty()) return;
    EXPECT_GT(p.trials, last);
    last = p.trials;
  });
  EXPECT_EQ(last, 12);
}

#ifdef WITH_CUDA
/// A device with too few registers for any kernel, on a driver that would fail if asked to launch one.
TEST_F(SessionTest, WhatCannotBeLaunchedIsRecordedAndNotRun) {
  setenv("NESTWRIGHT_CUDA_DRIVER", FAKE_CUDA, 1);
  const Task task{parse_workload("matmul m=16 n=16 k=8"), Target::parse("cuda,arch=sm_90,registers_per_block=1024")};
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  const SessionResult result = run_session(task, log, {.budget = {.trials = 4}, .batch_size = 4, .builders = 1});
  EXPECT_FALSE(result.best.has_value());
  EXPECT_EQ(result.outcomes.at(Outcome::kInvalidConfig), 4);
  EXPECT_EQ(result.times.check, 0);
  const std::vector<TrialRecord> trials = log.trials(filter_of(task_key(task)));
  ASSERT_EQ(trials.size(), 4u);
  for (const TrialRecord& trial : trials) {
    EXPECT_THAT(trial.measurement.message, ::testing::ContainsRegex("^kernel matmul_kernel0 cannot be launched: [0-9]+ "
                                                                    "threads of [0-9]+ registers take [0-9]+ of them, "
                                                                    "more than the 1024 that sm_90 has for a block$"));
    ASSERT_EQ(trial.measurement.resources.size(), 1u);
    EXPECT_GT(trial.measurement.resources[0].registers, 0);
    EXPECT_EQ(trial.measurement.resources[0].occupancy, 0);
    EXPECT_EQ(trial.measurement.check_ms, 0);
    EXPECT_EQ(trial.code.identity, "");
  }
  unsetenv("NESTWRIGHT_CUDA_DRIVER");
}
#endif

TEST_F(SessionTest, UnknownStrategyIsRefused) {
  EXPECT_THAT([&] { tune({.budget = {.trials = 1}, .strategy = "luck"}); },
              ::testing::ThrowsMessage<UsageError>(::testing::HasSubstr("unknown strategy 'luck'")));
}

}  // namespace
}  // namespace nestwright
