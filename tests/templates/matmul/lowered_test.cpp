// The property that everything rests on: whatever the configuration, the lowered program computes the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "target/description/cpu_features.h"
#include "tests/templates/matmul/check.h"

namespace nestwright {
namespace {

using testing::soak;
using testing_matmul::check_config;
using testing_matmul::workload;

struct Size {
  std::int64_t m, n, k;
};

class MatmulLowered : public ::testing::TestWithParam<Size> {};

TEST_P(MatmulLowered, SampledConfigurationsComputeTheReference) {
  const auto [m, n, k] = GetParam();
  std::mt19937_64 random(static_cast<std::uint64_t>(m * 10007 + n * 101 + k + soak()));
  int turn = static_cast<int>(m + n);
  for (const Target& t : testing_matmul::targets()) {
    for (int i = 0; i < 2 * soak(); ++i, ++turn) {
      const Workload w = workload(m, n, k, turn % 4, turn % 3 == 2 ? "float64" : "float32");
      const ConfigSpace space = discover_space(*builtin_registry().find_template("matmul.cpu"), w, t);
      for (int sample = 0; sample < 2; ++sample) {
        const auto config = space.sample(random);
        ASSERT_TRUE(config);
        check_config(*builtin_registry().find_template("matmul.cpu"), w, t, *config);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(MatmulLowered, SeedsComputeTheReference) {
  const auto [m, n, k] = GetParam();
  const std::vector<Target> targets = testing_matmul::targets();
  const Target& t = targets[static_cast<std::size_t>(m + n + k) % targets.size()];
  const Workload w = workload(m, n, k, static_cast<int>(m % 4));
  for (const Config& seed : builtin_registry().find_template("matmul.cpu")->seeds(w, t)) {
    check_config(*builtin_registry().find_template("matmul.cpu"), w, t, seed);
    if (HasFailure()) return;
  }
}

/// Targets with what makes templates of narrow types: nothing, words, tiles, arithmetic on float16.
std::vector<Target> targets_of_narrow_types() {
  std::vector<Target> targets = {testing_matmul::target(CpuIsa::kX86_64), testing_matmul::target(CpuIsa::kAvx2),
                                 testing_matmul::target(CpuIsa::kAvx512), testing_matmul::target(CpuIsa::kAvx512, 2),
                                 testing_matmul::target(CpuIsa::kAvx512, 2)};
  targets[3].features = features_of_cpu("znver4");
  targets[4].features = features_of_cpu("sapphirerapids");
  return targets;
}

class NarrowMatmulLowered : public ::testing::TestWithParam<const char*> {};

TEST_P(NarrowMatmulLowered, EveryTemplateComputesTheReference) {
  std::mt19937_64 random(static_cast<std::uint64_t>(soak()));
  int turn = 0;
  for (const Target& t : targets_of_narrow_types()) {
    for (const Size& size : {Size{1, 1, 1}, Size{5, 37, 7}, Size{33, 35, 66}, Size{18, 48, 131}}) {
      const Workload w = workload(size.m, size.n, size.k, turn++ % 4, GetParam());
      for (const Template* source : templates_for(w, t)) {
        const ConfigSpace space = discover_space(*source, w, t);
        std::vector<Config> configs{source->seeds(w, t).front()};
        for (int sample = 0; sample < soak(); ++sample) configs.push_back(space.sample(random).value());
        for (const Config& config : configs) check_config(*source, w, t, config);
        if (HasFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, NarrowMatmulLowered, ::testing::Values("bfloat16", "float16", "int8", "uint8"),
                         [](const auto& p) { return std::string(p.param); });

INSTANTIATE_TEST_SUITE_P(Sizes, MatmulLowered,
                         ::testing::Values(Size{1, 1, 1}, Size{1, 33, 7}, Size{37, 1, 5}, Size{2, 3, 4}, Size{8, 16, 3},
                                           Size{31, 37, 41}, Size{28, 64, 16}, Size{53, 70, 67}, Size{17, 19, 131}),
                         [](const auto& p) {
                           return "m" + std::to_string(p.param.m) + "n" + std::to_string(p.param.n) + "k" +
                                  std::to_string(p.param.k);
                         });

}  // namespace
}  // namespace nestwright
