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

TEST(Network, LearnsWithScheduledAndUnscheduledKernels) {
  SyntheticImages made;
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

}  // namespace
}  // namespace mnist
