// A recorded space consists of its recorded points only.

#include "bench/replay/recorded_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "nestwright/registry.h"
#include "search/propose/strategy.h"

namespace nestwright {
namespace {

const Task& task() {
  static const Task t{parse_workload("matmul m=96 n=80 k=64"), Target::parse("cpu,isa=avx512,threads=2")};
  return t;
}

/// The first seed, with as many samples as relatives of it.
std::vector<RecordedPoint> some_points(int n) {
  const SearchSpace whole(task());
  std::mt19937_64 random(1);
  SeenPoints seen;
  std::vector<Point> samples;
  add_samples(whole, n, random, seen, samples);
  std::vector<RecordedPoint> points{{whole.seeds().front(), false}};
  for (const Point& sample : samples) points.push_back({sample, true});
  for (int attempt = 0; attempt < 100 * n && static_cast<int>(points.size()) < 2 * n + 1; ++attempt) {
    const auto relative = whole.mutate(whole.seeds().front(), 1, random);
    if (relative && seen.insert(*relative)) points.push_back({*relative, false});
  }
  return points;
}

int differing_knobs(const Point& a, const Point& b) {
  int differ = 0;
  for (const ConfigEntry& entry : a.config.entries()) {
    const ConfigEntry* other = b.config.find(entry.knob);
    differ += other == nullptr || other->value != entry.value || other->label != entry.label;
  }
  for (const ConfigEntry& entry : b.config.entries()) differ += a.config.find(entry.knob) == nullptr;
  return differ + (a.template_name != b.template_name);
}

TEST(RecordedSpace, HasThePointsOfTheRecordAndNoOthers) {
  std::vector<RecordedPoint> given = some_points(20);
  given.push_back(given[3]);  // twice
  given.push_back({{"matmul.of_an_older_build", 1, given[3].point.config}, true});
  const RecordedSpace space(task(), given);
  ASSERT_EQ(space.points().size(), 41u);
  EXPECT_EQ(space.size(), 41u);
  for (std::size_t i = 0; i < 41; ++i) EXPECT_EQ(space.at(i), given[i].point);
  EXPECT_TRUE(space.is_valid(given[0].point));
  const SearchSpace whole(task());
  EXPECT_FALSE(space.is_valid(whole.seeds().back())) << "valid in the whole space, but not recorded";
  std::vector<Point> recorded_seeds;
  for (const Point& seed : whole.seeds()) {
    const bool there = std::any_of(given.begin(), given.end(), [&](const RecordedPoint& p) { return p.point == seed; });
    if (there) recorded_seeds.push_back(seed);
  }
  EXPECT_EQ(space.seeds(), recorded_seeds);
  EXPECT_LT(recorded_seeds.size(), whole.seeds().size());
}

TEST(RecordedSpace, SamplesAreThoseThatWereDrawnUniformly) {
  const std::vector<RecordedPoint> given = some_points(20);
  const RecordedSpace space(task(), given);
  std::mt19937_64 random(2);
  std::set<std::string> drawn, uniform;
  for (int i = 0; i < 400; ++i) drawn.insert(space.sample(random)->key());
  for (const RecordedPoint& p : given) {
    if (p.is_sample) uniform.insert(p.point.key());
  }
  EXPECT_EQ(drawn, uniform);
}

TEST(RecordedSpace, ARelativeIsARecordedPointThatDiffersInFewKnobs) {
  const std::vector<RecordedPoint> given = some_points(25);
  const RecordedSpace space(task(), given);
  std::mt19937_64 random(3);
  const Point& from = given.front().point;  // half of the record is one knob away from it
  int near = 0;
  std::set<std::string> different;
  for (int i = 0; i < 50; ++i) {
    const auto point = space.mutate(from, 1, random);
    ASSERT_TRUE(point.has_value());
    EXPECT_TRUE(space.contains(*point));
    EXPECT_FALSE(*point == from);
    near += differing_knobs(*point, from) <= 3;
    different.insert(point->key());
  }
  EXPECT_GE(near, 40);
  EXPECT_GE(different.size(), 10u) << "not always the same";
  int children = 0;
  for (int i = 0; i < 50; ++i) {
    const auto child = space.crossover(from, given.back().point, random);
    if (!child) continue;
    ++children;
    EXPECT_TRUE(space.contains(*child));
    EXPECT_FALSE(*child == from || *child == given.back().point);
  }
  EXPECT_GT(children, 0);
}

TEST(RecordedSpace, ASinglePointHasNoRelatives) {
  const RecordedSpace space(task(), {some_points(1).front()});
  std::mt19937_64 random(4);
  EXPECT_EQ(space.mutate(space.at(0), 1, random), std::nullopt);
  EXPECT_EQ(space.sample(random), std::nullopt) << "a seed is no sample";
}

}  // namespace
}  // namespace nestwright
