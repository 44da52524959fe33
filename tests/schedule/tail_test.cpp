#include "nestwright/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "nestwright/error.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Tail, PrintsAndParses) {
  for (const Tail& tail : {Tail::guard(), Tail::partition(), Tail::predicate(), Tail::compose({14, 12})}) {
    const Tail back = Tail::parse(tail.str());
    EXPECT_EQ(back.kind, tail.kind);
    EXPECT_EQ(back.segments, tail.segments);
  }
  EXPECT_EQ(Tail::compose({14, 12}).str(), "compose{14,12}");
}

TEST(Tail, RefusesToParseOtherText) {
  for (const char* text :
       {"", "mask", "compose", "compose{}", "compose{0}", "compose{3;4}", "compose{3,", "compose{x}"}) {
    try {
      Tail::parse(text);
      ADD_FAILURE() << text;
    } catch (const UsageError& e) {
      EXPECT_THAT(e.what(), HasSubstr("is no tail strategy: use guard, partition, predicate or compose{14,12}"));
    }
  }
}

TEST(ComposeCounts, CoversExactly) {
  EXPECT_THAT(compose_counts(512, {14, 12}), ElementsAre(34, 3));  // 34*14 + 3*12
  EXPECT_THAT(compose_counts(13, {14, 12}), IsEmpty());
  EXPECT_THAT(compose_counts(1'000'001, {1024, 512, 256, 128}), IsEmpty()) << "odd, found without a search";
  EXPECT_THAT(compose_counts(28, {14, 12}), ElementsAre(2, 0));
  EXPECT_THAT(compose_counts(1'000'050'000, {100'000, 99'999, 99'998, 99'997}), IsEmpty()) << "after a bounded search";
}

/// Fewest tiles by dynamic programming, or -1.
std::int64_t fewest_tiles(std::int64_t extent, const std::vector<std::int64_t>& segments) {
  std::vector<std::int64_t> fewest(static_cast<std::size_t>(extent) + 1, -1);
  fewest[0] = 0;
  for (std::int64_t n = 1; n <= extent; ++n) {
    for (const std::int64_t segment : segments) {
      if (segment > n || fewest[static_cast<std::size_t>(n - segment)] < 0) continue;
      const std::int64_t tiles = fewest[static_cast<std::size_t>(n - segment)] + 1;
      std::int64_t& best = fewest[static_cast<std::size_t>(n)];
      if (best < 0 || tiles < best) best = tiles;
    }
  }
  return fewest.back();
}

TEST(ComposeCounts, UsesAsFewTilesAsPossible) {
  const std::vector<std::vector<std::int64_t>> cases = {{14, 12}, {12, 14}, {6, 4},      {7, 5, 3},
                                                        {16},     {1, 9},   {9, 6, 4, 2}};
  for (const auto& segments : cases) {
    for (std::int64_t extent = 1; extent <= 200; ++extent) {
      const std::vector<std::int64_t> counts = compose_counts(extent, segments);
      const std::int64_t expected = fewest_tiles(extent, segments);
      if (expected < 0) {
        EXPECT_THAT(counts, IsEmpty()) << extent;
        continue;
      }
      ASSERT_EQ(counts.size(), segments.size()) << extent;
      std::int64_t covered = 0, tiles = 0;
      for (std::size_t s = 0; s < segments.size(); ++s) {
        covered += counts[s] * segments[s];
        tiles += counts[s];
      }
      EXPECT_EQ(covered, extent);
      EXPECT_EQ(tiles, expected) << extent;
    }
  }
}

TEST(ComposeCounts, PrefersTheFirstAmongEquals) {
  EXPECT_THAT(compose_counts(10, {5, 4, 6}), ElementsAre(2, 0, 0));
  EXPECT_THAT(compose_counts(10, {6, 4, 5}), ElementsAre(1, 1, 0));
}

TEST(ComposeCounts, IsQuickForHugeExtents) {
  const std::int64_t extent = std::numeric_limits<std::int64_t>::max() / 14 * 14;
  EXPECT_THAT(compose_counts(extent, {14, 12}), ElementsAre(extent / 14, 0));
}

}  // namespace
}  // namespace nestwright
