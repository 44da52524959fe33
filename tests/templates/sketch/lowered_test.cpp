// Whatever the configuration of a generated space, the lowered program computes the operator's reference.
#include "nestwright/registry.h"
#include "templates/sketch/sketch_template.h"
#include "tests/templates/convolution/cases.h"
#include "tests/templates/matmul/check.h"
#include "tests/templates/memory_bound_cases.h"

namespace nestwright {
namespace {

class GeneratedLowered : public ::testing::TestWithParam<std::string> {};

TEST_P(GeneratedLowered, SeedsAndSamplesComputeTheReference) {
  const Workload w = parse_workload(GetParam());
  const Template t = sketch_cpu_template();
  std::mt19937_64 random(std::hash<std::string>()(GetParam()) + static_cast<std::uint64_t>(testing::soak()));
  const CpuIsa isas[] = {CpuIsa::kX86_64, CpuIsa::kAvx2, CpuIsa::kAvx512};
  const int samples = 3 * testing::soak();
  for (int sample = 0; sample < samples && !HasFailure(); ++sample) {
    Target target = testing_matmul::target(isas[random() % 3], 1 + static_cast<int>(random() % 2));
    if (random() % 2 == 0) target.l2_bytes = 4096;  // so that small workloads have what is meant for large ones
    const std::vector<Config> seeds = t.seeds(w, target);
    if (sample == 0) testing_matmul::check_config(t, w, target, seeds[random() % seeds.size()]);
    const auto config = discover_space(t, w, target).sample(random);
    ASSERT_TRUE(config) << w.str();
    testing_matmul::check_config(t, w, target, *config);
  }
}

std::vector<std::string> workloads() {
  std::vector<std::string> list = testing_convolution::workloads();
  for (const std::string& text : testing_memory::workloads()) list.push_back(text);
  for (const char* product :
       {"m=7 n=19 k=11", "m=33 n=40 k=17", "m=1 n=37 k=29", "m=21 n=1 k=35", "m=9 n=23 k=13 tb=1", "m=18 n=17 k=9 ta=1",
        "m=5 n=18 k=6 batch=3", "m=6 n=20 k=7 epilogue=bias_relu", "m=13 n=16 k=24 epilogue=residual alpha=2",
        "m=8 n=33 k=6 dtype=float64", "m=17 n=9 k=14 dtype=int8", "m=6 n=10 k=8 dtype=bfloat16", "m=1 n=1 k=40"}) {
    list.push_back(std::string("matmul ") + product);
  }
  for (const char* filters :  // vectors of filters, whose tiles are transposed
       {"n=1 c=7 h=9 w=9 k=37 r=3 s=3 pad=1 prepared=w", "n=2 c=13 h=8 w=11 k=16 r=2 s=3 stride=2 pad=1 pad_right=2",
        "n=1 c=12 h=14 w=14 k=24 r=3 s=3 dilation=2 pad=2 epilogue=bias_relu prepared=w",
        "n=3 c=24 h=7 w=7 k=40 r=1 s=1 epilogue=relu", "n=1 c=10 h=6 w=9 k=21 r=3 s=3 dtype=float64 prepared=w",
        "n=2 c=9 h=5 w=6 k=20 r=3 s=2 stride_w=2 pad=2 pad_bottom=0 dtype=int8",
        "n=2 c=8 h=6 w=6 k=48 r=3 s=3 pad=1 groups=2 prepared=w"}) {
    list.push_back(std::string("conv2d ") + filters);
  }
  for (const char* function : {"sum", "max"}) {
    for (const char* sizes : {" steps=1 columns=7", " steps=4 columns=1", " steps=11 columns=37 dtype=float64"}) {
      list.push_back("scan function=" + std::string(function) + sizes);
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(Workloads, GeneratedLowered, ::testing::ValuesIn(workloads()),
                         [](const auto& p) { return "number" + std::to_string(p.index); });

}  // namespace
}  // namespace nestwright
