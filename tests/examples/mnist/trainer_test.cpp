// Trains small networks of examples/mnist on made-up images, and counts kernels.
#include "examples/mnist/trainer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace mnist {
namespace {

using namespace nestwright;

constexpr std::int64_t kImages = 48, kPixels = 12, kClasses = 3;

/// Images of three classes, each with a bright third.
struct SyntheticImages {
  Array images = Array::empty(kFloat32, {kImages, kPixels}), labels = Array::empty(kInt64, {kImages});

  SyntheticImages() {
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

TEST(Trainer, LearnsWithScheduledAndUnscheduledKernels) {
  SyntheticImages made;
  std::vector<double> losses;
  for (const bool unscheduled : {false, true}) {
    Trainer trainer({kPixels, 16, 8, kClasses}, nullptr, unscheduled);
    const double first = trainer.train(made.first_images(kImages), made.first_labels(kImages));
    EXPECT_NEAR(first / kImages, std::log(kClasses), 1);
    for (int step = 0; step < 60; ++step) {
      losses.push_back(trainer.train(made.first_images(kImages), made.first_labels(kImages)));
    }
    EXPECT_LT(losses.back(), first / 10);
    EXPECT_EQ(trainer.test(made.first_images(kImages), made.first_labels(kImages)), kImages);
  }
  for (std::size_t step = 0; step < 60; ++step) EXPECT_NEAR(losses[step], losses[step + 60], 1e-2);
}

TEST(Trainer, BatchesOfOtherSizesShareParameters) {
  SyntheticImages made;
  Trainer trainer({kPixels, 16, 8, kClasses}, nullptr, true);
  for (int step = 0; step < 40; ++step) {
    trainer.train(made.first_images(kImages), made.first_labels(kImages));
    trainer.train(made.first_images(kImages / 2), made.first_labels(kImages / 2));
  }
  const std::size_t workloads = trainer.workloads().size();
  EXPECT_EQ(trainer.test(made.first_images(kImages), made.first_labels(kImages)), kImages);
  EXPECT_EQ(trainer.test(made.first_images(kImages / 2), made.first_labels(kImages / 2)), kImages / 2);
  EXPECT_EQ(trainer.workloads().size(), workloads + 2);  // count_right of both sizes; layers are the same kernels
}

std::size_t kernels_of(const Graph& graph) {
  std::size_t calls = 0;
  for (const NetworkTask& task : network_tasks(with_kernels(graph))) calls += task.nodes.size();
  return calls;
}

TEST(Layers, StepsAreFewKernels) {
  // Three layers forward, the loss and its gradient, two layers back, and for each parameter its gradient with the new
  // velocity, and its new value.
  EXPECT_EQ(kernels_of(training_graph({784, 256, 100, 10}, 1000)), 19u);
  EXPECT_EQ(kernels_of(testing_graph({784, 256, 100, 10}, 1000)), 4u);
}

}  // namespace
}  // namespace mnist
