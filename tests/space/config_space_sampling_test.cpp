// Sampling is uniform over the valid points and never enumerates a product of knobs.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>

#include "nestwright/config_space.h"
#include "spaces.h"

namespace nestwright {
namespace {

using testing_spaces::numbers;
using testing_spaces::packing;

TEST(ConfigSpaceSampling, IsUniformOverValidPoints) {
  const ConfigSpace space = packing();
  const double points = space.count_valid().points;
  std::map<std::string, int> hits;
  std::mt19937_64 random(7);
  const int draws = 60 * static_cast<int>(points);
  for (int i = 0; i < draws; ++i) {
    const auto config = space.sample(random);
    ASSERT_TRUE(config);
    ++hits[config->str()];
  }
  EXPECT_EQ(hits.size(), static_cast<std::size_t>(points));
  double chi_square = 0;
  for (const auto& [config, count] : hits) {
    EXPECT_TRUE(space.is_valid(space.resolve(Config::parse(config))));
    chi_square += (count - 60.0) * (count - 60.0) / 60.0;
  }
  // Mean points - 1, standard deviation sqrt(2 points).
  EXPECT_NEAR(chi_square, points - 1, 5 * std::sqrt(2 * points));
}

TEST(ConfigSpaceSampling, ALargeBranchDoesNotHideASmallOne) {
  Branch small, large;
  small.knobs = {{"sketch", KnobKind::kChoice, {{0}}, {"small"}}, numbers("x", 1, 2)};
  large.knobs = {{"sketch", KnobKind::kChoice, {{1}}, {"large"}}, numbers("y", 1, 10'000)};
  const ConfigSpace space({small, large});
  std::mt19937_64 random(5);
  int hits = 0;
  for (int i = 0; i < 1000; ++i) hits += space.sample(random, BranchWeight::kEqual)->find("x") != nullptr ? 1 : 0;
  EXPECT_NEAR(hits, 500, 80);  // five standard deviations
}

TEST(ConfigSpaceSampling, ASeedMeansOneSequence) {
  const ConfigSpace space = packing();
  std::mt19937_64 a(3), b(3);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(*space.sample(a), *space.sample(b));
}

TEST(ConfigSpaceSampling, OfATrillionPointsTakesLessThanASecond) {
  Branch branch;
  for (int i = 0; i < 12; ++i) branch.knobs.push_back(numbers("x" + std::to_string(i), 1, 10));
  for (int i = 0; i + 2 < 12; i += 2) {
    branch.constraints.push_back({{"x" + std::to_string(i), "x" + std::to_string(i + 1), "x" + std::to_string(i + 2)},
                                  [](std::span<const KnobValue> v) { return v[0][0] * v[1][0] * v[2][0] <= 30; },
                                  "the product is above 30"});
  }
  const auto start = std::chrono::steady_clock::now();
  const ConfigSpace space({branch});
  EXPECT_EQ(space.count_all().points, 1e12);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto config = space.sample(random);
    ASSERT_TRUE(config);
    ASSERT_TRUE(space.is_valid(*config));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

}  // namespace
}  // namespace nestwright
