#include "bench/figures/tunings/tuning.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "bench/figures/machine/load_kind.h"
#include "bench/figures/tunings/fidelity_plan.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "nestwright/workload.h"

namespace nestwright::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Tuning, NameTellsItFromOthers) {
  EXPECT_EQ((Tuning{.workload = "matmul m=49 n=8 k=3", .threads = 2, .seed = 7}.name()), "matmul-m49-n8-k3_2t_seed7");
  EXPECT_EQ((Tuning{.workload = "reduce axes=0,2", .load = LoadKind::kMemory}.name()),
            "reduce-axes0.2_1t_seed1_memory");
}

TEST(Tuning, ReadsWhatQueryTells) {
  const TunedConfig config = tuned_config(nlohmann::json::parse(
      R"({"template": "matmul.cpu", "config_text": "a=[1,2]", "time_ns": {"median": 2, "low": 1, "high": 3}, "fma_ns": 9, "walk_ns": 4, "more": 1})"));
  EXPECT_EQ(config.template_name, "matmul.cpu");
  EXPECT_EQ(config.config, "a=[1,2]");
  EXPECT_EQ(config.median_ns, 2);
  EXPECT_EQ(config.low_ns, 1);
  EXPECT_EQ(config.high_ns, 3);
  EXPECT_EQ(config.fma_ns, 9);
  EXPECT_EQ(config.walk_ns, 4);
}

TEST(LoadKind, IsFoundByName) {
  EXPECT_THAT(parse_loads("core"), ElementsAre(LoadKind::kCore));
  EXPECT_THAT(parse_loads("all"), ElementsAre(LoadKind::kNone, LoadKind::kCore, LoadKind::kMemory));
  EXPECT_THAT([] { parse_loads("disk"); },
              ThrowsMessage<UsageError>("there is no load 'disk': give none, core, memory or all"));
}

TEST(FidelityPlan, LoadsAreSpreadOverTheWorkloads) {
  const std::vector<Tuning> plan = plan_fidelity(100, 20, 5);
  ASSERT_EQ(plan.size(), 100u);
  std::set<std::string> names, loaded;
  int core = 0, memory = 0;
  for (const Tuning& tuning : plan) {
    EXPECT_NO_THROW(parse_workload(tuning.workload)) << tuning.workload;
    EXPECT_EQ(tuning.seconds, 5);
    names.insert(tuning.name());
    core += tuning.load == LoadKind::kCore;
    memory += tuning.load == LoadKind::kMemory;
    if (tuning.load != LoadKind::kNone) loaded.insert(tuning.workload);
  }
  EXPECT_EQ(names.size(), 100u) << "no tuning is asked for twice";
  EXPECT_EQ(core, 10);
  EXPECT_EQ(memory, 10);
  EXPECT_GE(loaded.size(), 15u);
}

TEST(FidelityPlan, RefusesMoreLoadsThanKernels) {
  EXPECT_THAT([] { plan_fidelity(3, 4, 5); }, ThrowsMessage<UsageError>(HasSubstr("4 of 3 kernels cannot be loaded")));
}

TEST(Fidelity, IsMetWithinTheInterval) {
  const TunedConfig reported{"t", "c", 100, 98, 103, 10};
  EXPECT_EQ(fidelity_of(reported, {{97, 98, 200}, 10, ""}), Fidelity::kMet);
  EXPECT_EQ(fidelity_of(reported, {{90, 97.9, 200}, 10, ""}), Fidelity::kMissed);
  EXPECT_EQ(fidelity_of(reported, {{104}, 10, ""}), Fidelity::kMissed);
}

TEST(Fidelity, IsNotJudgedOnADisturbedMachine) {
  const TunedConfig reported{"t", "c", 100, 98, 103, 10};
  EXPECT_EQ(fidelity_of(reported, {{100}, 10, "stolen"}), Fidelity::kNotJudged);
  EXPECT_EQ(fidelity_of(reported, {{100}, 11.5, ""}), Fidelity::kNotJudged) << "the clock is slower than it was";
  EXPECT_EQ(fidelity_of(reported, {{100}, 8.9, ""}), Fidelity::kNotJudged) << "faster";
  EXPECT_EQ(fidelity_of(reported, {{100}, 9.2, ""}), Fidelity::kMet);
  const TunedConfig of_memory{"t", "c", 100, 98, 103, 10, 1000};
  EXPECT_EQ(fidelity_of(of_memory, {{100}, 10, "", 1390}), Fidelity::kMet);
  EXPECT_EQ(fidelity_of(of_memory, {{100}, 10, "", 1410}), Fidelity::kNotJudged) << "the memory is slower than it was";
  EXPECT_EQ(fidelity_of(of_memory, {{100}, 10, "", 710}), Fidelity::kNotJudged) << "faster";
  const TunedConfig without_sentinel{"t", "c", 100, 98, 103, 0};
  EXPECT_EQ(fidelity_of(without_sentinel, {{100}, 5, ""}), Fidelity::kMet);
  EXPECT_EQ(fidelity_of(reported, {{}, 10, ""}), Fidelity::kNotJudged);
}

}  // namespace
}  // namespace nestwright::bench
