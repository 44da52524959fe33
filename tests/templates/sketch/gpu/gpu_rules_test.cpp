// What each rule of a generated space for devices makes: the example of its header as printed loops, held against the
// file of its name under rules/. A file opens with the configuration.
#include "templates/sketch/gpu/gpu_rules.h"

#include <gtest/gtest.h>

#include "tests/templates/sketch/rule_example.h"

namespace nestwright {
namespace {

using testing_sketch::centred_rows;
using testing_sketch::expect_examples_on_file;
using testing_sketch::RuleExample;
using testing_sketch::running_sums;
using testing_sketch::sums_of_rows;
using testing_sketch::transposed;
using testing_sketch::workload_of_arguments;

std::vector<Tensor> injective() {
  const Tensor a = placeholder({6, 64}, kFloat32, "A");
  const Tensor t = compute({6, 64}, [&](Expr i, Expr j) { return a(i, j) + 1.0; }, "T");
  return {a, compute({6, 64}, [&](Expr i, Expr j) { return t(i, j) * 2.0; }, "C")};
}

std::vector<Tensor> rectified_product() {
  const Tensor a = placeholder({64, 40}, kFloat32, "A"), b = placeholder({40, 64}, kFloat32, "B");
  const IterVar k = reduce_axis(40, "k");
  const Tensor c = compute({64, 64}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");
  return {a, b, compute({64, 64}, [&](Expr i, Expr j) { return max(c(i, j), 0.0); }, "D")};
}

std::vector<Tensor> planes() {
  const Tensor a = placeholder({4, 7, 8}, kFloat32, "A");
  return {a, compute({4, 7, 8}, [&](Expr i, Expr j, Expr k) { return a(i, j, k) * 2.0; }, "C")};
}

/// A scan that reads another stage.
std::vector<Tensor> running_sums_of_scaled() {
  const Tensor x = placeholder({5, 64}, kFloat32, "X"), state = placeholder({5, 64}, kFloat32, "state");
  const Tensor t = compute({5, 64}, [&](Expr step, Expr j) { return x(step, j) * 2.0; }, "T");
  const Tensor init = compute({1, 64}, [&](Expr, Expr j) { return t(0, j); }, "init");
  const Tensor update = compute({5, 64}, [&](Expr step, Expr j) { return state(step - 1, j) + t(step, j); }, "update");
  return {x, scan(init, update, state, {t}, "Y")};
}

std::vector<Tensor> total_of_all() {
  const Tensor a = placeholder({4096}, kFloat32, "A");
  const IterVar k = reduce_axis(4096, "k");
  return {a, compute({}, [&] { return sum(a(k), k); }, "y")};
}

class GeneratedGpuRules : public ::testing::TestWithParam<RuleExample> {};

TEST_P(GeneratedGpuRules, MakeTheLoopsOnFile) {
  expect_loops_on_file(sketch_gpu_template(), GetParam(), Target::parse("cuda,arch=sm_90"),
                       "tests/templates/sketch/gpu/rules/");
}

INSTANTIATE_TEST_SUITE_P(
    Rules, GeneratedGpuRules,
    ::testing::Values(
        RuleExample{"inline_injective", "C.threads=64 C.lanes=4", injective},
        RuleExample{
            "block_tile",
            "C.staging=shared C.tile_0=[1,16,4] C.tile_1=[1,16,4] C.strips=1 C.block_k=8 C.unroll_k=4 C.stages=1 "
            "C.padding=4 C.fetch_lanes_0=4 C.fetch_lanes_1=4 C.store_lanes=4",
            rectified_product},
        RuleExample{"merge_axes", "C.threads=64 C.lanes=2", planes},
        RuleExample{"join_block", "C.threads=64 C.rows=1 C.fan_in=2", centred_rows},
        RuleExample{"scan_feeder", "Y.time=threads update.threads=32 T.threads=32", running_sums_of_scaled},
        RuleExample{"row_blocks", "C.threads=32 C.rows=2 C.fan_in=4 C.lanes=2", centred_rows},
        RuleExample{"block_reduction", "y.threads_share=reduction y.threads=32 y.rows=2 y.fan_in=4", sums_of_rows},
        RuleExample{"transposed_tile",
                    "C.staging=shared C.tile_x=16 C.tile_y=16 C.threads_x=16 C.threads_y=4 C.store_lanes=1 C.padding=4 "
                    "C.fetch_lanes_0=4 C.blocks_inner=last",
                    transposed},
        RuleExample{"elements", "y.threads_share=results y.threads=32 y.unroll=4", sums_of_rows},
        RuleExample{"divide_reductions", "y.parts=16 y.rf.threads=32", total_of_all},
        RuleExample{"scan_part", "Y.time=threads update.threads=32 update.lanes=2", running_sums}),
    [](const auto& p) { return std::string(p.param.rule); });

TEST(GeneratedGpuRulesTable, HasAnExampleOfEachRule) {
  expect_examples_on_file(gpu_rules().names(), "tests/templates/sketch/gpu/rules/");
}

TEST(GeneratedGpuSpaces, HaveAtMostTwoHundredSketchesAndValidSeeds) {
  for (const char* device : {"cuda,arch=sm_90", "opencl"}) {
    const Target target = Target::parse(device);
    for (const auto& tensors :
         {injective, rectified_product, centred_rows, sums_of_rows, total_of_all, running_sums, transposed}) {
      const std::vector<Tensor> args = tensors();
      const std::string output = args.back().name();
      const Template t = sketch_gpu_template();
      const Workload workload = workload_of_arguments(args);
      const ConfigSpace space = discover_space(t, workload, target);
      EXPECT_LE(space.branches().size(), 200U) << output;
      const std::vector<Config> seeds = t.seeds(workload, target);
      EXPECT_FALSE(seeds.empty()) << output;
      for (const Config& seed : seeds) EXPECT_EQ(space.why_invalid(seed), "") << output << ": " << seed.str();
    }
  }
}

TEST(GeneratedGpuSpaces, RefuseWhatADeviceCannotRun) {
  const Target target = Target::parse("cuda,arch=sm_90,shared=4096");
  const Template t = sketch_gpu_template();
  const Workload workload = workload_of_arguments(rectified_product());
  const ConfigSpace space = discover_space(t, workload, target);
  Config config = t.seeds(workload, target).front();
  const auto refusal = [&](const char* knob, const KnobValue& value) {
    Config changed = config;
    changed.set(std::string("C.") + knob, value);
    return space.why_invalid(changed);
  };
  config.set("C.tile_0", {1, 16, 4});
  config.set("C.tile_1", {1, 16, 4});
  EXPECT_NE(refusal("block_k", {8}).find("the slices do not fit into a block's shared memory"), std::string::npos)
      << refusal("block_k", {8});
  EXPECT_NE(refusal("strips", {2}).find("a block has strips that lie wholly past the end"), std::string::npos);
}

/// Whether some sketch computes C in tiles; in another one threads always read in place.
bool may_be_tiled(const std::vector<Tensor>& args) {
  const Workload workload = workload_of_arguments(args);
  const ConfigSpace space = discover_space(sketch_gpu_template(), workload, Target::parse("cuda,arch=sm_90"));
  int tiled = 0;
  for (const Branch& branch : space.branches()) tiled += find_knob(branch, "C.tile_x") != nullptr ? 1 : 0;
  EXPECT_LT(tiled, static_cast<int>(space.branches().size()));
  return tiled > 0;
}

TEST(GeneratedGpuSpaces, TileWhatIsReadAcrossLongRows) {
  const auto turned = [](std::int64_t rows, std::int64_t columns) {
    const Tensor a = placeholder({rows, columns}, kFloat32, "A");
    return std::vector<Tensor>{a, compute({columns, rows}, [&](Expr i, Expr j) { return a(j, i) * 2.0F; }, "C")};
  };
  EXPECT_TRUE(may_be_tiled(turned(8, 9)));
  EXPECT_FALSE(may_be_tiled(turned(7, 100)));
  EXPECT_FALSE(may_be_tiled(turned(100, 7)));
  const auto planes_of = [](const std::function<Expr(Expr)>& index) {
    const Tensor a = placeholder({3, 16, 32}, kFloat32, "A");
    return std::vector<Tensor>{
        a, compute({3, 32, 16}, [&](Expr n, Expr i, Expr j) { return a(index(n), j, i) + 1.0F; }, "C")};
  };
  EXPECT_TRUE(may_be_tiled(planes_of([](const Expr& n) { return n; })));
  EXPECT_TRUE(may_be_tiled(planes_of([](const Expr& n) { return 2 - n; })));
  EXPECT_FALSE(may_be_tiled(planes_of([](const Expr& n) { return n % 2; })));
  const Tensor a = placeholder({32, 40}, kFloat32, "A"), b = placeholder({40, 40}, kFloat32, "B");
  EXPECT_TRUE(may_be_tiled({a, compute(
                                   {4, 40, 8}, [&](Expr o, Expr p, Expr c) { return a(o * 8 + c, p) * 2.0F; }, "C")}))
      << "blocks of channels";
  EXPECT_FALSE(may_be_tiled({b, compute(
                                    {40, 40}, [&](Expr i, Expr j) { return b(i, j) + b(j, i); }, "C")}))
      << "the part that both reads need is not one tile";
  EXPECT_FALSE(may_be_tiled(
      {b, compute(
              {40, 40}, [&](Expr i, Expr j) { return select(j < i, b(j, i), ir::make_const(0, kFloat32)); }, "C")}))
      << "b is read under a condition";
  EXPECT_FALSE(may_be_tiled(injective()));
}

TEST(GeneratedGpuSpaces, TakeTilesOfPointsThatFitTheTarget) {
  const Template t = sketch_gpu_template();
  const Workload workload = workload_of_arguments(transposed());
  const Target small = Target::parse("cuda,arch=sm_90,shared=1024,threads_per_block=64");
  const ConfigSpace space = discover_space(t, workload, small);
  const std::vector<Config> seeds = t.seeds(workload, small);
  for (const Config& seed : seeds) EXPECT_EQ(space.why_invalid(seed), "") << seed.str();
  const auto tiled =
      std::find_if(seeds.begin(), seeds.end(), [](const Config& seed) { return seed.find("C.tile_x") != nullptr; });
  ASSERT_NE(tiled, seeds.end());
  Config config = *tiled;
  config.set("C.tile_x", {32});
  config.set("C.tile_y", {32});
  EXPECT_NE(space.why_invalid(config).find("the tile does not fit into a block's shared memory"), std::string::npos)
      << space.why_invalid(config);
}

TEST(GeneratedGpuSpaces, HaveAKernelForTheRowsOfAStepWithoutColumns) {
  const Tensor x = placeholder({6, 64}, kFloat32, "X"), state = placeholder({6, 64}, kFloat32, "state");
  const IterVar k = reduce_axis(64, "k");
  const Tensor init = compute({2, 64}, [&](Expr t, Expr j) { return x(t, j); }, "init");
  const Tensor largest = compute({6}, [&](Expr t) { return max(state(t - 1, k), k); }, "largest");
  const Tensor update =
      compute({6, 64}, [&](Expr t, Expr j) { return x(t, j) + largest(t) - largest(t - 1); }, "update");
  const Workload w = workload_of_arguments({x, scan(init, update, state, {x}, "Y")});
  const Target target = Target::parse("cuda,arch=sm_90");
  const Template t = sketch_gpu_template();
  const Instance instance = instantiate(t, w, target, seeds_of(t, w, target).front());
  const ir::Program program =
      lower(instance.schedule, instance.definition.args, target, "f", {.after_pass = {}, .verify = true});
  EXPECT_NE(ir::to_string(program).find("threadIdx.x i_1 in 0..2:\n"), std::string::npos) << ir::to_string(program);
}

}  // namespace
}  // namespace nestwright
