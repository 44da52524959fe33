// Tensors that are needed at one time share no bytes, and the block is about as small as can be.
#include "network/arena.h"

#include <gtest/gtest.h>

#include <random>

namespace nestwright {
namespace {

void expect_disjoint(const std::vector<ArenaTensor>& tensors, std::size_t size) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ArenaTensor& a = tensors[i];
    EXPECT_EQ(a.offset % 64, 0U);
    EXPECT_LE(a.offset + a.bytes, size);
    for (std::size_t j = 0; j < i; ++j) {
      const ArenaTensor& b = tensors[j];
      const bool meet = a.first <= b.last && b.first <= a.last;
      EXPECT_TRUE(!meet || a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset) << i << " and " << j;
    }
  }
}

TEST(Arena, TensorsOfDifferentTimesShareMemory) {
  std::vector<ArenaTensor> tensors{{.bytes = 100, .first = 0, .last = 1},
                                   {.bytes = 100, .first = 1, .last = 2},
                                   {.bytes = 100, .first = 2, .last = 3}};
  EXPECT_EQ(place_in_arena(tensors), 256U);
  expect_disjoint(tensors, 256);
  EXPECT_EQ(tensors[0].offset, tensors[2].offset);
}

TEST(Arena, OfNothingIsEmpty) {
  std::vector<ArenaTensor> none;
  EXPECT_EQ(place_in_arena(none), 0U);
  EXPECT_EQ(largest_live_bytes(none), 0U);
}

TEST(Arena, IsAtMostATenthLargerThanWhatIsNeededAtOneTime) {
  std::mt19937 random(7);
  double worst = 0;
  for (int graph = 0; graph < 20; ++graph) {
    // As in a network: most results are read by the next step, some much later.
    std::vector<ArenaTensor> tensors;
    for (std::size_t step = 0; step < 60; ++step) {
      const std::size_t reach = random() % 5 == 0 ? 1 + random() % 12 : 1;
      tensors.push_back({.bytes = 1 + random() % 100'000, .first = step, .last = step + reach});
    }
    const std::size_t size = place_in_arena(tensors);
    expect_disjoint(tensors, size);
    worst = std::max(worst, static_cast<double>(size) / static_cast<double>(largest_live_bytes(tensors)));
  }
  EXPECT_LE(worst, 1.1);
}

}  // namespace
}  // namespace nestwright
