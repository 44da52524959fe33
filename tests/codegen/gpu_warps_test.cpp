// What the tensor core template makes, run as CUDA text on emulated warps: sizes that are no multiples of any tile.
// NESTWRIGHT_GPU_SAMPLES=N in the environment draws N configurations for each workload.
#include <gtest/gtest.h>

#include <random>

#include "codegen/cuda/cuda_dialect.h"
#include "codegen/source/device_object.h"
#include "lower/lower.h"
#include "templates/matmul/matmul_shape.h"
#include "tests/codegen/device/warp_emulation.h"
#include "tests/templates/gpu_cases.h"

namespace nestwright {
namespace {

class GpuWarps : public ::testing::TestWithParam<const char*> {};

TEST_P(GpuWarps, TextComputesTheProduct) {
  const Workload w = parse_workload(GetParam());
  const MatmulShape shape = matmul_shape(w);
  const Template& mma = *find_template("matmul.mma");
  const Target target = testing_gpu::cuda();
  const ConfigSpace space = discover_space(mma, w, target);
  std::mt19937_64 random(std::hash<std::string>()(GetParam()));
  const int samples = testing_gpu::is_soak() ? testing_gpu::samples() : 2;
  for (int n = 0; n < samples; ++n) {
    const Config config = n == 0 ? mma.seeds(w, target).front() : space.sample(random).value();
    const Instance instance = instantiate(mma, w, target, config);
    const ir::Program program = expand(lower(instance.schedule, instance.definition.args, target, w.op), target);
    const CompiledObject object = codegen::device_object(program, codegen::CudaDialect(target));
    // More is not an array of the kernel, but given by the launch.
    if (object.source.find("extern __shared__") != std::string::npos) continue;
    EXPECT_EQ(testing::run_on_emulated_warps(program, object.source,
                                             {w.type("dtype"), shape.m, shape.n, shape.k, shape.ta, shape.tb}),
              "")
        << config.str() << "\n"
        << object.source;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Workloads, GpuWarps,
    ::testing::Values("matmul m=37 n=45 k=40 dtype=bfloat16", "matmul m=50 n=32 k=64 ta=1 dtype=bfloat16",
                      "matmul m=64 n=41 k=48 tb=1 dtype=bfloat16", "matmul m=35 n=36 k=21 ta=1 tb=1 dtype=bfloat16",
                      "matmul m=40 n=70 k=70 dtype=int8", "matmul m=48 n=64 k=96 tb=1 dtype=uint8",
                      "matmul m=33 n=20 k=36 ta=1 dtype=uint8", "matmul m=48 n=37 k=30 tb=1 precision=tf32",
                      "matmul m=35 n=64 k=64 ta=1 precision=tf32"),
    [](const auto& p) { return "number" + std::to_string(p.index); });

}  // namespace
}  // namespace nestwright
