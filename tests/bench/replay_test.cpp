// Strategies on the survey of a small product, and on a made-up record whose best point is known.

#include "bench/replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "search/propose/make_strategy.h"

namespace nestwright {
namespace {

class SurveyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1);
    path_ = (std::filesystem::temp_directory_path() / ("replay_test_" + std::to_string(getpid()) + ".db")).string();
    remove();
  }
  void TearDown() override { remove(); }

  const Task task_{parse_workload("matmul m=33 n=31 k=17"), Target::parse("host")};
  std::string path_;

 private:
  void remove() {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
  }
};

TEST_F(SurveyTest, MeasuresSeedsSamplesAndRelativesAndIsReplayedWithoutMeasuring) {
  TuningLog log = TuningLog::open(path_, OpenMode::kWrite);
  std::int64_t told = 0;
  survey(task_, log, {.samples = 12, .relatives = 8, .seed = 3}, [&](std::int64_t done) { told = done; });
  const std::vector<SurveyedPoint> surveyed = read_survey(log, task_);
  const std::size_t seeds = SearchSpace(task_).seeds().size();
  EXPECT_EQ(surveyed.size(), seeds + 20);
  EXPECT_EQ(told, static_cast<std::int64_t>(surveyed.size()));
  EXPECT_EQ(std::count_if(surveyed.begin(), surveyed.end(), [](const SurveyedPoint& p) { return p.is_sample; }), 12);
  std::set<std::string> keys;
  for (const SurveyedPoint& p : surveyed) {
    keys.insert(p.trial.point.key());
    EXPECT_FALSE(p.trial.has_failed());
    EXPECT_GT(p.trial.ns, 0);
  }
  EXPECT_EQ(keys.size(), surveyed.size());

  try {
    survey(task_, log, {});
    FAIL() << "a second survey was not refused";
  } catch (const UsageError& e) {
    EXPECT_EQ(std::string(e.what()), path_ + " has trials of 'matmul m=33 n=31 k=17' already: record it in a new file");
  }

  const Replay replay(task_, surveyed);
  EXPECT_EQ(replay.space().points().size(), surveyed.size()) << "what the log gives back are points of the space";
  for (const std::string& strategy : strategy_names()) {
    const auto measured = replay.run({.strategy = strategy, .trials = 10});
    EXPECT_EQ(measured.size(), 10u) << strategy;
  }
}

/// Seeds and samples of a larger product, with times that depend on the first knobs.
std::vector<SurveyedPoint> synthetic_record(const Task& task) {
  const SearchSpace space(task);
  std::vector<Point> points;
  SeenPoints seen;
  std::mt19937_64 random(1);
  for (const Point& seed : space.seeds()) {
    if (seen.insert(seed)) points.push_back(seed);
  }
  const std::size_t seeds = points.size();
  add_samples(space, 150, random, seen, points);
  std::vector<SurveyedPoint> record;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double ns = 1e6;
    for (const ConfigEntry& entry : points[i].config.entries()) {
      for (const std::int64_t value : entry.value) ns *= 1 - 0.01 * static_cast<double>(value % 7);
    }
    record.push_back({{0, points[i], ns}, true, i >= seeds});
  }
  return record;
}

class Replays : public ::testing::TestWithParam<std::string> {
 protected:
  const Task task_{parse_workload("matmul m=96 n=80 k=64"), Target::parse("cpu,isa=avx512,threads=2")};
  const std::vector<SurveyedPoint> record_ = synthetic_record(task_);
};

TEST_P(Replays, MeasureRecordedPointsOnceEachAndTheSameWithTheSameSeed) {
  const Replay replay(task_, record_);
  const ReplayOptions options{.strategy = GetParam(), .seed = 4, .trials = 64};
  const auto measured = replay.run(options);
  EXPECT_EQ(measured.size(), 64u);
  std::set<std::string> keys;
  for (const SurveyedPoint& p : measured) {
    EXPECT_TRUE(keys.insert(p.trial.point.key()).second) << "twice: " << p.trial.point.key();
    const auto recorded = std::find_if(record_.begin(), record_.end(), [&](const SurveyedPoint& r) {
      return r.trial.point.key() == p.trial.point.key();
    });
    ASSERT_NE(recorded, record_.end());
    EXPECT_EQ(p.trial.ns, recorded->trial.ns);
  }
  const auto again = replay.run(options);
  ASSERT_EQ(again.size(), measured.size());
  for (std::size_t i = 0; i < again.size(); ++i) EXPECT_EQ(again[i].trial.point, measured[i].trial.point);
}

INSTANTIATE_TEST_SUITE_P(Strategies, Replays, ::testing::ValuesIn(strategy_names()),
                         [](const auto& strategy) { return strategy.param; });

TEST(Replay, KnowsTheBestThatCounts) {
  const Task task{parse_workload("matmul m=96 n=80 k=64"), Target::parse("cpu,isa=avx512,threads=2")};
  std::vector<SurveyedPoint> record = synthetic_record(task);
  record.resize(20);
  record[5].trial.ns = 10;
  record[5].counts = false;  // for example, ended early
  record[9].trial.ns = 20;
  const Replay replay(task, record);
  EXPECT_EQ(replay.best_ns(), 20);
  EXPECT_EQ(replay.run({.strategy = "grid", .trials = 100}).size(), 20u) << "there are no more";
}

TEST(Replay, RefusesARecordOfNothing) {
  const Task task{parse_workload("matmul m=96 n=80 k=64"), Target::parse("cpu,isa=avx512,threads=2")};
  try {
    const Replay replay(task, {});
    FAIL() << "not refused";
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(),
                 "there is no record of 'matmul m=96 n=80 k=64' by this build's templates: make one with --record");
  }
}

}  // namespace
}  // namespace nestwright
