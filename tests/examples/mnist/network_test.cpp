// Trains small networks of examples/mnist on made-up images.
#include "examples/mnist/network.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace mnist {
namespace {

using namespace nestwright;

constexpr std::int64_t kImages = 48, kPixels = 12, kClasses = 3;

/// Images of three classes, each with a bright third.
struct MadeUpImages {
  Array images = Array::empty(kFloat32, {kImages, kPixels}), labels = Array::empty(kInt64, {kImages});

  MadeUpImages() {
    std::mt19937 random(5);
    for (std::int64_t i = 0; i < kImages; ++i) {
      const std::int64_t label = labels.as<std::int64_t>()[static_cast<std::size_t>(i)] = i % kClasses;
      for (std::int64_t p = 0; p < kPixels; ++p) {
        const float noise = std::uniform_real_distribution(0.0F, 0.5F)(random);
        images.as<float>()[static_cast<std::size_t>(i * kPixels + p)] = noise + (p % kClasses == label ? 0.5F : 0);
      }
    }
  }
  ArrayView first_images(std::int64_t n) { return {images.data(), kFloat32, {n, kPixels}}; }
  ArrayView first_labels(std::int64_t n) { return {labels.data(), kInt64, {n}}; }
};

TEST(Network, LearnsWithScheduledAndUnscheduledKernels) {
  MadeUpImages made;
  std::vector<double> losses;
  for (const bool unscheduled : {false, true}) {
    Compiler compiler("", unscheduled);
    Network network({kPixels, 16, 8, kClasses}, compiler);
    const double first = network.train(made.first_images(kImages), made.first_labels(kImages));
    EXPECT_NEAR(first / kImages, std::log(kClasses), 1);
    for (int step = 0; step < 60; ++step) {
      losses.push_back(network.train(made.first_images(kImages), made.first_labels(kImages)));
    }
    EXPECT_LT(losses.back(), first / 10);
    EXPECT_EQ(network.test(made.first_images(kImages), made.first_labels(kImages)), kImages);
  }
  for (std::size_t step = 0; step < 60; ++step) EXPECT_NEAR(losses[step], losses[step + 60], 1e-2);
}

TEST(Network, ASmallerBatchIsPlannedAnew) {
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

TEST(Network, ReusesTheMemoryOfItsValues) {
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
