// Sharing a budget among made-up tasks on a made-up clock.
#include "search/budget/shared_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "nestwright/error.h"
#include "tests/support/fake_clock.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

/// The script of a made-up task: `bests` after each of its turns; the last one stays.
struct Plan {
  std::vector<double> bests = {100};
  std::int64_t space = 1'000'000;  ///< trials until the space is exhausted
  double turn_s = 1;
  std::int64_t batch = 10;
  int fails_at = -1;  ///< turn
  std::string failure = "its worker does not start";
  bool log_fails = false;
  int seed_turns = 2;  ///< turns until the starting points are tried
  std::optional<double> roofline_share;
  std::optional<double> remaining_gain;  ///< that the run estimates once its starting points are tried
};

struct Stage {
  FakeClock clock;
  std::vector<std::string> told;  ///< "open a", "finish a", ...
  double finish_s = 0;            ///< that all runs together may take to finish after an interruption
  std::vector<double> races_s;    ///< that each run may take to finish, in order
  double race_takes_s = 0;        ///< that each race takes, if it may
};

class SyntheticRun final : public TaskRun {
 public:
  SyntheticRun(const Plan& plan, const std::string& name, Stage& stage, int& turns)
      : plan_(plan), name_(name), stage_(stage), turns_(turns) {
    stage.told.push_back("open " + name);
  }
  bool step() override {
    if (turns_ == plan_.fails_at) {
      if (plan_.log_fails) throw LogError(plan_.failure);
      throw Error(plan_.failure);
    }
    if (!result_.stop_reason.empty()) return false;
    const std::int64_t n = trials_ > 0 ? std::min(plan_.batch, trials_) : plan_.batch;
    stage_.clock.advance(static_cast<std::int64_t>(plan_.turn_s * 1e9));
    seconds_ += plan_.turn_s;
    result_.trials += n;
    result_.outcomes[Outcome::kOk] += n;
    ++turns_;
    outlook_.emplace(
        SearchOutlook{.roofline_share = plan_.roofline_share, .has_starting_points = turns_ < plan_.seed_turns});
    if (result_.trials >= plan_.space) result_.stop_reason = "every valid configuration was measured";
    return true;
  }
  void limit(std::int64_t trials, double seconds) override {
    trials_ = trials;
    granted.push_back(seconds);
  }
  SessionResult finish_within(double seconds, double interrupted_s) override {
    stage_.told.push_back("finish " + name_);
    stage_.finish_s += interrupted_s;
    stage_.races_s.push_back(seconds);
    stage_.clock.advance(static_cast<std::int64_t>(std::min(seconds, stage_.race_takes_s) * 1e9));
    result_.seconds = seconds_;
    return result_;
  }
  const SessionResult& so_far() const override { return result_; }
  double best_ns() const override {
    return turns_ == 0 ? 0 : plan_.bests[std::min<std::size_t>(turns_ - 1, plan_.bests.size() - 1)];
  }
  double seconds() const override { return seconds_; }
  double race_seconds() const override { return 2; }
  double finish_seconds() const override { return std::numeric_limits<double>::infinity(); }
  const std::optional<SearchOutlook>& outlook() const override { return outlook_; }
  std::optional<double> remaining_gain() const override {
    return turns_ < plan_.seed_turns ? std::nullopt : plan_.remaining_gain;
  }

  std::vector<double> granted;

 private:
  Plan plan_;
  std::string name_;
  Stage& stage_;
  int& turns_;
  SessionResult result_;
  std::optional<SearchOutlook> outlook_;
  std::int64_t trials_ = 0;
  double seconds_ = 0;
};

class SharedBudgetTest : public ::testing::Test {
 protected:
  void add(const std::string& name, const Plan& plan, double weight = 1) {
    turns_.push_back(std::make_unique<int>(0));
    tasks_.push_back({.name = name, .weight = weight, .seeds = 20});
    tasks_.back().open = [this, plan, name, turns = turns_.back().get()] {
      return std::make_unique<SyntheticRun>(plan, name, stage_, *turns);
    };
  }
  std::vector<TaskOutcome> run(const SharedBudget& budget, const std::atomic<bool>* interrupt = nullptr) {
    return share_budget(tasks_, budget, stage_.clock, interrupt, [&](const SharedProgress& p) {
      if (p.races_left == 0) order_.push_back(tasks_[p.task].name);
      last_ = p;
    });
  }

  Stage stage_;
  std::vector<SharedTask> tasks_;
  std::vector<std::unique_ptr<int>> turns_;
  std::vector<std::string> order_;  ///< of turns
  SharedProgress last_;
};

