// Operators without any schedule: their definitions, lowered for a CPU, compute the reference. What templates are made
// of is right before any of them is.
#include "nestwright/registry.h"
#include "templates/scan/scan.h"
#include "tests/templates/convolution/cases.h"
#include "tests/templates/matmul/check.h"

namespace nestwright {
namespace {

class DefinitionsLowered : public ::testing::TestWithParam<std::string> {};

TEST_P(DefinitionsLowered, ComputeTheReference) {
  const Workload w = parse_workload(GetParam());
  const Definition definition = w.op->define(w);
  const Target target = testing_matmul::target(CpuIsa::kAvx512);
  const ir::Program loops = lower(create_schedule(definition.args.back()), definition.args, target, w.op->name,
                                  {.after_pass = {}, .verify = true});
  testing_matmul::expect_reference(loops, w, w.str());
  testing_matmul::expect_reference(expand(loops, target, {.after_pass = {}, .verify = true}), w, w.str());
}

std::vector<std::string> workloads() {
  std::vector<std::string> list = testing_convolution::workloads();
  for (const char* function : {"sum", "product", "max", "min"}) {
    for (const char* sizes : {" steps=1 columns=7", " steps=2 columns=1", " steps=11 columns=5 dtype=float64"}) {
      list.push_back("scan function=" + std::string(function) + sizes);
    }
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(Workloads, DefinitionsLowered, ::testing::ValuesIn(workloads()),
                         [](const auto& p) { return "number" + std::to_string(p.index); });

}  // namespace
}  // namespace nestwright
