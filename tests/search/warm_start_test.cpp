// Using trials of other shapes in the log.
#include "search/propose/warm_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lookup/task_key.h"
#include "nestwright/registry.h"
#include "search/task/candidate.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

class WarmStartTest : public ::testing::Test {
 protected:
  static Task task(const std::string& sizes, int threads = 1) {
    return {parse_workload("matmul " + sizes), Target::parse("cpu,isa=avx2,threads=" + std::to_string(threads))};
  }
  /// Records a session of the task that measured its first few seeds, each slower than the one before.
  void record(const Task& t, int count, double first_ns, const std::string& backend = "") {
    const SearchSpace space(t, "matmul.cpu");
    TaskKey key = task_key(t);
    if (!backend.empty()) key.backend = backend;
    const SessionId session = log_.begin_session(key, info());
    const Batch batch = log_.commit_batch(session, 0, {space.seeds().begin(), space.seeds().begin() + count});
    for (std::size_t i = 0; i < batch.points.size(); ++i) {
      log_.record(session, batch.ids[i], timed(first_ns * static_cast<double>(i + 1)));
    }
    log_.end_session(session, SessionStatus::kDone, "");
    usleep(2000);  // recorded_at has a resolution of milliseconds
  }
  WarmStart start(const Task& t, std::size_t own_trials = 0) {
    const SearchSpace space(t, "matmul.cpu");
    std::vector<ConfigSpace> spaces;
    for (const auto& member : space.members()) spaces.push_back(member.space);
    const KnobColumns columns(spaces);
    const std::vector<TemplateVersion> versions{{"matmul.cpu", space.members()[0].source->version}};
    return WarmStartReader(log_, task_key(t), space, columns, versions).read(own_trials).value();
  }

  TemporaryFolder folder_;
  TuningLog log_ = TuningLog::open(folder_.file("log.db"), OpenMode::kWrite);
};

TEST_F(WarmStartTest, NothingRecordedTeachesNothing) {
  const WarmStart warm = start(task("m=96 n=96 k=96"));
  EXPECT_TRUE(warm.observations.empty());
  EXPECT_TRUE(warm.points.empty());
}

TEST_F(WarmStartTest, OtherShapesGiveLessonsAndPointsThatFit) {
  record(task("m=64 n=64 k=64"), 4, 100);
  record(task("m=100 n=96 k=96"), 3, 5000);
  const Task mine = task("m=96 n=96 k=96");
  const WarmStart warm = start(mine);
  ASSERT_EQ(warm.observations.size(), 7u);
  // The nearest shape first; relative to the best of its own task.
  EXPECT_DOUBLE_EQ(warm.observations[0].throughput, 1);
  EXPECT_DOUBLE_EQ(warm.observations[2].throughput, 1.0 / 3);
  EXPECT_DOUBLE_EQ(warm.observations[3].throughput, 1);
  EXPECT_DOUBLE_EQ(warm.observations[6].throughput, 0.25);
  ASSERT_FALSE(warm.points.empty());
  EXPECT_LE(warm.points.size(), 4u);
  const SearchSpace space(mine, "matmul.cpu");
  for (const Point& point : warm.points) EXPECT_TRUE(space.is_valid(point)) << point.key();
}

TEST_F(WarmStartTest, ObservationsAreTheFeaturesOfTheRecordedPoints) {
  const Task other = task("m=64 n=64 k=64"), mine = task("m=96 n=96 k=96");
  record(other, 6, 100);
  const WarmStart warm = start(mine);
  ASSERT_EQ(warm.observations.size(), 6u);
  const SearchSpace space(mine, "matmul.cpu"), recorded(other, "matmul.cpu");
  const KnobColumns columns(std::vector<ConfigSpace>{space.members()[0].space});
  for (std::size_t i = 0; i < warm.observations.size(); ++i) {
    const auto features = candidate_features(other, columns, recorded.seeds()[i]);
    ASSERT_TRUE(features.has_value());
    EXPECT_THAT(warm.observations[i].features, ::testing::Pointwise(::testing::NanSensitiveFloatEq(), *features));
  }
}

TEST_F(WarmStartTest, OtherTargetsAndOperandsTeachNothing) {
  record(task("m=64 n=64 k=64", 2), 2, 100);
  record(task("m=64 n=64 k=64 tb=1"), 2, 100);
  record(task("m=64 n=64 k=64 dtype=float64"), 2, 100);
  EXPECT_TRUE(start(task("m=96 n=96 k=96")).observations.empty());
}

