#include "support/base/chunks.h"

#include <gtest/gtest.h>

#include <vector>

namespace nestwright {
namespace {

TEST(Chunks, CoverEachElementOnce) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, kChunkElements - 1, kChunkElements, kChunkElements + 1,
                              3 * kChunkElements + 7}) {
    std::vector<int> calls(n);
    for_chunks(n, [&](std::size_t begin, std::size_t end) {
      EXPECT_LT(begin, end);
      EXPECT_LE(end - begin, kChunkElements);
      EXPECT_EQ(begin % kChunkElements, 0u);
      for (std::size_t i = begin; i < end; ++i) ++calls[i];
    });
    EXPECT_EQ(calls, std::vector<int>(n, 1));
  }
}

}  // namespace
}  // namespace nestwright
