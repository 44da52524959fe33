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

double noise(std::mt19937_64& random) { return std::uniform_real_distribution<double>(0.98, 1.02)(random); }

TEST(ImportanceTest, FindsTheKnobThatMatters) {
  const Importance found = knob_importance(trials_of(
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
  const Importance found = knob_importance(trials_of(400, [](int a, int b, int c, std::mt19937_64& random) {
    return (100.0 + 10 * b + ((a < 2) == (c < 2) ? 0 : 80)) * noise(random);
  }));
  ASSERT_TRUE(found.interaction);
  EXPECT_EQ(std::min(found.interaction->first, found.interaction->second), 0);
  EXPECT_EQ(std::max(found.interaction->first, found.interaction->second), 2);
}

TEST(ImportanceTest, SaysNothingWhereNoKnobMatters) {
  const Importance found =
      knob_importance(trials_of(300, [](int, int, int, std::mt19937_64& random) { return 100 * noise(random); }));
  ASSERT_TRUE(found.audit);
  EXPECT_FALSE(found.audit->passes());
  EXPECT_TRUE(found.knobs.empty());
  EXPECT_FALSE(found.interaction);
}

TEST(ImportanceTest, DoesNotJudgeFewTrials) {
  EXPECT_FALSE(knob_importance(trials_of(3, [](int a, int, int, std::mt19937_64&) { return 100.0 + a; })).audit);
  EXPECT_FALSE(knob_importance(TrialColumns()).audit);
}

TEST(ImportanceTest, IgnoresFailuresAndDisturbedTrials) {
  TrialColumns trials =
      trials_of(300, [](int a, int, int, std::mt19937_64& random) { return (100 + 50 * a) * noise(random); });
  for (std::size_t i = 0; i < 100; ++i) {
    trials.median_ns[i] = 1;
    trials.flags[i] |= kIsDisturbed;
  }
  EXPECT_EQ(knob_importance(trials).trials, 200);
}

}  // namespace
}  // namespace nestwright::report
