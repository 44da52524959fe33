// Trials that were timed by a part of their kernel: when they are confirmed as wholes, and what comes of it.
#include "search/session/part_trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "lookup/task_key.h"
#include "lower/program_part.h"
#include "nestwright/registry.h"
#include "nestwright/tune.h"
#include "support/os/scratch_folder.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

Measurement part_of_time(double ns) {
  Measurement m = timed(ns);
  m.evidence.verified = false;
  m.timing.part_ratio = 8;
  return m;
}

std::optional<TrialId> number(const std::optional<PartTrial>& trial) {
  return trial ? std::optional(trial->trial) : std::nullopt;
}

TEST(PartTrials, WhatSeemsFasterIsConfirmedOnceTheSearchHasTakenLongEnough) {
  PartTrials parts;
  parts.add({1}, part_of_time(90e6), true);
  parts.add({2}, part_of_time(80e6));
  parts.add({3}, part_of_time(70e6), true);
  const double elapsed_s = 5 * confirmation_s(100e6);
  EXPECT_EQ(number(parts.take_during_search(100e6, 0.99 * elapsed_s)), std::nullopt) << "a fifth of the time";
  EXPECT_EQ(number(parts.take_during_search(100e6, 1.01 * elapsed_s)), 3);
  parts.spend(confirmation_s(100e6));
  EXPECT_EQ(number(parts.take_during_search(100e6, 1.01 * elapsed_s)), std::nullopt) << "it is spent";
  EXPECT_EQ(number(parts.take_during_search(85e6, 100)), std::nullopt) << "the incumbent is faster now";
  EXPECT_EQ(number(parts.take_during_search(100e6, 100)), 1) << "the other one only has the smaller estimate";
}

TEST(PartTrials, TheFastestIsConfirmedAtTheEndAndOthersWhileThereIsTime) {
  PartTrials parts;
  for (int i = 1; i <= 4; ++i) parts.add({i}, part_of_time(1e6 * (50 + i)));
  EXPECT_EQ(parts.reserve_s(54e6), confirmation_s(54e6));
  EXPECT_EQ(parts.reserve_s(51e6), 0) << "none is faster";
  EXPECT_EQ(number(parts.take_at_end(54e6, -1)), 1) << "the answer is worth a little more time";
  EXPECT_EQ(number(parts.take_at_end(54e6, 0.9 * confirmation_s(54e6))), std::nullopt);
  EXPECT_EQ(number(parts.take_at_end(54e6, 1.1 * confirmation_s(54e6))), 2);
  EXPECT_EQ(number(parts.take_at_end(53e6, 100)), std::nullopt) << "no estimate is below the incumbent's time";
}

TEST(PartTrials, ADisturbedOneIsConfirmedWhereEachOfItsScoresIsFaster) {
  PartTrials parts;
  Measurement disturbed = part_of_time(80e6);
  disturbed.timing.disturbance = "the FMA loop took 1.5 times its norm";
  disturbed.timing.high_ns = 99e6;
  parts.add({1}, disturbed);
  EXPECT_EQ(number(parts.take_during_search(98e6, 1e3)), std::nullopt);
  EXPECT_EQ(number(parts.take_during_search(100e6, 1e3)), 1);
}

TEST(PartTrials, OnlyPartsThatWereTimedToTheEndAreKept) {
  PartTrials parts;
  Measurement early = part_of_time(1e6), failed = early, untimed = early;
  early.timing.ended_early = true;
  failed.outcome = Outcome::kCrash;
  untimed.timing.median_ns = 0;
  for (const Measurement& m : {early, failed, untimed, timed(1e6)}) parts.add({1}, m);
  EXPECT_EQ(parts.reserve_s(1e9), 0);
}

/// Compiles halves of the kernels, which are faster and wrong as wholes.
class HalvingBuilder final : public Builder {
 public:
  explicit HalvingBuilder(std::shared_ptr<Builder> builder) : builder_(std::move(builder)) {}
  std::vector<BuildResult> build(const std::vector<ir::Program>& programs, Pipeline pipeline,
                                 const std::function<bool()>& is_over) override {
    std::vector<ir::Program> halves = programs;
    for (ir::Program& program : halves) program = part_of(program, 0.5, 1).value().program;
    return builder_->build(halves, pipeline, is_over);
  }

 private:
  std::shared_ptr<Builder> builder_;
};

