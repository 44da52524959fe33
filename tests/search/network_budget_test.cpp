// The budget of a network of 23 made-up tasks, beside an even allocation: some kernels occur often, some once; some
// start near the roofline and have nothing to gain.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "search/budget/shared_budget.h"
#include "search/budget/task_allocator.h"
#include "tests/support/fake_clock.h"

namespace nestwright {
namespace {

constexpr double kTurn_s = 2;
constexpr std::int64_t kBatch = 16;
constexpr int kSeedTurns = 2;

/// A task whose excess over the best time that a long search finds halves with each doubling of its turns.
struct Curve {
  double calls = 1;
  double limit_ns = 1e5;        ///< that a long search comes near to
  double excess = 0.1;          ///< of the first turn, relative to limit_ns
  double roofline_share = 0.5;  ///< of limit_ns

  double ns(int turns) const { return limit_ns * (1 + excess / turns); }
  double roof_ns() const { return roofline_share * limit_ns; }
};

class CurveRun final : public TaskRun {
 public:
  CurveRun(const Curve& curve, FakeClock& clock, std::vector<double>& seconds_of_turns)
      : curve_(curve), clock_(clock), ends_(seconds_of_turns) {}
  bool step() override {
    clock_.advance(static_cast<std::int64_t>(kTurn_s * 1e9));
    const double before = best_ns();
    ends_.push_back(static_cast<double>(clock_.now_ns()) * 1e-9);
    result_.trials += kBatch;
    if (before > 0 && best_ns() < before) improvements_.push_back({seconds(), before / best_ns()});
    outlook_.emplace(
        SearchOutlook{.roofline_share = curve_.roof_ns() / best_ns(), .has_starting_points = turns() < kSeedTurns});
    return true;
  }
  void limit(std::int64_t, double) override {}
  SessionResult finish_within(double, double) override { return result_; }
  const SessionResult& so_far() const override { return result_; }
  double best_ns() const override { return turns() == 0 ? 0 : curve_.ns(turns()); }
  double seconds() const override { return turns() * kTurn_s; }
  double race_seconds() const override { return 0; }
  double finish_seconds() const override { return std::numeric_limits<double>::infinity(); }
  const std::optional<SearchOutlook>& outlook() const override { return outlook_; }
  std::optional<double> remaining_gain() const override {
    if (result_.trials < 64) return std::nullopt;
    return nestwright::remaining_gain(improvements_, seconds(), *outlook_);
  }

 private:
  int turns() const { return static_cast<int>(ends_.size()); }

  const Curve curve_;
  FakeClock& clock_;
  std::vector<double>& ends_;
  SessionResult result_;
  std::optional<SearchOutlook> outlook_;
  std::vector<Improvement> improvements_;
};

class NetworkBudgetTest : public ::testing::Test {
 protected:
  NetworkBudgetTest() {
    for (int i = 0; i < 8; ++i)
      curves_.push_back({.calls = 5, .limit_ns = 4e5, .excess = 0.03, .roofline_share = 0.96});
    for (int i = 0; i < 4; ++i) curves_.push_back({.calls = 4, .limit_ns = 6e5, .excess = 0.4, .roofline_share = 0.6});
    for (int i = 0; i < 6; ++i) curves_.push_back({.calls = 1, .limit_ns = 5e5, .excess = 0.6, .roofline_share = 0.4});
    for (int i = 0; i < 3; ++i)
      curves_.push_back({.calls = 1, .limit_ns = 3e5, .excess = 0.02, .roofline_share = 0.97});
    for (int i = 0; i < 2; ++i) curves_.push_back({.calls = 1, .limit_ns = 5e3, .excess = 0.5, .roofline_share = 0.1});
  }

  std::vector<TaskOutcome> run(const SharedBudget& budget) {
    turns_.assign(curves_.size(), {});
    std::vector<SharedTask> tasks;
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      const Curve& curve = curves_[i];
      // The estimate knows neither the roofline nor the machine.
      tasks.push_back({.weight = curve.calls, .estimated_ns = curve.roof_ns() / 3, .seeds = kBatch * kSeedTurns});
      tasks.back().open = [this, i] { return std::make_unique<CurveRun>(curves_[i], clock_, turns_[i]); };
    }
    return share_budget(tasks, budget, clock_, nullptr, [&](const SharedProgress& p) { progress_.push_back(p); });
  }

