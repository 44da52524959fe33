// The space of matmul.cpu: what is in it, what is refused, and that its points are legal schedules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "nestwright/registry.h"
#include "space/branch_points.h"
#include "tests/templates/matmul/cases.h"

namespace nestwright {
namespace {

using testing_matmul::target;
using testing_matmul::workload;

const Template& matmul() { return *builtin_registry().find_template("matmul.cpu"); }

TEST(MatmulSpace, HoldsWhatTheLibrariesUse) {
  const ConfigSpace space = discover_space(matmul(), workload(1024, 1024, 1024), target(CpuIsa::kAvx512, 2));
  const std::string numbers =
      " vector_lanes=16 blocks_m=1 blocks_n=1 prefetch_a=0 prefetch_b=0 prefetch_c=0 block_order=[0,1] "
      "tile_order=[1,0]";
  const std::string choices = "vector_axis=n pack_b=whole pack_a=no reduction=full tail_m=partition parallel=none";
  for (const auto& [rows, vectors] : {std::pair{14, 2}, {6, 4}, {9, 3}, {12, 2}, {28, 1}}) {
    // Unrolled, LLVM keeps a vector of the 9x3 tile on the stack.
    const std::string tile = " register_rows=" + std::to_string(rows) + " register_vectors=" + std::to_string(vectors) +
                             " unroll_k=" + (rows == 9 ? "1" : "4");
    EXPECT_EQ(space.why_invalid(Config::parse(choices + tile + numbers)), "");
  }
  // One register too many, and the tile that the issue plants.
  for (const auto& [rows, vectors] : {std::pair{15, 2}, {16, 2}, {7, 4}, {10, 3}}) {
    const std::string tile =
        " register_rows=" + std::to_string(rows) + " register_vectors=" + std::to_string(vectors) + " unroll_k=4";
    EXPECT_THAT(space.why_invalid(Config::parse(choices + tile + numbers)),
                ::testing::HasSubstr("need more vector registers than the target's 32"));
  }
  EXPECT_GT(space.count_valid().points, 1e6);
  EXPECT_LT(space.count_valid().points, space.count_all().points);
  EXPECT_FALSE(space.count_valid().estimated);
}

TEST(MatmulSpace, AllChoicesOfTheIssueAreThere) {
  const ConfigSpace space = discover_space(matmul(), workload(35, 1500, 2048), target(CpuIsa::kAvx512, 2));
  std::map<std::string, std::set<std::string>> choices;
  std::set<std::string> knobs;
  for (const Branch& branch : space.branches()) {
    for (const Knob& knob : branch.knobs) {
      knobs.insert(knob.name);
      if (knob.kind == KnobKind::kChoice) choices[knob.name].insert(knob.labels[0]);
    }
  }
  EXPECT_THAT(choices["pack_b"], ::testing::ElementsAre("block", "no", "whole"));
  EXPECT_THAT(choices["pack_a"], ::testing::ElementsAre("block", "no", "rows"));
  EXPECT_THAT(choices["reduction"], ::testing::ElementsAre("blocked", "full"));
  EXPECT_THAT(choices["tail_m"], ::testing::ElementsAre("compose", "partition"));
  EXPECT_THAT(choices["parallel"], ::testing::ElementsAre("both", "m", "n", "none"));
  EXPECT_THAT(knobs, ::testing::IsSupersetOf({"register_rows", "register_vectors", "vector_lanes", "blocks_m",
                                              "blocks_n", "blocks_k", "block_order", "tile_order", "unroll_k",
                                              "prefetch_a", "prefetch_b", "prefetch_c"}));
  const ConfigSpace narrow = discover_space(matmul(), workload(3072, 1, 1024), target(CpuIsa::kAvx512));
  EXPECT_GE(find_branch(narrow.branches(), Config::parse("vector_axis=m pack_b=no pack_a=no reduction=full "
                                                         "tail_m=partition parallel=none")),
            0);
  const ConfigSpace single = discover_space(matmul(), workload(512, 512, 512), target(CpuIsa::kAvx512));
  for (const Branch& branch : single.branches())
    EXPECT_THAT(make_config(branch, CandidateIndices(branch.knobs.size(), 0)).str(),
                ::testing::HasSubstr("parallel=none"));
}

TEST(MatmulSpace, SmallProductsMayRunInParallelAsWellAsSerially) {
  const auto options = [](const char* name, const char* text, const Target& on) {
    const ConfigSpace space = discover_space(*builtin_registry().find_template(name), parse_workload(text), on);
    std::set<std::string> labels;
    for (const Branch& branch : space.branches()) {
      for (const Knob& knob : branch.knobs) {
        if (knob.name == "parallel") labels.insert(knob.labels[0]);
      }
    }
    return labels;
  };
  const Target two = target(CpuIsa::kAvx512, 2);
  EXPECT_THAT(options("matmul.cpu", "matmul m=16 n=16 k=16", two), ::testing::IsSupersetOf({"m", "none"}));
  EXPECT_THAT(options("matmul.gemv", "matmul m=8 n=1 k=64", two), ::testing::ElementsAre("none", "rows"));
  const Target tiles = Target::parse("cpu,isa=avx512,threads=2,features=amx_int8");
  EXPECT_THAT(options("matmul.amx", "matmul m=32 n=32 k=64 dtype=int8", tiles),
              ::testing::ElementsAre("m", "n", "none"));
}

TEST(MatmulSpace, IsDiscoveredAndSampledQuickly) {
  const auto start = std::chrono::steady_clock::now();
  const ConfigSpace space = discover_space(matmul(), workload(1000, 1000, 1000), target(CpuIsa::kAvx512, 2));
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(space.sample(random));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
}

TEST(MatmulSpace, SampledPointsAreLegalSchedules) {
  std::mt19937_64 random(11);
  for (const auto& [m, n, k] : {std::tuple{512, 512, 512}, {127, 131, 113}, {1, 1000, 64}, {300, 3, 77}}) {
    for (const Target& t : testing_matmul::targets()) {
      const Workload w = workload(m, n, k, static_cast<int>(random() % 4));
      const ConfigSpace space = discover_space(matmul(), w, t);
      for (int i = 0; i < 20; ++i) {
        const auto config = space.sample(random);
        ASSERT_TRUE(config);
        EXPECT_NO_THROW(instantiate(matmul(), w, t, *config)) << w.str() << ": " << config->str();
      }
    }
  }
}

}  // namespace
}  // namespace nestwright
