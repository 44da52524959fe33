#include "support/data/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>

namespace nestwright {
namespace {

// Computed by an independent implementation (Python): databases contain these values.
TEST(Hash, IsFrozen) {
  EXPECT_EQ(stable_hash(""), 0xf52a15e9a9b5e89bULL);
  EXPECT_EQ(stable_hash("nestwright"), 0xf875a4a56899e9bfULL);
}

TEST(Hash, OneChangedBitChangesAboutHalfOfAll) {
  int changed = 0, pairs = 0;
  for (int i = 0; i < 64; ++i) {
    for (int bit = 0; bit < 8; ++bit, ++pairs) {
      std::string a(8, static_cast<char>(i)), b = a;
      b[static_cast<std::size_t>(i % 8)] = static_cast<char>(b[static_cast<std::size_t>(i % 8)] ^ (1 << bit));
      changed += std::popcount(stable_hash(a) ^ stable_hash(b));
    }
  }
  EXPECT_NEAR(static_cast<double>(changed) / pairs, 32, 1.5);
}

TEST(Hash, CombiningDependsOnTheOrder) {
  EXPECT_NE(hash_combine(hash_combine(0, 1), 2), hash_combine(hash_combine(0, 2), 1));
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) seen.insert(hash_combine(7, i));
  EXPECT_EQ(seen.size(), 1000u);
}

}  // namespace
}  // namespace nestwright
