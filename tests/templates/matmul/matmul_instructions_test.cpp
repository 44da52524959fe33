// Seeds and samples of the templates that use tensor instructions, for products so large that they use whole tiles,
// swizzled matrices and pipelines: the verifier compares each instruction with its loops. They are too large for the
// interpreter, which executes small ones (lowered_test.cpp, gpu_lowered_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <set>

#include "ir/traversal/rewrite.h"
#include "nestwright/lower.h"
#include "nestwright/registry.h"
#include "templates/framework/space/discover.h"

namespace nestwright {
namespace {

constexpr int kSamples = 20;

struct Case {
  const char *template_name, *target;
  std::vector<const char*> workloads;
  std::set<std::string> instructions;  ///< that their programs have together
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.template_name; }

const Case kCases[] = {
    {"matmul.amx",
     "cpu,isa=avx512,threads=2,llvm_cpu=sapphirerapids",
     {"matmul m=512 n=512 k=512 dtype=bfloat16", "matmul m=100 n=70 k=130 tb=1 dtype=int8",
      "matmul m=64 n=256 k=1024 prepared=b dtype=uint8"},
     {"tile_configure", "tile_load", "tile_multiply", "tile_release", "tile_store", "tile_zero"}},
    {"matmul.mma",
     "cuda,arch=sm_80",
     {"matmul m=512 n=512 k=512 dtype=bfloat16", "matmul m=512 n=512 k=512 tb=1 dtype=int8",
      "matmul m=256 n=256 k=256 ta=1 precision=tf32"},
     {"fragment_fill", "fragment_load", "fragment_load_transposed", "fragment_multiply"}},
    {"matmul.wgmma",
     "cuda,arch=sm_90",
     {"matmul m=512 n=512 k=512 dtype=bfloat16", "matmul m=512 n=512 k=512 ta=1 dtype=float16",
      "matmul m=512 n=512 k=512 tb=1 dtype=int8", "matmul m=512 n=512 k=512 ta=1 tb=1 dtype=bfloat16"},
     {"warpgroup_await", "warpgroup_fill", "warpgroup_multiply", "warpgroup_multiply swizzled",
      "warpgroup_multiply transposed", "warpgroup_multiply transposed swizzled"}}};

class TensorInstructions : public ::testing::TestWithParam<Case> {};

/// The operations in the program; of products of warpgroups also how their matrices lie.
std::set<std::string> instructions_of(const ir::Program& program) {
  std::set<std::string> found;
  for (const ir::Kernel& kernel : program.kernels) {
    ir::for_each_stmt(kernel.body, [&](const ir::Stmt& s) {
      const auto* instruction = s.as<ir::TensorInstruction>();
      if (instruction == nullptr) return;
      std::string name = tensor_op_name(instruction->op);
      if (instruction->transposes_a || instruction->transposes_b) name += " transposed";
      if (instruction->swizzles_a || instruction->swizzles_b) name += " swizzled";
      found.insert(name);
    });
  }
  return found;
}

TEST_P(TensorInstructions, OfLargeProductsVerify) {
  const Target target = Target::parse(GetParam().target);
  std::set<std::string> found;
  for (const char* text : GetParam().workloads) {
    const Workload w = parse_workload(text);
    const Template* const t = w.op->find_template(GetParam().template_name);
    ASSERT_NE(t, nullptr) << text;
    std::vector<Config> configs = t->seeds(w, target);
    const ConfigSpace space = discover_space(*t, w, target);
    std::mt19937_64 random(1);
    for (int sample = 0; sample < kSamples; ++sample) configs.push_back(space.sample(random).value());
    for (const Config& config : configs) {
      SCOPED_TRACE(std::string(text) + ": " + config.str());
      const Instance instance = instantiate(*t, w, target, config);
      const ir::Program loops = lower(instance.schedule, instance.definition.args, target, w.op->name);
      found.merge(instructions_of(expand(loops, target, {.after_pass = {}, .verify = true})));
    }
  }
  EXPECT_EQ(found, GetParam().instructions);
}

INSTANTIATE_TEST_SUITE_P(Templates, TensorInstructions, ::testing::ValuesIn(kCases), [](const auto& p) {
  std::string name = p.param.template_name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace nestwright
