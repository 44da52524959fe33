#include <gtest/gtest.h>

#include <set>

#include "nestwright/config_space.h"
#include "spaces.h"

namespace nestwright {
namespace {

using testing_spaces::numbers;
using testing_spaces::packing;

int differences(const Config& a, const Config& b) {
  int count = 0;
  for (const ConfigEntry& entry : a.entries()) {
    const ConfigEntry* other = b.find(entry.knob);
    count += other == nullptr || !(*other == entry) ? 1 : 0;
  }
  return count;
}

TEST(Mutate, GivesValidNeighboursAndReachesBothBranches) {
  const ConfigSpace space = packing();
  std::mt19937_64 random(5);
  const Config start = space.resolve(Config::parse("pack=no rows=7 columns=4 unroll=2"));
  std::set<std::string> packs;
  int single = 0;
  for (int i = 0; i < 300; ++i) {
    const auto next = space.mutate(start, 1, random);
    ASSERT_TRUE(next);
    EXPECT_TRUE(space.is_valid(*next)) << next->str();
    EXPECT_NE(*next, start);
    packs.insert(next->find("pack")->label);
    single += differences(start, *next) == 1 ? 1 : 0;
  }
  EXPECT_EQ(packs.size(), 2u);
  EXPECT_GT(single, 200);
}

TEST(Mutate, MovesWhatStandsInTheWay) {
  // Only x == y is valid, so that no single change is.
  const ConfigSpace space(
      {{{numbers("x", 0, 3), numbers("y", 0, 3)},
        {{{"x", "y"}, [](std::span<const KnobValue> v) { return v[0] == v[1]; }, "x differs from y"}}}});
  std::mt19937_64 random(1);
  const auto next = space.mutate(Config::parse("x=1 y=1"), 1, random);
  ASSERT_TRUE(next);
  EXPECT_TRUE(space.is_valid(*next));
}

TEST(Mutate, OfASinglePointHasNoNeighbour) {
  const ConfigSpace space({{{numbers("x", 1, 1)}, {}}});
  std::mt19937_64 random(1);
  EXPECT_EQ(space.mutate(Config::parse("x=1"), 1, random), std::nullopt);
}

TEST(Crossover, MixesTwoParentsOfABranch) {
  const ConfigSpace space = packing();
  std::mt19937_64 random(5);
  const Config a = space.resolve(Config::parse("pack=no rows=14 columns=2 unroll=1"));
  const Config b = space.resolve(Config::parse("pack=no rows=4 columns=6 unroll=4"));
  std::set<std::string> children;
  for (int i = 0; i < 200; ++i) {
    const auto child = space.crossover(a, b, random);
    ASSERT_TRUE(child);
    EXPECT_TRUE(space.is_valid(*child)) << child->str();
    for (const ConfigEntry& entry : child->entries()) {
      EXPECT_TRUE(entry == *a.find(entry.knob) || entry == *b.find(entry.knob));
    }
    children.insert(child->str());
  }
  EXPECT_EQ(children.size(), 6u);  // rows=14 columns=6 would be too large
  const Config c = space.resolve(Config::parse("pack=yes rows=4 columns=6 unroll=4 panel=8"));
  EXPECT_EQ(space.crossover(a, c, random), std::nullopt);
}

}  // namespace
}  // namespace nestwright
