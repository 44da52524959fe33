#include "space/near_candidate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "spaces.h"

namespace nestwright {
namespace {

using testing_spaces::numbers;

Knob powers() { return {"tile", KnobKind::kKnob, {{1}, {2}, {4}, {8}, {16}, {32}, {64}, {128}, {256}, {512}}, {}}; }

/// All splits of 2^`doublings` into three powers of two.
Knob splits(int doublings) {
  Knob knob{"split", KnobKind::kSplit, {}, {}};
  for (int a = 0; a <= doublings; ++a) {
    for (int b = 0; a + b <= doublings; ++b) {
      knob.candidates.push_back({std::int64_t{1} << (doublings - a - b), std::int64_t{1} << a, std::int64_t{1} << b});
    }
  }
  return knob;
}

/// How often each candidate is drawn in 10,000 draws.
std::map<int, int> draws(const Knob& knob, int current) {
  std::mt19937_64 random(1);
  std::map<int, int> counts;
  for (int i = 0; i < 10'000; ++i) ++counts[near_candidate(knob, current, random)];
  return counts;
}

TEST(KnobDistance, CountsDoublingsOfEachPart) {
  EXPECT_DOUBLE_EQ(knob_distance({3}, {7}), 1);
  EXPECT_DOUBLE_EQ(knob_distance({0}, {1}), 1) << "0 has a distance, too";
  EXPECT_DOUBLE_EQ(knob_distance({3, 7}, {7, 3}), 2);
  EXPECT_EQ(knob_distance({5}, {5}), 0);
  EXPECT_EQ(knob_distance({-1}, {3}), 4) << "by value";
  EXPECT_EQ(knob_distance({1}, {1, 1}), std::numeric_limits<double>::infinity());
}

TEST(NearCandidate, OfNumbersPrefersNeighboursAndReachesAll) {
  const Knob knob = powers();
  std::map<int, int> counts = draws(knob, 4);
  EXPECT_EQ(counts.size(), 9u);
  EXPECT_FALSE(counts.contains(4));
  EXPECT_GT(counts[3] + counts[5], 4000) << "of 10,000; 2,200 if all were alike";
  EXPECT_GT(counts[3], counts[1]);
  EXPECT_GT(counts[5], counts[8]);
}

TEST(NearCandidate, DoesNotDependOnTheOrderOfTheCandidates) {
  const Knob knob{"padding", KnobKind::kKnob, {{64}, {1}, {32}, {2}, {0}}, {}};
  std::map<int, int> counts = draws(knob, 0);
  EXPECT_GT(counts[2], counts[3]);
  EXPECT_GT(counts[3], counts[4]);
  EXPECT_GT(counts[4], 0);
}

TEST(NearCandidate, OfASplitMovesAFactorOrTwo) {
  const Knob knob = splits(10);
  const int current = 30;
  double sum = 0, all = 0;
  const std::map<int, int> counts = draws(knob, current);
  for (const auto& [index, count] : counts) {
    sum += count * knob_distance(knob.candidates[index], knob.candidates[current]);
  }
  for (const KnobValue& value : knob.candidates) all += knob_distance(value, knob.candidates[current]);
  EXPECT_LT(sum / 10'000, 0.4 * all / static_cast<double>(knob.candidates.size()));
  EXPECT_EQ(counts.size(), knob.candidates.size() - 1);
}

TEST(NearCandidate, OfWhatHasNoOrderDrawsAllAlike) {
  for (const KnobKind kind : {KnobKind::kChoice, KnobKind::kReorder, KnobKind::kAnnotate}) {
    Knob knob = powers();
    knob.kind = kind;
    EXPECT_FALSE(is_ordinal(knob));
    const std::map<int, int> counts = draws(knob, 4);
    ASSERT_EQ(counts.size(), 9u);
    for (const auto& [index, count] : counts) EXPECT_NEAR(count, 10'000 / 9, 200) << index;
  }
  EXPECT_TRUE(is_ordinal(powers()));
  EXPECT_TRUE(is_ordinal(splits(3)));
}

TEST(NearCandidate, OfTwoIsTheOtherOne) { EXPECT_EQ(draws(numbers("x", 0, 1), 0), (std::map<int, int>{{1, 10'000}})); }

TEST(NearestCandidate, IsTheSameOneOrTheNearest) {
  EXPECT_EQ(nearest_candidate(powers(), {64}), 6);
  EXPECT_EQ(nearest_candidate(powers(), {50}), 6);
  EXPECT_EQ(nearest_candidate(powers(), {100'000}), 9);
}

}  // namespace
}  // namespace nestwright
