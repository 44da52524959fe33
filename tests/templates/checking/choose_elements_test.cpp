#include "templates/checking/choose_elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nestwright {
namespace {

bool has(const std::vector<std::int64_t>& numbers, std::int64_t number) {
  return std::binary_search(numbers.begin(), numbers.end(), number);
}

TEST(ChosenElements, AreAllOfASmallTensor) {
  EXPECT_EQ(choose_elements({}, 4096), (std::vector<std::int64_t>{0}));
  const std::vector<std::int64_t> numbers = choose_elements({16, 256}, 4096);
  ASSERT_EQ(numbers.size(), 4096u);
  EXPECT_EQ(numbers.back(), 4095);
}

TEST(ChosenElements, HaveCornersEdgesAndTailsOfALargeOne) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{1000, 1000},
                                                 {1, 1000000},
                                                 {7, 1, 100, 300},
                                                 {4097},
                                                 {3, 3, 3, 3, 3, 3, 3, 3, 3},
                                                 std::vector<std::int64_t>(13, 2)}) {
    const std::vector<std::int64_t> numbers = choose_elements(shape, 4096);
    std::int64_t all = 1;
    for (const std::int64_t extent : shape) all *= extent;
    EXPECT_GE(numbers.size(), 4096u);
    EXPECT_LE(numbers.size(), 4400u);
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
    EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end()), numbers.end());
    EXPECT_GE(numbers.front(), 0);
    EXPECT_LT(numbers.back(), all);
  }
  const std::vector<std::int64_t> numbers = choose_elements({1000, 2000}, 4096);
  for (const std::int64_t corner : {0, 1999, 999 * 2000, 999 * 2000 + 1999}) EXPECT_TRUE(has(numbers, corner));
  for (std::int64_t n = 0; n < 16; ++n) {
    EXPECT_TRUE(has(numbers, 1999 - n));                 // the end of the first row
    EXPECT_TRUE(has(numbers, (999 - n) * 2000 + 1999));  // the end of the last column
  }
  // No part of the rows or columns is left out: about 20 elements in each 16th of them.
  for (std::int64_t part = 0; part < 16; ++part) {
    const auto rows =
        std::count_if(numbers.begin(), numbers.end(), [&](auto n) { return n / 2000 * 16 / 1000 == part; });
    const auto columns =
        std::count_if(numbers.begin(), numbers.end(), [&](auto n) { return n % 2000 * 16 / 2000 == part; });
    EXPECT_GT(rows, 20);
    EXPECT_GT(columns, 20);
  }
}

TEST(ChosenElements, HaveCornersOfElevenDimensions) {
  const std::vector<std::int64_t> numbers = choose_elements(std::vector<std::int64_t>(11, 3), 4096);
  for (std::uint32_t corner = 0; corner < 1u << 11; ++corner) {
    std::int64_t number = 0;
    for (int d = 0; d < 11; ++d) number = 3 * number + ((corner >> d & 1) != 0 ? 2 : 0);
    EXPECT_TRUE(has(numbers, number)) << corner;
  }
}

}  // namespace
}  // namespace nestwright