TEST_F(SharedBudgetTest, ATurnForEachThenSeedsThenWhereMostIsGained) {
  add("still", {.bests = {100}});
  add("gaining", {.bests = {100, 90, 80, 70, 60, 50, 40, 30}});
  const auto outcomes = run({.trials = 100});
  EXPECT_THAT(std::vector(order_.begin(), order_.begin() + 4), ElementsAre("still", "gaining", "still", "gaining"));
  EXPECT_GT(outcomes[1].result.trials, outcomes[0].result.trials);
  EXPECT_EQ(outcomes[0].result.trials + outcomes[1].result.trials, 100);
  for (const TaskOutcome& outcome : outcomes) EXPECT_EQ(outcome.result.stop_reason, "the shared budget is over");
}

TEST_F(SharedBudgetTest, TheLastBatchIsCutToWhatIsLeft) {
  add("a", {});
  EXPECT_EQ(run({.trials = 13})[0].result.trials, 13);
}

TEST_F(SharedBudgetTest, SecondsHoldWithTheFinalRaces) {
  add("a", {});
  add("b", {});
  const auto outcomes = run({.seconds = 20});
  // Two races of two seconds each are reserved; the turn that begins before that time is the last.
  EXPECT_EQ(stage_.clock.now_ns(), 16'000'000'000);
  EXPECT_DOUBLE_EQ(outcomes[0].result.seconds + outcomes[1].result.seconds, 16);
}

TEST_F(SharedBudgetTest, RacesShareWhatIsLeft) {
  for (const char* name : {"a", "b", "c", "d"}) add(name, {});
  run({.seconds = 100});
  // 92 s of search, as four races take 2 s each, and 1 s of overrun: the first has a quarter, and leaves its time.
  EXPECT_EQ(stage_.clock.now_ns(), 92'000'000'000);
  EXPECT_THAT(stage_.races_s, ElementsAre(2.25, 3, 4.5, 9));
}

TEST_F(SharedBudgetTest, RacesThatTakeLongerThanEstimatedEndWithTheBudget) {
  stage_.race_takes_s = 30;
  for (const char* name : {"a", "b", "c", "d"}) add(name, {});
  run({.seconds = 100});
  EXPECT_EQ(stage_.clock.now_ns(), 101'000'000'000);
  EXPECT_THAT(stage_.races_s, ElementsAre(2.25, 2.25, 2.25, 2.25));
}

TEST_F(SharedBudgetTest, ATurnThatTakesLongerLeavesNoTimeForRaces) {
  add("slow", {.turn_s = 150});
  add("other", {});
  run({.seconds = 100});
  EXPECT_THAT(stage_.races_s, ElementsAre(0));
}

TEST_F(SharedBudgetTest, ARaceBeforeTheEndHasAShareOfTheTime) {
  stage_.race_takes_s = 30;
  add("small", {.space = 30});
  add("large", {});
  run({.seconds = 100});
  EXPECT_THAT(stage_.races_s.front(), 3) << "half as long again as estimated";
  EXPECT_LE(stage_.clock.now_ns(), 101'000'000'000);
}

TEST_F(SharedBudgetTest, WithoutABudgetInSecondsRacesTakeTheirTime) {
  add("small", {.space = 30});
  add("large", {});
  run({.trials = 60});
  const double unlimited = std::numeric_limits<double>::infinity();
  EXPECT_THAT(stage_.races_s, ElementsAre(unlimited, unlimited));
}

TEST_F(SharedBudgetTest, HeavierTasksGetMore) {
  add("light", {});
  add("heavy", {}, 3);
  const auto outcomes = run({.seconds = 84});
  EXPECT_NEAR(outcomes[1].result.seconds / outcomes[0].result.seconds, 3, 0.2);
}

TEST_F(SharedBudgetTest, OfTheTotalTimeATaskHasItsCallsTimesTheTimeOfOne) {
  add("short", {.bests = {100}}, 30);
  add("long", {.bests = {1000}}, 3);
  add("rare", {.bests = {1000}}, 1);
  const auto outcomes = run({.objective = ListObjective::kTotalTime, .seconds = 146});
  EXPECT_NEAR(outcomes[1].result.seconds / outcomes[0].result.seconds, 1, 0.05);
  EXPECT_NEAR(outcomes[2].result.seconds / outcomes[0].result.seconds, 1.0 / 3, 0.05);
}

TEST_F(SharedBudgetTest, WhereTheBudgetIsSmallWhatIsExpectedToTakeLongComesFirst) {
  for (const char* name : {"a", "b", "c"}) add(name, {.bests = {500}, .turn_s = 3});
  tasks_[0].estimated_ns = 10;
  tasks_[1].estimated_ns = 30;
  tasks_[2].estimated_ns = 7;
  tasks_[2].weight = 2;
  run({.objective = ListObjective::kTotalTime, .seconds = 100});
  EXPECT_THAT(std::vector(order_.begin(), order_.begin() + 4), ElementsAre("b", "c", "a", "c"))
      << "now c takes longest";
}

TEST_F(SharedBudgetTest, WhatEarlierRunsFoundReplacesTheEstimate) {
  add("estimated", {});
  add("known", {});
  tasks_[1].known_ns = 3;
  tasks_[1].earlier_trials = 5;
  tasks_[0].estimated_ns = tasks_[1].estimated_ns = 1;
  run({.objective = ListObjective::kTotalTime, .trials = 10});
  EXPECT_DOUBLE_EQ(last_.whole_ns, 103);
  EXPECT_TRUE(last_.is_timed);
}

TEST_F(SharedBudgetTest, ProgressHasTheTimeOfTheWholeAndHowMuchOfItIsTuned) {
  add("a", {.bests = {300, 200}}, 2);
  add("b", {.bests = {400}}, 1);
  tasks_[0].estimated_ns = tasks_[1].estimated_ns = 1;
  std::vector<SharedProgress> seen;
  share_budget(tasks_, {.objective = ListObjective::kTotalTime, .trials = 40}, stage_.clock, nullptr,
               [&](const SharedProgress& p) { seen.push_back(p); });
  ASSERT_GE(seen.size(), 4u);
  EXPECT_DOUBLE_EQ(seen[0].whole_ns, 900) << "b is expected to take as long as a";
  EXPECT_FALSE(seen[0].is_timed);
  EXPECT_DOUBLE_EQ(seen[1].whole_ns, 1000);
  EXPECT_TRUE(seen[1].is_timed);
  EXPECT_EQ(seen[1].tuned_share, 0);
  EXPECT_DOUBLE_EQ(seen[2].whole_ns, 800) << "a's starting points are tried";
  EXPECT_DOUBLE_EQ(seen[2].tuned_share, 0.5);
  EXPECT_DOUBLE_EQ(seen[3].tuned_share, 1);
}

TEST_F(SharedBudgetTest, ARunEndsWhereTheWholeGainsLittle) {
  add("long", {.bests = {900}, .remaining_gain = 0.0057});
  add("short", {.bests = {100}, .remaining_gain = 0.04});
  const SharedBudget budget{.objective = ListObjective::kTotalTime, .until_gain = 0.01, .trials = 1000};
  const auto outcomes = run(budget);
  // About 0.9 x 0.57% and 0.1 x 4%.
  EXPECT_THAT(order_, ElementsAre("long", "short", "long", "short"));
  for (const TaskOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome.result.stop_reason, "as much time again is expected to gain 0.9% of the whole, less than 1%");
    EXPECT_TRUE(outcome.is_tuned);
  }
  EXPECT_THAT(stage_.told, ElementsAre("open long", "open short", "finish long", "finish short"));
}

TEST_F(SharedBudgetTest, ATaskOfWhichTheWholeGainsLittleEndsEarly) {
  add("long", {.bests = {980}, .remaining_gain = 0.03});
  add("short", {.bests = {20}, .remaining_gain = 0.2});
  const auto outcomes = run({.objective = ListObjective::kTotalTime, .until_gain = 0.01, .trials = 100});
  EXPECT_EQ(outcomes[1].result.stop_reason,
            "as much time again is expected to gain 0.33% of the whole, less than an equal part of 1%");
  EXPECT_EQ(outcomes[1].result.trials, 20);
  EXPECT_EQ(outcomes[0].result.trials, 80);
  EXPECT_EQ(outcomes[0].result.stop_reason, "the shared budget is over");
}

TEST_F(SharedBudgetTest, NoTaskEndsBeforeItsStartingPointsAreTried) {
  add("long", {.bests = {1e6}, .remaining_gain = 0});
  add("short", {.bests = {1}, .seed_turns = 4, .remaining_gain = 0});
  add("without a right result", {.bests = {0}, .space = 70, .remaining_gain = 0});
  const auto outcomes = run({.objective = ListObjective::kTotalTime, .until_gain = 0.01, .trials = 1000});
  EXPECT_EQ(outcomes[0].result.trials, 20);
  EXPECT_EQ(outcomes[1].result.trials, 40);
  EXPECT_EQ(outcomes[2].result.stop_reason, "every valid configuration was measured");
}

TEST_F(SharedBudgetTest, WhatIsExhaustedEndsAtOnceAndTheOthersGoOn) {
  add("small", {.space = 30});
  add("large", {});
  const auto outcomes = run({.trials = 100});
  EXPECT_EQ(outcomes[0].result.stop_reason, "every valid configuration was measured");
  EXPECT_EQ(outcomes[0].result.trials, 30);
  EXPECT_EQ(outcomes[1].result.trials, 70);
  EXPECT_THAT(stage_.told, ElementsAre("open small", "open large", "finish small", "finish large"));
}

TEST_F(SharedBudgetTest, AFailureIsTheTasksOwn) {
  add("bad", {.fails_at = 1});
  add("good", {});
  const auto outcomes = run({.trials = 60});
  EXPECT_EQ(outcomes[0].failure, "its worker does not start");
  EXPECT_EQ(outcomes[0].result.stop_reason, "failed");
  EXPECT_EQ(outcomes[0].result.trials, 10) << "what it did before counts";
  EXPECT_EQ(outcomes[1].failure, "");
  EXPECT_EQ(outcomes[1].result.trials, 50);
}

TEST_F(SharedBudgetTest, AFailureOfTheDatabaseIsEverybodys) {
  add("a", {.fails_at = 0, .failure = "the disk is full", .log_fails = true});
  add("b", {});
  EXPECT_THAT([&] { run({.trials = 60}); }, ::testing::ThrowsMessage<LogError>("the disk is full"));
}

TEST_F(SharedBudgetTest, WhatWasNeverReachedSaysSo) {
  add("first", {.turn_s = 50});
  add("second", {});
  const auto outcomes = run({.seconds = 10});
  EXPECT_TRUE(outcomes[0].started);
  EXPECT_FALSE(outcomes[1].started);
  EXPECT_EQ(outcomes[1].result.stop_reason, "the shared budget is over");
}

TEST_F(SharedBudgetTest, AnInterruptEndsAllOfThem) {
  std::atomic<bool> interrupt = false;
  add("a", {});
  add("b", {});
  const auto outcomes = share_budget(tasks_, {.seconds = 1000}, stage_.clock, &interrupt,
                                     [&](const SharedProgress& p) { interrupt = p.trials >= 30; });
  EXPECT_EQ(outcomes[0].result.trials, 20);
  EXPECT_EQ(outcomes[1].result.trials, 10);
  for (const TaskOutcome& outcome : outcomes) EXPECT_EQ(outcome.result.stop_reason, "interrupted");
  EXPECT_DOUBLE_EQ(stage_.finish_s, kInterruptedFinish_s);
}

TEST_F(SharedBudgetTest, ARunGoesOnWithWhatEarlierOnesSpent) {
  add("much", {});
  add("little", {});
  tasks_[0].earlier_trials = tasks_[1].earlier_trials = 500;
  tasks_[0].earlier_seconds = 1000;
  tasks_[1].earlier_seconds = 10;
  const auto outcomes = run({.trials = 100});
  EXPECT_FALSE(outcomes[0].started) << "its seeds were measured, and the other one promises more";
  EXPECT_EQ(outcomes[1].result.trials, 100);
  EXPECT_EQ(outcomes[0].result.earlier_trials, 500);
}

/// Expects at most two open sessions at any time.
void expect_two_at_once(const std::vector<std::string>& told, const std::vector<TaskOutcome>& outcomes) {
  EXPECT_THAT(std::vector(told.begin(), told.begin() + 4), ElementsAre("open a", "open b", "finish a", "open c"));
  std::int64_t trials = 0;
  int open = 0, most = 0;
  for (const TaskOutcome& outcome : outcomes) trials += outcome.result.trials;
  for (const std::string& line : told) most = std::max(most, open += line.rfind("open", 0) == 0 ? 1 : -1);
  EXPECT_EQ(trials, 90) << "what a task's sessions did is added up";
  EXPECT_EQ(most, 2);
  EXPECT_EQ(open, 0);
}

TEST_F(SharedBudgetTest, SessionsThatDoNotFitIntoMemoryTakeTurns) {
  for (const char* name : {"a", "b", "c"}) {
    add(name, {});
    tasks_.back().bytes = 10;
  }
  const auto outcomes = run({.trials = 90, .memory_bytes = 20});
  expect_two_at_once(stage_.told, outcomes);
}

TEST_F(SharedBudgetTest, SessionsBeyondTheirNumberTakeTurns) {
  for (const char* name : {"a", "b", "c"}) add(name, {});
  const auto outcomes = run({.trials = 90, .open_sessions = 2});
  expect_two_at_once(stage_.told, outcomes);
}

}  // namespace
}  // namespace nestwright
