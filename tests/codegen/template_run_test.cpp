// Every template's kernels, compiled for each instruction set that this machine has, compute the operator's reference
// from each set of inputs that checks use.
#include <gtest/gtest.h>

#include "nestwright/registry.h"
#include "template_cases.h"
#include "tests/templates/input_sets.h"

namespace nestwright::testing {
namespace {

/// Whether the instructions of the ISA, or of this machine where it has more, suffice for a template.
bool has_instructions_for(const std::string& name, CpuIsa isa) {
  if (name == "matmul.amx") return isa == CpuIsa::kAvx512 && Target::host().has(CpuFeature::kAmxInt8);
  return name != "conv2d.winograd" || isa != CpuIsa::kX86_64;
}

/// Those of a convolution are extents of six dimensions.
std::vector<std::int64_t> sizes_for(const Template& t) {
  if (operator_of(t)->name == "conv2d") return {1, 2, 3, 5, 8, 13, 16, 17};
  return {1, 2, 5, 16, 33, 47, 61, 64, 79, 113, 128};
}

/// The number of input sets on which the kernel of a candidate is wrong; reports each.
int wrong_sets(const Candidate& c, const LinkedProgram& kernel, const Definition& definition,
               const std::vector<testing_inputs::NamedInputs>& sets) {
  int count = 0;
  for (const auto& [name, data] : sets) {
    std::vector<Array> arrays = arrays_for(definition, data.inputs);
    EXPECT_EQ(run_compiled(kernel, arrays), 0) << c.str();
    const std::string wrong = wrong_output(definition, arrays, data.reference);
    EXPECT_EQ(wrong, "") << c.str() << " of " << name;
    count += !wrong.empty();
  }
  return count;
}

class TemplateRuns : public ::testing::TestWithParam<CpuIsa> {};

TEST_P(TemplateRuns, ComputeTheReference) {
  if (!can_run(GetParam())) GTEST_SKIP() << "this machine lacks the instructions";
  const std::shared_ptr<ParallelPool> threads = make_pool(PoolKind::kSpin, 2), alone = make_pool(PoolKind::kSerial, 1);
  Target target = target_of(GetParam());
  for (const Template* each : all_templates()) {
    const Template& t = *each;
    if (!t.is_for(DeviceKind::kCpu)) continue;
    const Operator& op = *operator_of(t);
    std::mt19937_64 random = random_for(t.name + " runs");
    int failures = 0, configurations = 0;
    for (int round = 0; round < rounds_of(t, 10); ++round) {
      target.threads = 1 + round % 2;
      if (target.isa == CpuIsa::kAvx512) target.features = round % 3 == 0 ? CpuFeatures() : Target::host().features;
      const auto found = random_workload(t, target, sizes_for(t), random);
      if (!found) continue;
      const Workload& workload = *found;
      const Definition definition = op.define(workload);
      const auto sets = testing_inputs::input_sets(workload, random_inputs(definition, random));
      for (const Candidate& c : candidates(t, workload, target, 1, 3, random)) {
        try {
          const LinkedProgram kernel = link(compile(lowered(c), target), target.threads > 1 ? threads : alone);
          ++configurations;
          failures += wrong_sets(c, kernel, definition, sets);
        } catch (const Error& error) {
          ADD_FAILURE() << c.str() << ": " << error.what();
          ++failures;
        }
        if (failures >= 5 * soak()) return;
      }
    }
    EXPECT_EQ(configurations > 0, has_instructions_for(t.name, target.isa)) << t.name;
  }
}

// A multiple of the scale by which F(4x4) divides, times its rounded inverse, is exact; as an operand of a fused
// multiplication and addition it is not.
TEST(WinogradRuns, AreExactOnWholeNumbersBesideABias) {
  if (!can_run(CpuIsa::kAvx2)) GTEST_SKIP() << "this machine lacks the instructions";
  const Target target = target_of(CpuIsa::kAvx2);
  const Template& winograd = *builtin_registry().find_template("conv2d.winograd");
  const Workload workload = parse_workload("conv2d n=5 c=17 h=16 w=16 k=13 r=3 s=3 pad=1 epilogue=bias_relu");
  const Definition definition = workload.op->define(workload);
  std::mt19937_64 random(1);
  const auto sets = testing_inputs::input_sets(workload, random_inputs(definition, random));
  int large_tiles = 0;
  for (const Config& config : winograd.seeds(workload, target)) {
    if (!config.str().starts_with("tile=4x4")) continue;
    ++large_tiles;
    const Candidate candidate{&winograd, workload, target, config};
    const LinkedProgram kernel = link(compile(lowered(candidate), target), make_pool(PoolKind::kSerial, 1));
    EXPECT_EQ(wrong_sets(candidate, kernel, definition, sets), 0);
  }
  EXPECT_GT(large_tiles, 0);
}

INSTANTIATE_TEST_SUITE_P(Isas, TemplateRuns, ::testing::Values(CpuIsa::kX86_64, CpuIsa::kAvx2, CpuIsa::kAvx512),
                         [](const auto& parameter) { return isa_name(parameter.param); });

}  // namespace
}  // namespace nestwright::testing
