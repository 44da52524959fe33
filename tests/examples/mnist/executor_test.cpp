// Checks runs of graphs of examples/mnist, and where their temporary values lie.
#include <gmock/gmock.h>

#include <random>

#include "examples/mnist/executor.h"

namespace mnist {
namespace {

using nestwright::ArrayView;
using nestwright::kFloat32;
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

TEST(Executor, ASmallerBatchIsPlannedAnew) {
  Compiler compiler("", true);
  Graph graph;
  const Value x = graph.input(), w = graph.input(), v = graph.input();
  const Value y = graph.apply("product", {graph.apply("product", {graph.apply("product", {x, w}), w}), v});
  Executor executor(graph, {y}, compiler);
  std::vector<float> memory(1000, 1);
  const auto run = [&](std::int64_t rows) {
    executor.run({{x, ArrayView(memory.data(), kFloat32, {rows, 8})},
                  {w, ArrayView(memory.data() + 200, kFloat32, {8, 8})},
                  {v, ArrayView(memory.data() + 300, kFloat32, {8, 4})},
                  {y, ArrayView(memory.data() + 400, kFloat32, {rows, 4})}});
    return executor.temporaries().at(3).bytes + executor.temporaries().at(4).bytes;
  };
  EXPECT_EQ(run(20), 2u * 20 * 8 * 4);
  EXPECT_EQ(memory[400], 512);
  EXPECT_EQ(memory[479], 512);
  memory[400] = 0;
  EXPECT_EQ(run(3), 2u * 3 * 8 * 4);
  EXPECT_EQ(memory[400], 512);
  EXPECT_EQ(compiler.functions().size(), 4u);  // of each size, two products are alike
  run(20);
  EXPECT_EQ(compiler.functions().size(), 4u);  // each is compiled once
}

TEST(Executor, ReusesTheMemoryOfItsValues) {
  Compiler compiler("", true);
  Graph graph;
  std::map<Value, ArrayView> memory;
  std::vector<float> data(100);
  const Value x = graph.input(), w = graph.input();
  memory.emplace(x, ArrayView(data.data(), kFloat32, {4, 4}));
  memory.emplace(w, ArrayView(data.data() + 16, kFloat32, {4, 4}));
  Value y = x;
  for (int layer = 0; layer < 5; ++layer) y = graph.apply("product", {y, w});
  memory.emplace(y, ArrayView(data.data() + 32, kFloat32, {4, 4}));
  Executor executor(graph, {y}, compiler);
  executor.run(memory);
  std::set<std::size_t> offsets;
  for (const auto& [value, temporary] : executor.temporaries()) offsets.insert(temporary.offset);
  EXPECT_EQ(executor.temporaries().size(), 4u);
  EXPECT_EQ(offsets.size(), 2u);
}

}  // namespace
}  // namespace mnist