class PartTrialsSession : public ::testing::Test {
 protected:
  void SetUp() override { setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1); }

  std::vector<TrialRecord> recorded() const {
    return TuningLog::open(path_, OpenMode::kRead).trials(filter_of(task_key(task_)));
  }
  /// Times parts of a few microseconds.
  SessionOptions options(std::int64_t trials) const {
    return {.budget = {.trials = trials}, .effort = Effort::kQuick, .batch_size = 8, .finalists = 1, .part_ns = 3e3};
  }

  const Task task_{parse_workload("matmul m=96 n=96 k=96"), Target::parse("cpu,isa=avx2,threads=1")};
  const ScratchFolder folder_{"part-trials-test"};
  const std::string path_ = folder_.path() + "/log.db";
};

TEST_F(PartTrialsSession, TheBestIsAWholeThatWasChecked) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  const SessionResult result = run_session(task_, log, options(32));
  EXPECT_EQ(result.trials, 32);
  ASSERT_TRUE(result.best.has_value());
  EXPECT_TRUE(result.best->evidence.verified);
  int parts = 0;
  for (const TrialRecord& trial : recorded()) {
    EXPECT_EQ(trial.measurement.outcome, Outcome::kOk) << trial.measurement.message;
    const bool is_part = trial.measurement.timing.part_ratio > 0;
    if (is_part && trial.code.same_as == 0) ++parts;
    EXPECT_EQ(trial.measurement.evidence.verified, !is_part);
    EXPECT_FALSE(is_part && log.may_be_best(trial.id));
    EXPECT_FALSE(is_part && trial.id == result.best->trial);
  }
  EXPECT_TRUE(parts > 8 || result.disturbed > 0) << parts << ": nothing is scored against a disturbed default";
}

TEST_F(PartTrialsSession, WhatAnEarlierSessionTimedByAPartIsConfirmedByTheNext) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  TrialId default_trial = 0, part = 0;
  {
    const TaskContext context(task_);
    const SearchSpace space(context);
    const SessionId id = log.begin_session(context.key(), {.made_by = context.provenance()});
    const Batch batch = log.commit_batch(id, 0, {space.seeds().begin(), space.seeds().begin() + 2});
    default_trial = log.record(id, batch.ids[0], timed(1e6), {"code of the default", 0});
    part = log.record(id, batch.ids[1], part_of_time(1e3), {"code of a part", 0});
    log.set_anchor(id, default_trial, 1e6);
    log.end_session(id, SessionStatus::kKilled, "");
  }
  // A session confirms nothing where the default or the confirmation is disturbed.
  for (int attempt = 0; attempt < 8 && !log.may_be_best(part); ++attempt) run_session(task_, log, options(1));
  EXPECT_TRUE(log.may_be_best(part));
  for (const TrialRecord& trial : recorded()) {
    if (trial.id != part) continue;
    EXPECT_TRUE(trial.measurement.evidence.verified) << trial.measurement.timing.disturbance;
    EXPECT_EQ(trial.measurement.timing.part_ratio, 0);
    EXPECT_NE(trial.code.identity, "code of a part");
    EXPECT_TRUE(log.may_be_best(part));
  }
}

/// Requires a session with the default as incumbent. The trial of another point, timed by a part.
PartTrial record_part(const Tools& tools) {
  const Point point = tools.space.seeds()[1];
  const Batch batch = tools.log.commit_batch(tools.id, 1, {point});
  const TrialId trial = tools.log.record(tools.id, batch.ids[0], part_of_time(1), {"code of a part", 0});
  return {trial, point, "code of a part", 1, true};
}

TEST_F(PartTrialsSession, AKernelThatIsWrongAsAWholeFails) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  const SessionOptions options = this->options(1);
  const TaskContext context(task_);
  Tools tools(context, log, options);
  tools.id = log.begin_session(context.key(), {.made_by = context.provenance()});
  const Point untuned = tools.space.seeds().front();
  const Batch batch = log.commit_batch(tools.id, 0, {untuned});
  const TrialId first = log.record(tools.id, batch.ids[0], timed(1e9), {"code of the default", 0});
  SessionTrials trials(untuned);
  trials.set_incumbent({first, untuned, 1e9}, tools.build({untuned}, Pipeline::kSearch).front());

  const PartTrial trial = record_part(tools);
  tools.builder = std::make_shared<HalvingBuilder>(tools.builder);
  const WholeTrial whole = confirm_whole(trials, tools, trial);
  ASSERT_TRUE(whole.measurement.has_value());
  EXPECT_EQ(whole.measurement->outcome, Outcome::kWrongResult) << whole.measurement->message;
  EXPECT_FALSE(whole.ratio.has_value());
  EXPECT_EQ(trials.incumbent()->id, first);
  EXPECT_EQ(recorded()[1].measurement.outcome, Outcome::kWrongResult);
  EXPECT_FALSE(log.may_be_best(trial.trial));
}

}  // namespace
}  // namespace nestwright