  /// The time of the network after this number of turns of each task.
  double whole_ns(const std::function<int(std::size_t)>& turns_of) const {
    double whole = 0;
    for (std::size_t i = 0; i < curves_.size(); ++i) whole += curves_[i].calls * curves_[i].ns(turns_of(i));
    return whole;
  }
  double limit_ns() const {
    return whole_ns([](std::size_t) { return 1'000'000; });
  }
  /// The seconds until the run was within `excess` of what a long search finds.
  double seconds_to(double excess) const {
    for (const SharedProgress& p : progress_) {
      if (p.is_timed && p.whole_ns <= (1 + excess) * limit_ns()) return p.seconds;
    }
    return std::numeric_limits<double>::infinity();
  }
  /// The same for an allocation that gives all tasks a turn in each round.
  double even_seconds_to(double excess) const {
    for (int rounds = 1;; ++rounds) {
      const double whole = whole_ns([&](std::size_t) { return rounds; });
      if (whole <= (1 + excess) * limit_ns()) return rounds * kTurn_s * static_cast<double>(curves_.size());
    }
  }
  int turns_of(std::size_t task) const { return static_cast<int>(turns_[task].size()); }

  std::vector<Curve> curves_;
  FakeClock clock_;
  std::vector<std::vector<double>> turns_;  ///< the ends of each task's turns, in seconds
  std::vector<SharedProgress> progress_;
};

constexpr SharedBudget kTenMinutes{.objective = ListObjective::kTotalTime, .seconds = 600};

TEST_F(NetworkBudgetTest, ComesNearTheBestSoonerThanAnEvenAllocation) {
  run(kTenMinutes);
  // Starting points come first, so that there is no difference before they are tried.
  EXPECT_LT(seconds_to(0.05), 0.85 * even_seconds_to(0.05)) << even_seconds_to(0.05);
  EXPECT_LT(seconds_to(0.03), 0.7 * even_seconds_to(0.03)) << even_seconds_to(0.03);
  EXPECT_LT(seconds_to(0.02), 0.65 * even_seconds_to(0.02)) << even_seconds_to(0.02);
}

TEST_F(NetworkBudgetTest, WhatMattersIsNearItsBestAfterTenMinutes) {
  run(kTenMinutes);
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    const double share = curves_[i].calls * curves_[i].limit_ns / limit_ns();
    if (share < 0.02) continue;
    EXPECT_LT(curves_[i].ns(turns_of(i)), 1.1 * curves_[i].limit_ns) << "task " << i << ", " << turns_of(i) << " turns";
  }
}

TEST_F(NetworkBudgetTest, StartingPointsComeFirstAndNoTaskStarves) {
  run(kTenMinutes);
  double seeded_s = 0;
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    ASSERT_GE(turns_of(i), 1);
    const double share = curves_[i].calls * curves_[i].limit_ns / limit_ns();
    if (share < 2 * kMinShare) continue;
    ASSERT_GE(turns_of(i), kSeedTurns);
    seeded_s = std::max(seeded_s, turns_[i][kSeedTurns - 1]);
  }
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    EXPECT_LE(turns_[i][0], kTurn_s * static_cast<double>(curves_.size())) << "a turn for each";
    if (turns_of(i) > kSeedTurns) EXPECT_GT(turns_[i][kSeedTurns], seeded_s) << "task " << i;
  }
}

TEST_F(NetworkBudgetTest, ASmallBudgetTriesStartingPointsOfTheLongestTasks) {
  run({.objective = ListObjective::kTotalTime, .seconds = kTurn_s * 25});
  const double longest = curves_[8].calls * curves_[8].ns(1);  // of four tasks
  int second_turns = 0;
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    if (curves_[i].calls * curves_[i].ns(1) < longest) EXPECT_EQ(turns_of(i), 1) << "task " << i;
    second_turns += turns_of(i) - 1;
  }
  EXPECT_EQ(second_turns, 2);
}

TEST_F(NetworkBudgetTest, TheRunEndsWhereTheWholeGainsLittle) {
  const auto outcomes = run({.objective = ListObjective::kTotalTime, .until_gain = 0.01, .seconds = 1e5});
  EXPECT_LT(progress_.back().seconds, 3600);
  EXPECT_LT(progress_.back().whole_ns, 1.03 * limit_ns());
  for (const TaskOutcome& outcome : outcomes) {
    EXPECT_THAT(outcome.result.stop_reason, ::testing::HasSubstr("of the whole, less than"));
    EXPECT_TRUE(outcome.is_tuned);
  }
  EXPECT_EQ(progress_.back().tuned_share, 1);
  EXPECT_EQ(turns_of(22), kSeedTurns) << "it has a ten thousandth of the time";
}

}  // namespace
}  // namespace nestwright
