// Defaults of the CPU templates of all operators: serial where the work is shorter than a parallel loop is worth.
#include "templates/framework/template/parallel_worth.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "nestwright/registry.h"
#include "tests/support/cpu_target.h"

namespace nestwright {
namespace {

bool is_parallel(const Config& config) {
  const ConfigEntry* const choice = config.find("parallel");
  return choice != nullptr && choice->label != "none";
}

/// With AMX and dot products where they exist.
Target all_features(CpuIsa isa, int threads) {
  Target target = cpu_target(isa, threads);
  if (isa == CpuIsa::kAvx512)
    target = Target::parse("cpu,isa=avx512,threads=" + std::to_string(threads) + ",llvm_cpu=sapphirerapids");
  return target;
}

/// Workloads of every CPU template, of up to 4 us and of 100 us and more at the highest rates.
struct Sizes {
  std::vector<std::string> small, large;
};
const std::map<std::string, Sizes>& sizes() {
  static const std::map<std::string, Sizes> all{
      {"matmul",
       {{"m=1 n=1 k=1", "m=49 n=49 k=32", "m=48 n=40 k=64 tb=1", "m=1 n=128 k=128 tb=1", "m=40 n=3 k=384 ta=1",
         "batch=4 m=16 n=16 k=16", "m=64 n=64 k=64 dtype=bfloat16", "m=64 n=64 k=64 dtype=int8",
         "m=40 n=40 k=40 dtype=float16", "m=32 n=48 k=40 prepared=b", "m=2 n=64 k=1024"},
        {"m=512 n=512 k=512", "m=1024 n=1024 k=1024 tb=1", "m=1 n=4096 k=4096 tb=1", "m=4096 n=1 k=4096",
         "batch=64 m=128 n=128 k=128", "m=2048 n=2048 k=2048 dtype=bfloat16", "m=2048 n=2048 k=2048 dtype=int8",
         "m=1024 n=1024 k=1024 dtype=float16", "m=512 n=512 k=1024 prepared=b"}}},
      {"elementwise",
       {{"function=add shape=1", "function=gelu shape=64x64"},
        {"function=add shape=4000000", "function=gelu shape=2000x2000"}}},
      {"broadcast",
       {{"function=add rows=1 columns=1", "function=add_gelu rows=50 columns=100"},
        {"function=add rows=2000 columns=2000", "function=multiply rows=1 columns=4000000"}}},
      {"reduce",
       {{"function=sum shape=1 axes=0", "function=max shape=50x100 axes=1", "function=mean shape=50x100 axes=0"},
        {"function=sum shape=2000x2000 axes=1", "function=max shape=2000x2000 axes=0",
         "function=sum shape=4194304 axes=0"}}},
      {"softmax",
       {{"rows=1 columns=1", "rows=40 columns=100", "rows=1 columns=2048"},
        {"rows=2000 columns=2000", "rows=1 columns=4194304"}}},
      {"layer_norm", {{"rows=1 columns=1", "rows=40 columns=100"}, {"rows=2000 columns=2000"}}},
      {"transpose", {{"rows=1 columns=1", "rows=50 columns=100"}, {"rows=2000 columns=2000"}}},
      {"depthwise_conv2d",
       {{"n=1 c=1 h=1 w=1 r=3 s=3 pad=1", "n=1 c=8 h=8 w=8 r=3 s=3 pad=1"},
        {"n=1 c=256 h=112 w=112 r=3 s=3 pad=1", "n=8 c=64 h=112 w=112 r=3 s=3 stride=2 pad=1"}}},
      {"scan",
       {{"function=sum steps=1 columns=1", "function=max steps=20 columns=50"},
        {"function=sum steps=100 columns=100000"}}},
      {"conv2d",
       {{"n=1 c=1 h=1 w=1 k=1 r=3 s=3 pad=1", "n=1 c=8 h=8 w=8 k=8 r=3 s=3 pad=1"},
        {"n=1 c=64 h=56 w=56 k=64 r=3 s=3 pad=1 prepared=w", "n=1 c=256 h=56 w=56 k=256 r=3 s=3 pad=1"}}}};
  return all;
}

class DefaultsOfOperators : public ::testing::TestWithParam<std::string> {};

TEST_P(DefaultsOfOperators, AreParallelWhereTheWorkIsWorthIt) {
  ASSERT_TRUE(sizes().contains(GetParam())) << "give small and large workloads";
  const Sizes& all = sizes().at(GetParam());
  for (const bool is_large : {false, true}) {
    for (const std::string& text : is_large ? all.large : all.small) {
      const Workload w = parse_workload(GetParam() + " " + text);
      const Definition definition = w.op->define(w);
      for (const CpuIsa isa : {CpuIsa::kX86_64, CpuIsa::kAvx2, CpuIsa::kAvx512}) {
        for (const int threads : {1, 2, 8}) {
          const Target target = all_features(isa, threads);
          const bool is_worth = is_large && threads > 1;
          EXPECT_EQ(is_worth_parallel_loop(definition, target), is_worth) << w.str() << " on " << target.str();
          for (const Template* t : templates_for(w, target)) {
            const std::vector<Config> seeds = t->seeds(w, target);
            if (t->name == "matmul.split_k") {
              EXPECT_EQ(seeds.empty(), !is_worth) << "always parallel, so no default of " << w.str();
              const ConfigSpace space = discover_space(*t, w, target);
              for (const Config& seed : seeds) EXPECT_EQ(space.why_invalid(seed), "") << seed.str();
            } else {
              ASSERT_FALSE(seeds.empty()) << t->name << " of " << w.str();
              EXPECT_EQ(is_parallel(seeds.front()), is_worth)
                  << t->name << " of " << w.str() << " on " << target.str() << ": " << seeds.front().str();
            }
          }
        }
      }
    }
  }
}

std::set<std::string> operators_of_the_cpu() {
  std::set<std::string> names;
  for (const std::shared_ptr<const Operator>& op : builtin_registry().operators()) {
    for (const Template& t : op->templates) {
      if (t.is_for(DeviceKind::kCpu)) names.insert(op->name);
    }
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Templates, DefaultsOfOperators, ::testing::ValuesIn(operators_of_the_cpu()),
                         [](const auto& p) { return p.param; });

Definition defined(const std::string& text) {
  const Workload w = parse_workload(text);
  return w.op->define(w);
}

TEST(ParallelWorth, GrowsWithWhatAMachineDoesInAMoment) {
  const Definition plain = defined("matmul m=100 n=100 k=100");
  EXPECT_TRUE(is_worth_parallel_loop(plain, cpu_target(CpuIsa::kX86_64, 2)));
  EXPECT_TRUE(is_worth_parallel_loop(plain, cpu_target(CpuIsa::kAvx2, 2)));
  EXPECT_FALSE(is_worth_parallel_loop(plain, cpu_target(CpuIsa::kAvx512, 2)));
  EXPECT_FALSE(is_worth_parallel_loop(plain, cpu_target(CpuIsa::kX86_64, 1)));
  const Definition narrow = defined("matmul m=256 n=256 k=256 dtype=bfloat16");
  EXPECT_TRUE(is_worth_parallel_loop(narrow, cpu_target(CpuIsa::kAvx512, 2)));
  EXPECT_FALSE(is_worth_parallel_loop(narrow, all_features(CpuIsa::kAvx512, 2)));
}

}  // namespace
}  // namespace nestwright
