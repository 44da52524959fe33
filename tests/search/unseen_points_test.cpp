#include "search/propose/unseen_points.h"

#include <gtest/gtest.h>

#include <set>

#include "synthetic_space.h"

namespace nestwright {
namespace {

/// All points found in batches of `n`.
std::set<std::int64_t> found(const SearchSpace& space, UnseenPoints& unseen, int n) {
  std::mt19937_64 random(1);
  SeenPoints seen;
  std::set<std::int64_t> numbers;
  while (true) {
    std::vector<Point> batch;
    unseen.add(n, random, seen, batch);
    EXPECT_LE(batch.size(), static_cast<std::size_t>(n));
    for (const Point& p : batch) {
      EXPECT_TRUE(space.is_valid(p));
      EXPECT_TRUE(numbers.insert(SyntheticSpace::number(p)).second) << "twice: " << p.key();
    }
    if (batch.empty()) return numbers;
    EXPECT_EQ(batch.size() < static_cast<std::size_t>(n), unseen.is_exhausted(std::ssize(numbers)));
  }
}

TEST(UnseenPoints, ASpaceThatCanBeWalkedIsFoundCompletely) {
  for (const std::int64_t size : {1, 30, 5000}) {
    const SyntheticSpace space(size, multiples(1, size), false);
    UnseenPoints unseen(space, 5);
    EXPECT_EQ(std::ssize(found(space, unseen, 7)), size);
    EXPECT_TRUE(unseen.is_exhausted(0)) << "by the walk alone, whatever the count";
  }
}

TEST(UnseenPoints, PointsThatAreEnumeratedAreNotCountedAsSampled) {
  const SyntheticSpace space(100'000, multiples(1, 100'000), false);
  UnseenPoints unseen(space, 5);
  std::mt19937_64 random(1);
  SeenPoints seen;
  std::vector<Point> batch;
  EXPECT_EQ(unseen.add(3, random, seen, batch), 3);
  for (std::int64_t x = 0; x < 100'000; ++x) {
    if (x != 4242) seen.insert(numbered_point(x));
  }
  batch.clear();
  EXPECT_EQ(unseen.add(2, random, seen, batch), 0) << "200 samples of 100,000 points do not find the one";
  ASSERT_EQ(batch.size(), 1);
  EXPECT_EQ(SyntheticSpace::number(batch[0]), 4242);
}

TEST(UnseenPoints, RareValidPointsOfASpaceThatCanBeWalkedAreFound) {
  const SyntheticSpace space(200'000, multiples(9973, 200'000), false);
  UnseenPoints unseen(space, 5);
  EXPECT_EQ(found(space, unseen, 4).size(), multiples(9973, 200'000).size());
}

TEST(UnseenPoints, RareValidPointsOfASpaceTooLargeToWalkAreFoundByLongerSampling) {
  const std::int64_t size = 1'000'000'000'000;
  const std::vector<std::int64_t> valid = multiples(size / 700, size);
  const SyntheticSpace space(size, valid);
  UnseenPoints unseen(space, 5);
  EXPECT_EQ(found(space, unseen, 16).size(), valid.size());
  EXPECT_TRUE(unseen.is_exhausted(std::ssize(valid)));
  EXPECT_FALSE(unseen.is_exhausted(std::ssize(valid) - 1));
}

TEST(UnseenPoints, WithoutAnExactCountALargeSpaceIsNeverCalledExhausted) {
  const std::int64_t size = 1'000'000'000'000;
  const SyntheticSpace space(size, multiples(size / 4, size), false);
  UnseenPoints unseen(space, 5);
  std::mt19937_64 random(1);
  SeenPoints seen;
  std::vector<Point> batch;
  unseen.add(16, random, seen, batch);
  EXPECT_EQ(batch.size(), 4u);
  EXPECT_FALSE(unseen.is_exhausted(4));
}

TEST(UnseenPoints, ASpaceOfWhichMuchIsLeftIsNotExhausted) {
  const SyntheticSpace space(5000, multiples(1, 5000));
  UnseenPoints unseen(space, 5);
  std::mt19937_64 random(1);
  SeenPoints seen;
  std::vector<Point> batch;
  unseen.add(16, random, seen, batch);
  EXPECT_EQ(batch.size(), 16u);
  EXPECT_FALSE(unseen.is_exhausted(16));
}

}  // namespace
}  // namespace nestwright