TEST_F(WarmStartTest, IsReadAgainWhereAnotherTaskHasANewBest) {
  const Task mine = task("m=96 n=96 k=96");
  record(task("m=64 n=64 k=64"), 2, 100);
  record(mine, 1, 300);
  const SearchSpace space(mine, "matmul.cpu");
  const KnobColumns columns(std::vector<ConfigSpace>{space.members()[0].space});
  const std::vector<TemplateVersion> versions{{"matmul.cpu", space.members()[0].source->version}};
  WarmStartReader reader(log_, task_key(mine), space, columns, versions);
  EXPECT_EQ(reader.read(1).value().observations.size(), 2u);
  EXPECT_FALSE(reader.read(1)) << "nothing new";
  record(mine, 2, 200);
  EXPECT_FALSE(reader.read(3)) << "nor of its own";
  record(task("m=80 n=96 k=96"), 3, 200);
  const std::optional<WarmStart> again = reader.read(3);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->observations.size(), 5u);
  const WarmStart fresh = start(mine, 3);
  ASSERT_EQ(fresh.observations.size(), 5u);
  EXPECT_EQ(again->points, fresh.points);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(again->observations[i].throughput, fresh.observations[i].throughput);
    EXPECT_THAT(again->observations[i].features,
                ::testing::Pointwise(::testing::NanSensitiveFloatEq(), fresh.observations[i].features));
  }
  EXPECT_FALSE(reader.read(3));
}

TEST_F(WarmStartTest, ATaskWithManyTrialsGetsPointsAndNoLessons) {
  record(task("m=64 n=64 k=64"), 4, 100);
  const Task mine = task("m=96 n=96 k=96");
  EXPECT_EQ(start(mine, 511).observations.size(), 4u);
  const WarmStart warm = start(mine, 512);
  EXPECT_TRUE(warm.observations.empty());
  EXPECT_EQ(warm.points, start(mine).points);
  EXPECT_FALSE(warm.points.empty());
}

TEST_F(WarmStartTest, WhatAnotherCompilerMadeOfTheWorkloadComesFirst) {
  const Task mine = task("m=96 n=96 k=96");
  record(task("m=64 n=64 k=64"), 2, 100);
  record(mine, 3, 100, "another compiler");
  const auto all = log_.relatives(task_key(mine), 6);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].workload.text, mine.workload.str());
  const SearchSpace space(mine, "matmul.cpu");
  ASSERT_FALSE(start(mine).points.empty());
  EXPECT_EQ(start(mine).points.front(), space.seeds().front()) << "its fastest";
}

TEST_F(WarmStartTest, WhatWasRecordedForTheFormerTargetComesFirst) {
  const Task mine = task("m=96 n=96 k=96");
  record(task("m=64 n=64 k=64"), 2, 100);
  record(mine, 3, 100);
  TaskKey renamed = task_key(mine);
  renamed.former_target = renamed.target;
  renamed.target = "cpu,isa=avx512,threads=1,llvm_cpu=znver5";
  const auto all = log_.relatives(renamed, 6);
  ASSERT_EQ(all.size(), 1u) << "other shapes of the former target are left out";
  EXPECT_EQ(all[0].workload.text, mine.workload.str());
  EXPECT_EQ(all[0].trials.size(), 3u);
}

TEST_F(WarmStartTest, TrialsOfAnotherVersionOfTheTemplateAreLeftOut) {
  record(task("m=64 n=64 k=64"), 2, 100);
  const auto all = log_.relatives(task_key(task("m=96 n=96 k=96")), 6);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].workload.text, task("m=64 n=64 k=64").workload.str());
  ASSERT_EQ(all[0].trials.size(), 2u);
  const TrialId wanted[] = {all[0].trials[1], 12345, all[0].trials[0]};
  const std::vector<TrialRecord> whole = log_.trials_of(all[0], wanted);
  ASSERT_EQ(whole.size(), 2u) << "one that is not there is left out";
  for (const int i : {0, 1}) {
    const auto related = static_cast<std::size_t>(1 - i);
    const TrialRecord& trial = whole[static_cast<std::size_t>(i)];
    EXPECT_EQ(trial.id, all[0].trials[related]);
    EXPECT_EQ(trial.measurement.timing.median_ns, all[0].times[related]) << "the session has no anchor";
    EXPECT_TRUE(trial.measurement.timing.samples_ns.empty()) << "nobody looks at them";
    EXPECT_FALSE(trial.point.config.entries().empty());
  }
  EXPECT_TRUE(log_.relatives(task_key(task("m=96 n=96 k=96")), 6, {{"matmul.cpu", 999}}).empty());
}

}  // namespace
}  // namespace nestwright
