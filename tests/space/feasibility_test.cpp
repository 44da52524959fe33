#include "space/feasibility.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

Knob number_knob(const std::string& name, const std::vector<std::int64_t>& values) {
  Knob knob{name, KnobKind::kKnob, {}, {}};
  for (const std::int64_t value : values) knob.candidates.push_back({value});
  return knob;
}

Constraint product_at_most(const std::vector<std::string>& knobs, std::int64_t limit, const std::string& reason) {
  return {knobs,
          [limit](std::span<const KnobValue> values) {
            std::int64_t product = 1;
            for (const KnobValue& value : values) product *= value[0];
            return product <= limit;
          },
          reason};
}

/// Whether a point with the candidate fulfils the constraints whose reasons are not removed, found by enumeration.
bool is_possible_by_enumeration(const Branch& branch, int knob, int candidate, const std::set<std::string>& removed) {
  Branch kept = branch;
  std::erase_if(kept.constraints, [&](const Constraint& c) { return removed.contains(c.reason); });
  Knob& fixed = kept.knobs[static_cast<std::size_t>(knob)];
  fixed.candidates = {fixed.candidates[static_cast<std::size_t>(candidate)]};
  const ConfigSpace space({kept});
  for (unsigned __int128 i = 0; i < space.size(); ++i) {
    if (space.is_valid(space.at(i))) return true;
  }
  return false;
}

Branch random_branch(std::mt19937_64& random) {
  Branch branch;
  const auto draw = [&](std::size_t n) { return static_cast<std::int64_t>(random() % n); };
  const auto knobs = static_cast<std::size_t>(2 + draw(4));
  for (std::size_t k = 0; k < knobs; ++k) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(1 + draw(4)));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 + static_cast<std::int64_t>(i) * (1 + draw(3));
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    branch.knobs.push_back(number_knob("k" + std::to_string(k), values));
  }
  for (std::int64_t c = draw(5); c > 0; --c) {
    std::vector<std::string> names{branch.knobs[random() % knobs].name, branch.knobs[random() % knobs].name};
    if (draw(3) == 0) names.push_back(branch.knobs[random() % knobs].name);
    const std::int64_t divisor = 2 + draw(4), rest = draw(2);
    branch.constraints.push_back({names,
                                  [divisor, rest](std::span<const KnobValue> values) {
                                    std::int64_t sum = 0;
                                    for (const KnobValue& value : values) sum += value[0];
                                    return sum % divisor == rest;
                                  },
                                  "reason " + std::to_string(draw(4))});
  }
  return branch;
}

TEST(FeasibilityTest, AgreesWithEnumeration) {
  std::mt19937_64 random(5);
  int impossible = 0;
  for (int round = 0; round < 200; ++round) {
    const Branch branch = random_branch(random);
    BranchFeasibility feasibility(branch);
    for (int knob = 0; knob < static_cast<int>(branch.knobs.size()); ++knob) {
      const auto count = branch.knobs[static_cast<std::size_t>(knob)].candidates.size();
      for (int candidate = 0; candidate < static_cast<int>(count); ++candidate) {
        const bool expected = is_possible_by_enumeration(branch, knob, candidate, {});
        ASSERT_EQ(feasibility.is_possible(knob, candidate), expected) << round;
        if (expected) continue;
        ++impossible;
        for (const std::vector<std::string>& set : feasibility.excluded_by(knob, candidate)) {
          ASSERT_FALSE(set.empty());
          const std::set<std::string> removed(set.begin(), set.end());
          EXPECT_TRUE(is_possible_by_enumeration(branch, knob, candidate, removed)) << round;
          for (const std::string& spared : set) {
            std::set<std::string> fewer = removed;
            fewer.erase(spared);
            EXPECT_FALSE(is_possible_by_enumeration(branch, knob, candidate, fewer)) << round << ": " << spared;
          }
        }
      }
    }
  }
  EXPECT_GT(impossible, 100);
}

TEST(FeasibilityTest, EachConstraintThatExcludesAValueByItselfIsNamed) {
  Branch branch;
  branch.knobs = {number_knob("rows", {1, 4, 14}), number_knob("columns", {4, 8})};
  branch.constraints = {product_at_most({"rows", "columns"}, 32, "the tile is too large")};
  BranchFeasibility feasibility(branch);
  EXPECT_TRUE(feasibility.is_possible(0, 1));
  EXPECT_FALSE(feasibility.is_possible(0, 2));
  EXPECT_THAT(feasibility.excluded_by(0, 2), ElementsAre(ElementsAre("the tile is too large")));
}

TEST(FeasibilityTest, APairIsNamedWhereEachOfTwoConstraintsExcludesAValue) {
  Branch branch;
  branch.knobs = {number_knob("rows", {1, 14}), number_knob("columns", {4, 8}), number_knob("depth", {4, 8})};
  branch.constraints = {product_at_most({"rows", "columns"}, 32, "the tile is too large"),
                        product_at_most({"rows", "depth"}, 32, "the block is too deep")};
  BranchFeasibility feasibility(branch);
  EXPECT_THAT(feasibility.excluded_by(0, 1),
              ElementsAre(UnorderedElementsAre("the tile is too large", "the block is too deep")));
}

TEST(FeasibilityTest, AMinimalSetIsNamedWhereThreeConstraintsExcludeAValue) {
  Branch branch;
  branch.knobs = {number_knob("rows", {1, 14})};
  for (const char* other : {"a", "b", "c"}) {
    branch.knobs.push_back(number_knob(other, {4, 8}));
    branch.constraints.push_back(product_at_most({"rows", other}, 32, std::string("too large with ") + other));
  }
  branch.constraints.push_back(product_at_most({"a", "b"}, 100, "never violated"));
  BranchFeasibility feasibility(branch);
  EXPECT_THAT(feasibility.excluded_by(0, 1),
              ElementsAre(UnorderedElementsAre("too large with a", "too large with b", "too large with c")));
}

TEST(FeasibilityTest, ConstraintsOnOtherKnobsCanLeaveNoValidPoint) {
  Branch branch;
  branch.knobs = {number_knob("free", {1, 2}), number_knob("rows", {14}), number_knob("columns", {8})};
  branch.constraints = {product_at_most({"rows", "columns"}, 32, "the tile is too large")};
  BranchFeasibility feasibility(branch);
  EXPECT_FALSE(feasibility.is_possible(0, 0));
  EXPECT_THAT(feasibility.excluded_by(0, 0), ElementsAre(ElementsAre("the tile is too large")));
}

TEST(FeasibilityTest, CountingAnswersWhereTheSearchTakesTooLong) {
  // An odd sum of even numbers: the search would visit all of 8^7 points.
  Branch branch;
  std::vector<std::string> names;
  for (int k = 0; k < 7; ++k) {
    names.push_back("k" + std::to_string(k));
    branch.knobs.push_back(number_knob(names.back(), {2, 4, 6, 8, 10, 12, 14, 16}));
  }
  branch.constraints = {{names,
                         [](std::span<const KnobValue> values) {
                           std::int64_t sum = 0;
                           for (const KnobValue& value : values) sum += value[0];
                           return sum % 2 == 1;
                         },
                         "the sum is even"}};
  BranchFeasibility feasibility(branch);
  EXPECT_FALSE(feasibility.is_possible(0, 0));
}

}  // namespace
}  // namespace nestwright
