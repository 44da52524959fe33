#include "kernel/memory_overlap.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

namespace nestwright {
namespace {

std::array<float, 4096> memory;

ArrayView view(std::int64_t at, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides = {}) {
  return {memory.data() + at, kFloat32, std::move(shape), std::move(strides)};
}
std::pair<std::int64_t, std::int64_t> range(const ArrayView& array) {
  const ByteRange bytes = bytes_of(array);
  const auto origin = reinterpret_cast<std::uintptr_t>(memory.data());
  return {static_cast<std::int64_t>(bytes.begin - origin), static_cast<std::int64_t>(bytes.end - origin)};
}

TEST(MemoryOverlap, BytesFromTheFirstToTheLast) {
  EXPECT_EQ(range(view(10, {3, 5})), std::pair(std::int64_t{40}, std::int64_t{100}));
  EXPECT_EQ(range(view(10, {3, 5}, {100, 2})), std::pair(std::int64_t{40}, std::int64_t{40 + 4 * (200 + 8 + 1)}));
  EXPECT_EQ(range(view(10, {3}, {-2})), std::pair(std::int64_t{24}, std::int64_t{44}));
  EXPECT_EQ(range(view(10, {})), std::pair(std::int64_t{40}, std::int64_t{44}));
  EXPECT_EQ(range(view(10, {3, 0})), std::pair(std::int64_t{40}, std::int64_t{40}));
}

TEST(MemoryOverlap, HalvesOfAMatrixAreApart) {
  const ArrayView left = view(0, {8, 10}, {20, 1}), right = view(10, {8, 10}, {20, 1});
  EXPECT_FALSE(may_overlap(left, right));
  EXPECT_FALSE(may_overlap(right, left));
  EXPECT_TRUE(may_overlap(left, view(9, {8, 10}, {20, 1})));
  EXPECT_TRUE(may_overlap(view(9, {8, 10}, {20, 1}), left));
  EXPECT_FALSE(may_overlap(left, view(30, {1, 10})));
  EXPECT_TRUE(may_overlap(left, view(30, {1, 11})));
  EXPECT_FALSE(may_overlap(view(0, {3}), view(3, {3})));
  EXPECT_TRUE(may_overlap(view(0, {4}), view(3, {3})));
  EXPECT_FALSE(may_overlap(view(0, {4}), view(3, {0, 3})));
  EXPECT_TRUE(may_overlap(view(5, {4}, {-1}), view(2, {1})));
}

TEST(MemoryOverlap, ElementsInOnePlace) {
  EXPECT_FALSE(may_overlap_itself(view(0, {8, 10})));
  EXPECT_FALSE(may_overlap_itself(view(0, {8, 10}, {10, 1})));
  EXPECT_FALSE(may_overlap_itself(view(0, {8, 10}, {1, 8})));
  EXPECT_TRUE(may_overlap_itself(view(0, {8, 10}, {9, 1})));
  EXPECT_TRUE(may_overlap_itself(view(0, {8, 10}, {0, 1})));
  EXPECT_FALSE(may_overlap_itself(view(0, {1, 10}, {0, 1})));
}

/// Returns every address of the view.
std::multiset<std::int64_t> addresses(std::int64_t at, const std::vector<std::int64_t>& shape,
                                      const std::vector<std::int64_t>& strides) {
  std::multiset<std::int64_t> result;
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    for (std::int64_t j = 0; j < shape[1]; ++j) result.insert(at + i * strides[0] + j * strides[1]);
  }
  return result;
}

TEST(MemoryOverlap, NoOverlapIsMissed) {
  std::mt19937 random(1);
  int apart = 0, together = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto draw = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
    const std::int64_t pitch = 1 + draw(6);
    const auto make = [&] {
      const std::vector<std::int64_t> shape{draw(4), draw(4)};
      const std::vector<std::int64_t> strides{draw(3) == 0 ? draw(9) - 4 : pitch, draw(3) == 0 ? draw(5) - 2 : 1};
      return std::tuple(100 + draw(12), shape, strides);
    };
    const auto [at, shape, strides] = make();
    const auto [at2, shape2, strides2] = make();
    const auto own = addresses(at, shape, strides), other = addresses(at2, shape2, strides2);
    bool shared = false;
    for (const std::int64_t place : other) shared = shared || own.count(place) > 0;
    (shared ? together : apart) += 1;
    if (shared) {
      ASSERT_TRUE(may_overlap(view(at, shape, strides), view(at2, shape2, strides2))) << round;
    }
    const bool twice = std::set<std::int64_t>(own.begin(), own.end()).size() != own.size();
    if (twice) {
      ASSERT_TRUE(may_overlap_itself(view(at, shape, strides))) << round;
    }
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(together, 1000);
}

}  // namespace
}  // namespace nestwright
