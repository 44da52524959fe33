#include "bench/comparison/timing/buffers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>

#include "target/description/machine.h"

namespace nestwright::bench {
namespace {

TEST(Buffers, WarmCachesNeedOneCopyColdOnesTwiceTheCache) {
  constexpr std::int64_t kCache = 32 << 20;
  EXPECT_EQ(copies_for(Caches::kWarm, 100, kCache), 1);
  EXPECT_EQ(copies_for(Caches::kCold, 1 << 20, kCache), 64);
  EXPECT_EQ(copies_for(Caches::kCold, (1 << 20) - 1, kCache), 65) << "never less than twice";
  EXPECT_EQ(copies_for(Caches::kCold, std::int64_t{1} << 30, kCache), 2) << "never the same tensors twice running";
}

TEST(Buffers, TensorsLieOnPagesOfTheirOwnAndApart) {
  const Buffers buffers({4096, 100, 5000}, 3, Pages::kSmall);
  std::set<void*> seen;
  for (std::int64_t copy = 0; copy < 3; ++copy) {
    for (std::size_t tensor = 0; tensor < 3; ++tensor) {
      char* const at = static_cast<char*>(buffers.at(copy, tensor));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at) % 4096, 0u);
      EXPECT_TRUE(seen.insert(at).second);
    }
    // Fills the largest tensor to its end, which must not touch any other.
    std::memset(buffers.at(copy, 2), static_cast<int>(copy + 1), 5000);
  }
  for (std::int64_t copy = 0; copy < 3; ++copy) {
    EXPECT_EQ(static_cast<char*>(buffers.at(copy, 0))[0], 0);
    EXPECT_EQ(static_cast<char*>(buffers.at(copy, 2))[4999], copy + 1);
  }
}

TEST(Buffers, HugePagesBeginOnTheirBoundary) {
  if (Machine::host().huge_pages == "never" || Machine::host().huge_pages.empty())
    GTEST_SKIP() << "there are none here";
  const Buffers buffers({3 << 20}, 1, Pages::kHuge);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffers.at(0, 0)) % (2u << 20), 0u);
}

}  // namespace
}  // namespace nestwright::bench
