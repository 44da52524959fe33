// Whatever the configuration of a generated space for devices, the lowered program computes the operator's reference:
// on the interpreter, the threads of a block in a random order between barriers, with its race detector.
#include "templates/generated/generated.h"
#include "templates/registry.h"
#include "tests/templates/gpu_cases.h"
#include "tests/templates/gpu_check.h"

namespace nestwright {
namespace {

class GeneratedGpuLowered : public ::testing::TestWithParam<std::string> {};

TEST_P(GeneratedGpuLowered, SamplesComputeTheReference) {
  const Workload w = parse_workload(GetParam());
  const Template t = generated_gpu_template();
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

}  // namespace
}  // namespace nestwright
