// Checks where the temporary values of graphs lie.
#include <gmock/gmock.h>

#include <random>

#include "examples/mnist/executor.h"

namespace mnist {
namespace {

using ::testing::Lt;

std::size_t sum_of_bytes(const std::map<Value, Temporary>& tensors) {
  std::size_t sum = 0;
  for (const auto& [value, tensor] : tensors) sum += tensor.bytes;
  return sum;
}

TEST(MemoryPlan, AChainNeedsTwoTensors) {
  std::map<Value, Temporary> tensors;
  for (std::size_t step = 0; step < 8; ++step) tensors[step] = {.bytes = 128, .first = step, .last = step + 1};
  EXPECT_EQ(plan_memory(tensors), 256u);
}

TEST(MemoryPlan, SizesAreRoundedUpToCacheLines) {
  std::map<Value, Temporary> tensors{{0, {.bytes = 4, .last = 1}}, {1, {.bytes = 65, .last = 1}}};
  EXPECT_EQ(plan_memory(tensors), 192u);
}

TEST(MemoryPlan, TensorsOfOneTimeDoNotOverlap) {
  std::mt19937 random(3);
  const auto below = [&](std::size_t n) { return random() % n; };
  for (int sample = 0; sample < 100; ++sample) {
    std::map<Value, Temporary> tensors;
    for (Value v = 0; v < 30; ++v) {
      const std::size_t first = below(40);
      tensors[v] = {.bytes = 1 + below(1000), .first = first, .last = first + below(8)};
    }
    const std::size_t bytes = plan_memory(tensors);
    EXPECT_THAT(bytes, Lt(sum_of_bytes(tensors)));
    for (const auto& [v, a] : tensors) {
      EXPECT_LE(a.offset + a.bytes, bytes);
      EXPECT_EQ(a.offset % 64, 0u);
      for (const auto& [w, b] : tensors) {
        if (v == w || a.last < b.first || b.last < a.first) continue;
        EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset) << v << " and " << w;
      }
    }
  }
}

}  // namespace
}  // namespace mnist
