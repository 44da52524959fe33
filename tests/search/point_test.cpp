#include "search/space/point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "search/space/search_space.h"

namespace nestwright {
namespace {

const Target& target() {
  static const Target cpu = Target::parse("cpu,isa=avx2,threads=1");
  return cpu;
}

// The whole space finds the same points, and takes longer.
TEST(FindPoint, GivesWhatTheWholeSpaceGives) {
  for (const char* workload : {"matmul m=40 n=1 k=64", "conv2d n=1 h=14 w=14 c=16 k=32 r=3 s=3 pad=1"}) {
    const Task task{parse_workload(workload), target()};
    const SearchSpace space(task);
    EXPECT_GT(space.members().size(), 1) << workload;
    std::mt19937_64 random(1);
    std::vector<Point> points = space.seeds();
    for (int n = 0; n < 20; ++n) points.push_back(space.sample(random).value());
    for (const Point& point : points) {
      const Config recorded = Config::parse(point.config.str());
      EXPECT_EQ(find_point(task, {point.template_name, point.version, recorded}), point) << point.key();
    }
  }
}

TEST(FindPoint, HasNoneWhereThisBuildHasNone) {
  const Task task{parse_workload("matmul m=40 n=24 k=16"), target()};
  const Point seed = SearchSpace(task).seeds().front();
  ASSERT_TRUE(find_point(task, seed).has_value());
  EXPECT_FALSE(find_point(task, {seed.template_name, seed.version + 1, seed.config}).has_value());
  EXPECT_FALSE(find_point(task, {"elsewhere", seed.version, seed.config}).has_value());
  EXPECT_FALSE(find_point(task, {"", seed.version, seed.config}).has_value());
  Config odd = seed.config;
  odd.set("register_rows", {12345});
  EXPECT_FALSE(find_point(task, {seed.template_name, seed.version, odd}).has_value());
  const Task for_gpu{task.workload, Target::parse("cuda,arch=sm_80")};
  EXPECT_FALSE(find_point(for_gpu, seed).has_value());
}

TEST(Point, InstantiatingAnotherVersionSaysWhatToDo) {
  const Task task{parse_workload("matmul m=40 n=24 k=16"), target()};
  Point old = SearchSpace(task).seeds().front();
  old.version = 99;
  EXPECT_THAT(
      [&] { instantiate(task, old); },
      ::testing::ThrowsMessage<UsageError>(::testing::HasSubstr("version 99 is not one of this build: tune '")));
}

}  // namespace
}  // namespace nestwright
