#include "search/space/search_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "nestwright/registry.h"

namespace nestwright {
namespace {

const Task& task() {
  static const Task small{parse_workload("matmul m=40 n=24 k=16"), Target::parse("cpu,isa=avx2,threads=1")};
  return small;
}

TEST(SearchSpace, SeedsAreValidAndDifferent) {
  const SearchSpace space(task());
  ASSERT_FALSE(space.seeds().empty());
  for (std::size_t i = 0; i < space.seeds().size(); ++i) {
    EXPECT_TRUE(space.is_valid(space.seeds()[i]));
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(space.seeds()[i], space.seeds()[j]);
  }
}

TEST(SearchSpace, HasOneTemplateOnlyWhereThatIsAskedFor) {
  const Task vector{parse_workload("matmul m=40 n=1 k=64"), task().target};
  ASSERT_GT(SearchSpace(vector).members().size(), 1);
  const std::string name = SearchSpace(vector).members().back().source->name;
  const SearchSpace space(vector, name);
  ASSERT_EQ(space.members().size(), 1);
  for (const Point& seed : space.seeds()) EXPECT_EQ(seed.template_name, name);
  std::mt19937_64 random(1);
  for (int n = 0; n < 20; ++n) EXPECT_EQ(space.sample(random)->template_name, name);
}

TEST(SearchSpace, ARestrictionHoldsForSeedsAndSamplesAndNotForTheStoredBest) {
  const Restriction within{Config::parse("unroll_k=1 pack_b=no"), {KnobCondition::parse("register_rows <= 2")}};
  const SearchSpace whole(task()), space(task(), {}, within);
  EXPECT_LT(space.exact_valid_points().value_or(0), whole.exact_valid_points().value_or(1));
  std::mt19937_64 random(1);
  std::vector<Point> points = space.seeds();
  ASSERT_FALSE(points.empty());
  for (int n = 0; n < 20; ++n) points.push_back(space.sample(random).value());
  for (const Point& point : points) {
    EXPECT_EQ(point.config.find("unroll_k")->value, KnobValue{1});
    EXPECT_EQ(point.config.find("pack_b")->label, "no");
    EXPECT_LE(point.config.find("register_rows")->value.front(), 2);
    EXPECT_TRUE(space.is_valid(point) && whole.is_valid(point)) << point.key();
  }
  const Point& fastest = whole.seeds().front();
  EXPECT_EQ(whole.default_point(), fastest);
  EXPECT_FALSE(space.default_point().has_value());
  EXPECT_FALSE(space.find(fastest).has_value());
  EXPECT_EQ(space.find_anywhere(fastest), fastest);
}

TEST(SearchSpace, ARestrictionThatLeavesNothingIsRefused) {
  EXPECT_THAT([&] { SearchSpace(task(), {}, {Config(), {KnobCondition::parse("register_rows < 1")}}); },
              ::testing::ThrowsMessage<UsageError>(::testing::StartsWith(
                  "no valid configuration of matmul m=40 n=24 k=16 is left within --only \"register_rows < 1\"")));
}

TEST(SearchSpace, AConditionLeavesOutTheBranchesThatItDoesNotFit) {
  // Only a blocked reduction has three loops over blocks.
  const Task square{parse_workload("matmul m=512 n=512 k=512"), Target::parse("cpu,isa=avx2,threads=1")};
  const SearchSpace space(square, {}, {Config(), {KnobCondition::parse("block_order[2] == 2")}});
  std::mt19937_64 random(1);
  for (int n = 0; n < 20; ++n) {
    const Config config = space.sample(random).value().config;
    EXPECT_EQ(config.find("reduction")->label, "blocked") << config.str();
    EXPECT_EQ(config.find("block_order")->value.at(2), 2) << config.str();
  }
}

TEST(SearchSpace, ATemplateWithOptionsIsNotSearchedForANumber) {
  // unroll_k is no or yes in matmul.mma, and a number in matmul.gpu.
  const Task halves{parse_workload("matmul m=256 n=256 k=256 dtype=float16"), Target::parse("cuda,arch=sm_80")};
  for (const Restriction& within :
       {Restriction{Config(), {KnobCondition::parse("unroll_k <= 1")}},
        Restriction{Config(), {KnobCondition::parse("unroll_k == 1")}}, Restriction{Config::parse("unroll_k=1"), {}}}) {
    const SearchSpace space(halves, {}, within);
    std::mt19937_64 random(1);
    std::vector<Point> points = space.seeds();
    for (int n = 0; n < 20; ++n) points.push_back(space.sample(random).value());
    for (const Point& point : points) {
      EXPECT_EQ(point.template_name, "matmul.gpu") << within.str();
      EXPECT_EQ(point.config.find("unroll_k")->value, KnobValue{1}) << within.str();
    }
  }
}

TEST(SearchSpace, APointFromTheLogIsFoundWithItsLabelsResolved) {
  const SearchSpace space(task());
  const Point& seed = space.seeds().front();
  const auto found = space.find({seed.template_name, seed.version, Config::parse(seed.config.str())});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, seed);
}

TEST(SearchSpace, PointsOfOtherVersionsOrWithUnknownKnobsAreNotFound) {
  const SearchSpace space(task());
  const Point& seed = space.seeds().front();
  EXPECT_FALSE(space.find({seed.template_name, seed.version + 1, seed.config}).has_value());
  EXPECT_FALSE(space.find({"elsewhere", seed.version, seed.config}).has_value());
  Config odd = seed.config;
  odd.set("register_rows", {12345});
  EXPECT_FALSE(space.find({seed.template_name, seed.version, odd}).has_value());
}

}  // namespace
}  // namespace nestwright
