// The loops that templates of matmul make, held against what they were when somebody last read them: a change that was
// not meant is seen, and one that was meant is reviewed. A file of loop_forms/ opens with the workload, the template
// and the configuration; the program follows.
#include <fstream>

#include "nestwright/program.h"
#include "nestwright/registry.h"
#include "target/description/cpu_features.h"
#include "tests/support/golden.h"
#include "tests/templates/matmul/check.h"

namespace nestwright {
namespace {

struct LoopForm {
  const char* file;
  const char* source;  ///< the template
  CpuIsa isa;
  const char* cpu;  ///< whose features the target has; none where it is empty
  int threads;
};

class MatmulLoopForms : public ::testing::TestWithParam<LoopForm> {};

TEST_P(MatmulLoopForms, AreTheOnesOnFile) {
  const LoopForm& p = GetParam();
  Target target = testing_matmul::target(p.isa, p.threads);
  target.features = features_of_cpu(p.cpu);
  const std::string path = std::string("tests/templates/loop_forms/") + p.file + ".txt";
  std::ifstream file(std::string(NESTWRIGHT_SOURCE_DIR) + "/" + path);
  std::string workload_line, config_line;
  ASSERT_TRUE(std::getline(file, workload_line) && std::getline(file, config_line)) << path << " cannot be read";

  const Workload workload = parse_workload(workload_line);
  const Template& source = *builtin_registry().find_template(p.source);
  const ConfigSpace space = discover_space(source, workload, target);
  const Config config = space.resolve(Config::parse(config_line));
  EXPECT_EQ(space.why_invalid(config), "");
  const Instance instance = instantiate(source, workload, target, config);
  const ir::Program program = lower(instance.schedule, instance.definition.args, target, "matmul");
  testing::expect_golden(workload_line + "\n" + config_line + "\n" + ir::to_string(program), path);
  testing_matmul::check_config(source, workload, target, config);
}

INSTANTIATE_TEST_SUITE_P(Files, MatmulLoopForms,
                         ::testing::Values(LoopForm{"gemv", "matmul.gemv", CpuIsa::kAvx512, "", 2},
                                           LoopForm{"split_k", "matmul.split_k", CpuIsa::kAvx512, "", 2},
                                           LoopForm{"blocked_epilogue", "matmul.cpu", CpuIsa::kAvx2, "", 2},
                                           LoopForm{"dot", "matmul.dot", CpuIsa::kAvx512, "znver4", 1},
                                           LoopForm{"convert", "matmul.convert", CpuIsa::kAvx512, "", 1},
                                           LoopForm{"amx", "matmul.amx", CpuIsa::kAvx512, "sapphirerapids", 1}),
                         [](const auto& p) { return std::string(p.param.file); });

}  // namespace
}  // namespace nestwright
