#include "search/budget/effort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "nestwright/error.h"

namespace nestwright {
namespace {

TEST(Effort, NamesAreReadBack) {
  EXPECT_THAT(effort_names(), ::testing::ElementsAre("quick", "normal", "full"));
  for (const std::string& name : effort_names()) EXPECT_EQ(effort_name(parse_effort(name)), name);
}

TEST(Effort, AnUnknownOneIsRefusedWithTheKnownOnes) {
  EXPECT_THAT([] { parse_effort("heroic"); },
              ::testing::ThrowsMessage<UsageError>("unknown effort 'heroic': use one of quick, normal, full"));
}

TEST(Effort, MoreEffortIsMoreOfEverything) {
  const EffortPlan quick = plan_of(Effort::kQuick), normal = plan_of(Effort::kNormal), full = plan_of(Effort::kFull);
  EXPECT_LT(quick.seconds, normal.seconds);
  EXPECT_LT(normal.seconds, full.seconds);
  EXPECT_GT(quick.until_gain, normal.until_gain);
  EXPECT_EQ(full.until_gain, 0) << "never";
  EXPECT_LE(quick.finalists, normal.finalists);
  EXPECT_LT(normal.finalists, full.finalists);
  EXPECT_GE(quick.processes, 7) << "fewer give no interval by ranks";
  EXPECT_LT(quick.processes, normal.processes);
  EXPECT_LT(normal.processes, full.processes);
  EXPECT_LE(quick.finalist_samples, normal.finalist_samples);
}

TEST(Effort, TheTableOfTheHeaderIsTrue) {
  std::ifstream file(NESTWRIGHT_SOURCE_DIR "/search/budget/effort.h");
  std::stringstream text;
  text << file.rdbuf();
  for (const std::string& name : effort_names()) {
    const EffortPlan plan = plan_of(parse_effort(name));
    const std::string early = plan.until_gain > 0 ? fmt::format("{:g}%", 100 * plan.until_gain) : "never";
    EXPECT_THAT(text.str(), ::testing::HasSubstr(fmt::format("//   {:6} | {:7g} | {:>16} | {:9} | {:9} | {:15}\n", name,
                                                             plan.seconds, early, plan.finalists, plan.processes,
                                                             plan.finalist_samples)));
  }
}

TEST(Effort, CompletesABudgetThatSaysNothing) {
  Budget budget{.early_stop = 100};
  complete(budget, Effort::kQuick);
  EXPECT_EQ(budget.seconds, 10);
  EXPECT_EQ(budget.until_gain, 0.02);
  EXPECT_EQ(budget.early_stop, 100);
  EXPECT_EQ(budget.trials, 0);
}

TEST(Effort, LeavesABudgetAsItIsThatWasGiven) {
  Budget by_trials{.trials = 50}, by_seconds{.seconds = 5};
  complete(by_trials, Effort::kFull);
  complete(by_seconds, Effort::kNormal);
  EXPECT_EQ(by_trials.seconds, 0);
  EXPECT_EQ(by_trials.until_gain, 0);
  EXPECT_EQ(by_seconds.seconds, 5);
  EXPECT_EQ(by_seconds.until_gain, 0);
}

}  // namespace
}  // namespace nestwright
