// Whatever the configuration of a generated space for devices, the lowered program computes the operator's reference:
// on the interpreter, the threads of a block in a random order between barriers, with its race detector.
#include "nestwright/registry.h"
#include "templates/sketch/sketch_template.h"
#include "tests/templates/gpu_cases.h"
#include "tests/templates/gpu_check.h"
#include "tests/templates/sketch/expressions.h"

namespace nestwright {
namespace {

class GeneratedGpuLowered : public ::testing::TestWithParam<std::string> {};

TEST_P(GeneratedGpuLowered, SamplesComputeTheReference) {
  const Workload w = parse_workload(GetParam());
  const Template t = sketch_gpu_template();
  std::mt19937_64 random(std::hash<std::string>()(GetParam()) + static_cast<std::uint64_t>(testing::soak()));
  const int samples = 2 * testing::soak();
  for (int sample = 0; sample < samples && !HasFailure(); ++sample) {
    const Target target = random() % 2 == 0 ? testing_gpu::cuda() : testing_gpu::opencl();
    const std::vector<Config> seeds = t.seeds(w, target);
    if (sample == 0) testing_gpu::check_config(t, w, target, seeds[random() % seeds.size()], random());
    const auto config = discover_space(t, w, target).sample(random);
    ASSERT_TRUE(config) << w.str();
    testing_gpu::check_config(t, w, target, *config, random());
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, GeneratedGpuLowered, ::testing::ValuesIn(testing_gpu::workloads()),
                         [](const auto& p) { return "number" + std::to_string(p.index); });

/// Y[h, d, s] = X[s, h, d] + Z[h, d, s]
Workload permutation(std::int64_t s, std::int64_t h, std::int64_t d) {
  const Tensor x = placeholder({s, h, d}, kFloat32, "X"), z = placeholder({h, d, s}, kFloat32, "Z");
  const Tensor y = compute({h, d, s}, [&](Expr i, Expr j, Expr k) { return x(k, i, j) + z(i, j, k); }, "Y");
  Workload workload = testing_sketch::workload_of({x, z}, {y});
  Operator op = *workload.op;
  op.reference = [=](const Workload&, const HostTensors& in) {
    Reference reference = one_result(in[1].size());
    std::size_t at = 0;
    for (std::int64_t i = 0; i < h; ++i) {
      for (std::int64_t jk = 0; jk < d * s; ++jk, ++at) {
        const std::int64_t j = jk / s, k = jk % s;
        reference.expected[0][at] = in[0][static_cast<std::size_t>((k * h + i) * d + j)] + in[1][at];
        reference.bound[0][at] = 1e-6;
      }
    }
    return reference;
  };
  workload.op = std::make_shared<const Operator>(std::move(op));
  return workload;
}

TEST(TilesOfPoints, ComputeTheReference) {
  const Template t = sketch_gpu_template();
  std::mt19937_64 random(static_cast<std::uint64_t>(testing::soak()));
  for (const auto& [s, h, d] : {std::array{37, 3, 20}, {32, 2, 64}, {8, 1, 8}, {45, 2, 67}}) {
    const Workload w = permutation(s, h, d);
    const Target target = random() % 2 == 0 ? testing_gpu::cuda() : testing_gpu::opencl();
    const ConfigSpace space = discover_space(t, w, target);
    EXPECT_EQ(space.branches().size(), 2U) << "in tiles and without";
    std::vector<Config> configs = t.seeds(w, target);
    for (int n = 0; n < 4 * testing::soak(); ++n) configs.push_back(space.sample(random).value());
    for (const Config& config : configs) testing_gpu::check_config(t, w, target, config, random());
  }
}

}  // namespace
}  // namespace nestwright
