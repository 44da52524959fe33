// The CUDA sources of products, those of the tensor core templates among them, run on emulated warps, with sizes that
// no tile divides. NESTWRIGHT_GPU_SAMPLES=N in the environment draws N configurations for each workload.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "codegen/cuda/cuda_dialect.h"
#include "codegen/source/device_object.h"
#include "nestwright/lower.h"
#include "nestwright/registry.h"
#include "templates/matmul/shape.h"
#include "tests/codegen/device/warp_emulation.h"
#include "tests/support/golden.h"
#include "tests/templates/gpu_cases.h"

namespace nestwright {
namespace {

/// A configuration and its CUDA source.
struct Kernel {
  ir::Program program;
  std::string source;

  Kernel(const Template& from, const Workload& w, const Target& target, const Config& config) {
    const Instance instance = instantiate(from, w, target, config);
    program = expand(lower(instance.schedule, instance.definition.args, target, w.op->name), target);
    source = codegen::device_object(program, codegen::CudaDialect()).source;
  }
};

testing::WarpProduct product_of(const Workload& w) {
  const MatmulShape shape = matmul_shape(w);
  return {w.type("dtype"), shape.m, shape.n, shape.k, shape.ta, shape.tb};
}

class GpuWarps : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(GpuWarps, TextComputesTheProduct) {
  const auto [name, text] = GetParam();
  const Workload w = parse_workload(text);
  const Template& source = *builtin_registry().find_template(name);
  const Target target = testing_gpu::cuda();
  const ConfigSpace space = discover_space(source, w, target);
  std::mt19937_64 random(std::hash<std::string>()(text));
  const int samples = testing_gpu::is_soak() ? testing_gpu::samples() : 2;
  for (int n = 0; n < samples; ++n) {
    const Config config = n == 0 ? source.seeds(w, target).front() : space.sample(random).value();
    const Kernel kernel(source, w, target, config);
    EXPECT_EQ(testing::run_on_emulated_warps(kernel.program, kernel.source, product_of(w)), "") << config.str() << "\n"
                                                                                                << kernel.source;
  }
}

std::vector<std::tuple<const char*, const char*>> cases() {
  std::vector<std::tuple<const char*, const char*>> all;
  for (const char* workload :
       {"matmul m=137 n=45 k=40 dtype=bfloat16", "matmul m=50 n=32 k=64 ta=1 dtype=bfloat16",
        "matmul m=64 n=41 k=48 tb=1 dtype=bfloat16", "matmul m=99 n=36 k=21 ta=1 tb=1 dtype=bfloat16",
        "matmul m=130 n=40 k=130 dtype=bfloat16", "matmul m=56 n=70 k=70 dtype=int8",
        "matmul m=80 n=64 k=96 tb=1 dtype=uint8", "matmul m=68 n=20 k=36 ta=1 dtype=uint8",
        "matmul m=48 n=37 k=30 tb=1 precision=tf32", "matmul m=35 n=64 k=64 ta=1 precision=tf32"}) {
    for (const Template* source : templates_for(parse_workload(workload), testing_gpu::cuda())) {
      if (source->name != "matmul.gpu") all.emplace_back(source->name.c_str(), workload);
    }
  }
  return all;
}

/// Slices of one step of the reduction, in three and in four stages.
TEST(GpuWarpStages, TextComputesTheProduct) {
  for (const auto& [name, text] : {std::pair{"matmul.mma", "matmul m=33 n=48 k=96 dtype=bfloat16"},
                                   std::pair{"matmul.mma", "matmul m=40 n=32 k=192 tb=1 dtype=int8"},
                                   std::pair{"matmul.mma", "matmul m=32 n=36 k=64 precision=tf32"},
                                   std::pair{"matmul.wgmma", "matmul m=70 n=32 k=96 dtype=bfloat16"}}) {
    const Workload w = parse_workload(text);
    const Template& source = *builtin_registry().find_template(name);
    const Target target = testing_gpu::cuda();
    const ConfigSpace space = discover_space(source, w, target);
    for (const std::int64_t stages : {3, 4}) {
      Config config = source.seeds(w, target).front();
      config.set("block_k", {32 / w.type("dtype").bytes()});
      config.set("stages", {stages});
      ASSERT_EQ(space.why_invalid(config), "") << text;
      const Kernel kernel(source, w, target, config);
      EXPECT_NE(kernel.source.find("cp.async.wait_group " + std::to_string(stages - 2)), std::string::npos);
      EXPECT_EQ(testing::run_on_emulated_warps(kernel.program, kernel.source, product_of(w)), "")
          << config.str() << "\n"
          << kernel.source;
    }
  }
}

/// The accesses of each template's default, for products of at least two of its slices.
TEST(GpuAccesses, OfDefaultsAreTheGoldenOnes) {
  std::string text;
  for (const auto& [name, workload] : {std::pair{"matmul.mma", "matmul m=128 n=128 k=128 dtype=bfloat16"},
                                       std::pair{"matmul.mma", "matmul m=128 n=128 k=128 tb=1 dtype=bfloat16"},
                                       std::pair{"matmul.mma", "matmul m=128 n=128 k=256 tb=1 dtype=int8"},
                                       std::pair{"matmul.mma", "matmul m=128 n=128 k=64 precision=tf32"},
                                       std::pair{"matmul.mma", "matmul m=128 n=128 k=64 ta=1 tb=1 precision=tf32"},
                                       std::pair{"matmul.wgmma", "matmul m=128 n=128 k=256 dtype=bfloat16"},
                                       std::pair{"matmul.wgmma", "matmul m=128 n=128 k=256 tb=1 dtype=bfloat16"}}) {
    const Workload w = parse_workload(workload);
    const Template& source = *builtin_registry().find_template(name);
    const Target target = testing_gpu::cuda();
    const Config config = source.seeds(w, target).front();
    const Kernel kernel(source, w, target, config);
    const std::string counts = testing::count_accesses(kernel.program, kernel.source, product_of(w));
    EXPECT_THAT(counts, ::testing::Not(::testing::ContainsRegex("loads [a-z0-9 ]*: [0-9]* by warps, [1-9][0-9]* bank")))
        << workload;
    text += fmt::format("# {} of {}\n# {}\n{}\n", name, workload, config.str(), counts);
  }
  testing::expect_golden(text, "tests/codegen/device/golden/accesses_of_templates.txt");
}

INSTANTIATE_TEST_SUITE_P(Workloads, GpuWarps, ::testing::ValuesIn(cases()), [](const auto& p) {
  const std::string name = std::get<0>(p.param);
  return name.substr(name.find('.') + 1) + "_" + std::to_string(p.index);
});

}  // namespace
}  // namespace nestwright
