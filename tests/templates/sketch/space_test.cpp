// Generated spaces: every operator has one, of a bounded number of sketches, and seeds that are in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "expression/body_size.h"
#include "nestwright/lower.h"
#include "nestwright/registry.h"
#include "schedule/state/state.h"
#include "templates/sketch/sketch_template.h"
#include "tests/support/cpu_target.h"
#include "tests/templates/sketch/expressions.h"

namespace nestwright {
namespace {

TEST(GeneratedSpaces, HaveAtMostTwoHundredSketchesAndValidSeeds) {
  const Target target = cpu_target(CpuIsa::kAvx512, 2);
  for (const char* text : {"matmul m=512 n=512 k=512", "matmul m=1 n=512 k=512 tb=1 epilogue=bias_relu",
                           "conv2d n=1 c=64 h=56 w=56 k=64 r=3 s=3 pad=1 epilogue=bias_relu",
                           "depthwise_conv2d n=1 c=64 h=56 w=56 r=3 s=3 pad=1", "softmax rows=64 columns=1000",
                           "layer_norm rows=64 columns=768", "transpose rows=64 columns=100",
                           "reduce function=sum shape=64x32x16 axes=0,2", "broadcast function=add rows=64 columns=100",
                           "elementwise function=gelu shape=10000", "scan function=sum steps=20 columns=100"}) {
    const Workload w = parse_workload(text);
    const Template t = sketch_cpu_template();
    const ConfigSpace space = discover_space(t, w, target);
    EXPECT_LE(space.branches().size(), 200U) << text;
    const std::vector<Config> seeds = t.seeds(w, target);
    EXPECT_GE(seeds.size(), 2U) << text;
    for (const Config& seed : seeds) EXPECT_EQ(space.why_invalid(seed), "") << text << ": " << seed.str();
  }
}

TEST(GeneratedSpaces, TakeRowsFarApartWhereTheyDoNotFitTheCache) {
  Target target = cpu_target(CpuIsa::kAvx512, 2);
  target.l2_bytes = 1 << 20;
  const Template t = sketch_cpu_template();
  const auto streams_of = [&](const std::string& text) {
    std::set<std::string> labels;
    const ConfigSpace space = discover_space(t, parse_workload(text), target);
    for (const Branch& branch : space.branches()) {
      if (const Knob* const knob = find_knob(branch, "streams"))
        labels.insert(knob->labels.begin(), knob->labels.end());
    }
    return labels;
  };
  using Labels = std::set<std::string>;
  EXPECT_EQ(streams_of("reduce function=sum shape=4096x1024 axes=1"), (Labels{"one", "four", "eight"}));
  EXPECT_EQ(streams_of("reduce function=sum shape=4092x1024 axes=1"), (Labels{"one", "four"}));
  EXPECT_EQ(streams_of("reduce function=sum shape=64x1024 axes=1"), (Labels{"one"}));
  EXPECT_EQ(streams_of("reduce function=sum shape=1024x4096 axes=0"), Labels{}) << "vectors run along the columns";
  EXPECT_EQ(streams_of("softmax rows=4096 columns=1024"), Labels{});
  const Config first = t.seeds(parse_workload("reduce function=sum shape=4096x1024 axes=1"), target).front();
  EXPECT_THAT(first.str(), ::testing::HasSubstr("streams=eight"));
}

TEST(GeneratedSpaces, LayOutConstantWeightsBeforeTheCalls) {
  const Target target = cpu_target(CpuIsa::kAvx512, 1);
  const Template t = sketch_cpu_template();
  const auto offers = [&](const std::string& text, const std::string& name) {
    const ConfigSpace space = discover_space(t, parse_workload(text), target);
    const Knob* const knob = find_knob(space.branches().front(), name);
    return knob == nullptr ? std::vector<std::string>{} : knob->labels;
  };
  const std::string rows = "conv2d n=1 c=8 h=32 w=32 k=8 r=3 s=3", vectors = rows + " layout=NHWC";
  using Options = std::vector<std::string>;
  EXPECT_EQ(offers(rows, "Y.pack_rows"), (Options{"no", "block"}));
  EXPECT_EQ(offers(rows + " prepared=w", "Y.pack_rows"), (Options{"no", "prepared"}));
  EXPECT_EQ(offers(vectors, "Y.pack_vectors"), (Options{"no", "block", "whole"}));
  EXPECT_EQ(offers(vectors + " prepared=w", "Y.pack_vectors"), (Options{"no", "prepared"}));
}

TEST(GeneratedSpaces, PackEveryOperandThatWouldBeGathered) {
  const Tensor a = placeholder({48, 40}, kFloat32, "A"), scale = placeholder({64}, kFloat32, "S"),
               w = placeholder({64, 40}, kFloat32, "W"), shift = placeholder({64, 40}, kFloat32, "V");
  const IterVar k = reduce_axis(40, "k");
  const Tensor one = compute({48, 64}, [&](Expr i, Expr j) { return sum(a(i, k) * scale(j) * w(j, k), k); }, "C");
  const Tensor two =
      compute({48, 64}, [&](Expr i, Expr j) { return sum(a(i, k) * scale(j) * w(j, k) + shift(j, k), k); }, "C");
  const Target target = cpu_target(CpuIsa::kAvx512, 1);
  const auto packing = [&](const Workload& workload) {
    std::map<std::string, std::vector<std::string>> found;
    const ConfigSpace space = discover_space(sketch_cpu_template(), workload, target);
    for (const Knob& knob : space.branches().front().knobs) {
      if (knob.name.starts_with("C.pack_vectors")) found[knob.name] = knob.labels;
    }
    return found;
  };
  using Packing = std::map<std::string, std::vector<std::string>>;
  EXPECT_EQ(packing(testing_sketch::workload_of({a, scale, w}, {one})),
            (Packing{{"C.pack_vectors", {"block", "whole"}}}));
  EXPECT_EQ(packing(testing_sketch::workload_of({a, scale, w, shift}, {two})),
            (Packing{{"C.pack_vectors", {"block", "whole"}}, {"C.pack_vectors_2", {"block", "whole"}}}));
}

// A small stage, which threads cannot share, leaves the large one to them.
TEST(GeneratedSpaces, HaveParallelPointsBesideASingleTile) {
  const Target target = cpu_target(CpuIsa::kAvx512, 2);
  const Template t = sketch_cpu_template();
  for (const std::int64_t columns : {16, 4}) {
    const Tensor x = placeholder({64}, kFloat32, "X"), w = placeholder({64, columns}, kFloat32, "W"),
                 a = placeholder({4096, columns}, kFloat32, "A");
    const IterVar k = reduce_axis(64, "k");
    const Tensor h = compute({columns}, [&](Expr j) { return sum(x(k) * w(k, j), k); }, "h");
    const Tensor y = compute({4096, columns}, [&](Expr i, Expr j) { return a(i, j) * h(j); }, "Y");
    const Workload workload = testing_sketch::workload_of({x, w, a}, {y});
    double parallel = 0;
    const ConfigSpace space = discover_space(t, workload, target);
    for (const Branch& branch : space.branches()) {
      const Knob* const choice = find_knob(branch, "parallel");
      ASSERT_NE(choice, nullptr);
      if (choice->labels.front() == "loops") parallel += ConfigSpace({branch}).count_valid().points;
    }
    EXPECT_GT(parallel, 0) << columns;
  }
}

TEST(GeneratedSpaces, PrepareAllConstantInputs) {
  const Target target = cpu_target(CpuIsa::kAvx512, 2);
  const Template t = sketch_cpu_template();
  for (const char* text : {"matmul m=33 n=40 k=24 prepared=b", "matmul m=64 n=1 k=100 prepared=b",
                           "matmul m=1 n=300 k=2000 tb=1 prepared=b", "conv2d n=1 c=3 h=9 w=9 k=5 r=9 s=9 prepared=w",
                           "conv2d n=1 c=64 h=1 w=1 k=4000 r=1 s=1 prepared=w epilogue=bias_relu"}) {
    const Workload workload = parse_workload(text);
    const std::vector<Config> seeds = seeds_of(t, workload, target);
    EXPECT_FALSE(seeds.empty()) << text;
    for (const Config& seed : seeds) {
      const Instance instance = instantiate(t, workload, target, seed);
      const ir::Program program = lower(instance.schedule, instance.definition.args, target, "test");
      EXPECT_TRUE(program.preparation.defined()) << text << ": " << seed.str();
      EXPECT_TRUE(program.parameters.at(1).is_constant) << text << ": " << seed.str();
    }
  }
}

TEST(GeneratedSpaces, HaveAPointWhereATermNeedsMoreRegistersThanThereAre) {
  const Tensor a = placeholder({13}, kFloat32, "A"), b = placeholder({9}, kFloat32, "B");
  const IterVar k = reduce_axis(1, "k");
  const Tensor c = compute(
      {9, 13},
      [&](Expr i, Expr j) {
        Expr term = a(j);
        for (int n = 0; n < 10; ++n) term = max(min(term * b(i), 8.0F), -8.0F) + 1.0F;
        return sum(term, k);
      },
      "C");
  const Workload w = testing_sketch::workload_of({a, b}, {c});
  const Target target = cpu_target(CpuIsa::kAvx2, 2);
  const ConfigSpace space = discover_space(sketch_cpu_template(), w, target);
  EXPECT_NE(find_knob(space.branches().front(), "C.register_rows"), nullptr);
  EXPECT_GT(space.count_valid().points, 0);
  EXPECT_FALSE(seeds_of(sketch_cpu_template(), w, target).empty());
}

TEST(GeneratedSpaces, TransposeOnlyTilesThatReadOneIndexOfTheOtherDimensions) {
  const auto has_tiles = [](const std::function<Expr(Expr)>& index) {
    const Tensor a = placeholder({3, 16, 32}, kFloat32, "A");
    const Tensor c = compute({3, 32, 16}, [&](Expr n, Expr i, Expr j) { return a(index(n), j, i) + 1.0F; }, "C");
    const ConfigSpace space =
        discover_space(sketch_cpu_template(), testing_sketch::workload_of({a}, {c}), cpu_target(CpuIsa::kAvx2));
    return find_knob(space.branches().front(), "C.tile") != nullptr;
  };
  EXPECT_TRUE(has_tiles([](const Expr& n) { return n; }));
  EXPECT_TRUE(has_tiles([](const Expr& n) { return 2 - n; }));
  EXPECT_FALSE(has_tiles([](const Expr& n) { return n % 2; }));
}

/// A chain of squares, each of which reads the one before it twice.
Tensor squared(const Tensor& first, int times) {
  Tensor last = first;
  for (int n = 1; n <= times; ++n) {
    const Tensor read = last;
    last = compute({64}, [&](Expr i) { return read(i) * read(i) + 0.5F; }, "S" + std::to_string(n));
  }
  return last;
}

TEST(GeneratedSpaces, StoreALargeStageThatInliningWouldRepeat) {
  const Tensor a = placeholder({64}, kFloat32, "A");
  const Workload workload = testing_sketch::workload_of({a}, {squared(a, 12)});
  const auto stored = [&](const Template& t, const Target& target) {
    const Instance made = instantiate(t, workload, target, seeds_of(t, workload, target).front());
    std::vector<std::string> names;
    for (const StageState& stage : made.schedule.state().stages) {
      if (stage.attach.kind == AttachKind::kInline) continue;
      names.push_back(stage.name);
      EXPECT_LE(body_operations(stage.op.compute()->bodies), 2000) << stage.name;
    }
    return names;
  };
  // The body of S8 has 1277 operations; that of S7, which it repeats, has 637.
  EXPECT_THAT(stored(sketch_cpu_template(), cpu_target(CpuIsa::kAvx512, 2)), ::testing::ElementsAre("S8", "S12"));
  EXPECT_THAT(stored(sketch_gpu_template(), Target::parse("cuda,arch=sm_90")), ::testing::ElementsAre("S8", "S12"));
}

TEST(GeneratedTemplates, ServeEveryOperatorOnCpus) {
  const Target target = cpu_target(CpuIsa::kAvx512, 2);
  for (const char* text : {"conv2d n=1 c=4 h=9 w=9 k=4 r=5 s=5", "depthwise_conv2d n=1 c=4 h=9 w=9 r=3 s=3",
                           "scan function=sum steps=20 columns=100", "elementwise function=add shape=40",
                           "broadcast function=add rows=4 columns=9", "reduce function=sum shape=4x9 axes=1",
                           "softmax rows=4 columns=9", "layer_norm rows=4 columns=9", "transpose rows=4 columns=9"}) {
    const std::vector<const Template*> serving = templates_for(parse_workload(text), target);
    ASSERT_EQ(serving.size(), 1U) << text;
    EXPECT_EQ(serving.front()->name, "generated.cpu");
  }
  const std::vector<const Template*> serving = templates_for(parse_workload("matmul m=8 n=8 k=8"), target);
  ASSERT_GE(serving.size(), 2U);
  EXPECT_EQ(serving.front()->name, "matmul.cpu") << "the default schedule is the operator's own";
  EXPECT_EQ(serving.back()->name, "generated.cpu");
}

}  // namespace
}  // namespace nestwright
