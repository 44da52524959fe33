// Importance finds the knob that matters, and says nothing where no knob does.
#include "report/importance.h"

#include <gmock/gmock.h>

#include <random>

#include "tests/report/trials.h"

namespace nestwright::report {
namespace {

/// Trials whose time depends on `of` the values of three knobs with four values each.
template <class Time>
TrialColumns trials_of(std::size_t count, const Time& time) {
  std::mt19937_64 random(3);
  std::vector<double> times;
  std::vector<std::int32_t> a, b, c;
  for (std::size_t i = 0; i < count; ++i) {
    for (auto* knob : {&a, &b, &c}) knob->push_back(static_cast<std::int32_t>(random() % 4));
    times.push_back(time(a.back(), b.back(), c.back(), random));
  }
  TrialColumns trials = timed_trials(times);
  const std::vector<std::string> numbers{"1", "2", "4", "8"};
  add_knob(trials, "a", numbers, a);
  add_knob(trials, "b", {"block", "no", "rows", "whole"}, b);
  add_knob(trials, "c", numbers, c);
  return trials;
}

/// The importance of the knobs of the first template; all times are in one unit.
Importance importance_of(const TrialColumns& trials) { return knob_importance(trials, trials.median_ns, 0); }

double noise(std::mt19937_64& random) { return std::uniform_real_distribution<double>(0.98, 1.02)(random); }

TEST(ImportanceTest, FindsTheKnobThatMatters) {
  const Importance found = importance_of(trials_of(
      300, [](int, int b, int c, std::mt19937_64& random) { return (100.0 + 60 * b + 8 * c) * noise(random); }));
  ASSERT_TRUE(found.audit && found.audit->passes());
  ASSERT_EQ(found.knobs.size(), 3);
  EXPECT_EQ(found.knobs[0].knob, 1);
  EXPECT_GT(found.knobs[0].drop, 0.5);
  EXPECT_LE(found.knobs[0].least, found.knobs[0].drop);
  EXPECT_GE(found.knobs[0].most, found.knobs[0].drop);
  EXPECT_EQ(found.knobs[1].knob, 2);
  EXPECT_LT(found.knobs[2].drop, 0.1);
}

TEST(ImportanceTest, FindsTheKnobsThatInteract) {
  const Importance found = importance_of(trials_of(400, [](int a, int b, int c, std::mt19937_64& random) {
    return (100.0 + 10 * b + ((a < 2) == (c < 2) ? 0 : 80)) * noise(random);
  }));
  ASSERT_TRUE(found.interaction);
  EXPECT_EQ(std::min(found.interaction->first, found.interaction->second), 0);
  EXPECT_EQ(std::max(found.interaction->first, found.interaction->second), 2);
}

TEST(ImportanceTest, SaysNothingWhereNoKnobMatters) {
  const Importance found =
      importance_of(trials_of(300, [](int, int, int, std::mt19937_64& random) { return 100 * noise(random); }));
  ASSERT_TRUE(found.audit);
  EXPECT_FALSE(found.audit->passes());
  EXPECT_TRUE(found.knobs.empty());
  EXPECT_FALSE(found.interaction);
}

TEST(ImportanceTest, DoesNotJudgeFewTrials) {
  EXPECT_FALSE(importance_of(trials_of(3, [](int a, int, int, std::mt19937_64&) { return 100.0 + a; })).audit);
  EXPECT_FALSE(importance_of(TrialColumns()).audit);
}

TEST(ImportanceTest, LearnsFromComparableTimesOnly) {
  const TrialColumns trials =
      trials_of(300, [](int a, int, int, std::mt19937_64& random) { return (100 + 50 * a) * noise(random); });
  std::vector<double> times = trials.median_ns;
  std::fill_n(times.begin(), 100, 0);
  EXPECT_EQ(knob_importance(trials, times, 0).trials, 200);
}

TEST(ImportanceTest, AKnobDoesNotStandForItsTemplate) {
  TrialColumns trials = trials_of(300, [](int, int, int, std::mt19937_64& random) { return 100 * noise(random); });
  trials.spaces.push_back({"matmul.split_k", 1});
  for (std::size_t i = 0; i < trials.size(); i += 2) {  // half as fast, and without the knobs of the first
    trials.space[i] = 1;
    trials.median_ns[i] *= 2;
    for (KnobColumn& column : trials.knobs) column.value[i] = -1;
  }
  const Importance found = importance_of(trials);
  EXPECT_EQ(found.trials, 150);
  EXPECT_TRUE(found.knobs.empty());
}

TEST(ImportanceTest, AKnobOfABranchIsPermutedWithinIt) {
  // The branch "whole" of b is fast and alone has c, whose values do not matter.
  TrialColumns trials = trials_of(
      400, [](int, int b, int, std::mt19937_64& random) { return (b == 3 ? 100 : 200 + 20 * b) * noise(random); });
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials.knobs[1].value[i] != 3) trials.knobs[2].value[i] = -1;
  }
  const Importance found = importance_of(trials);
  ASSERT_FALSE(found.knobs.empty());
  EXPECT_EQ(found.knobs[0].knob, 1);
  for (const KnobImportance& of : found.knobs) {
    if (of.knob == 2) EXPECT_LT(of.drop, 0.1);
  }
}

}  // namespace
}  // namespace nestwright::report
