// The loops that templates for GPUs make, held against what they were when somebody last read them: a change that was
// not meant is seen, and one that was meant is reviewed. A file of loop_forms/gpu/ has the template's name, and what
// tells it from others of the template; it opens with the workload and the configuration, the program follows.
#include <fstream>

#include "nestwright/program.h"
#include "nestwright/registry.h"
#include "tests/support/golden.h"
#include "tests/templates/gpu_cases.h"
#include "tests/templates/matmul/check.h"

namespace nestwright {
namespace {

class GpuLoopForms : public ::testing::TestWithParam<const char*> {};

TEST_P(GpuLoopForms, AreTheOnesOnFile) {
  const std::string name = GetParam();
  const std::string path = "tests/templates/loop_forms/gpu/" + name + ".txt";
  std::ifstream file(std::string(NESTWRIGHT_SOURCE_DIR) + "/" + path);
  std::string workload_line, config_line;
  ASSERT_TRUE(std::getline(file, workload_line) && std::getline(file, config_line)) << path << " cannot be read";

  const Workload workload = parse_workload(workload_line);
  const Template& source = *builtin_registry().find_template(name.substr(0, name.find('.', name.find('.') + 1)));
  const Target target = testing_gpu::cuda();
  const ConfigSpace space = discover_space(source, workload, target);
  const Config config = space.resolve(Config::parse(config_line));
  EXPECT_EQ(space.why_invalid(config), "");
  const Instance instance = instantiate(source, workload, target, config);
  const ir::Program program = lower(instance.schedule, instance.definition.args, target, workload.op->name);
  testing::expect_golden(workload_line + "\n" + config_line + "\n" + ir::to_string(program), path);
}

INSTANTIATE_TEST_SUITE_P(Templates, GpuLoopForms,
                         ::testing::Values("matmul.gpu", "matmul.mma", "matmul.mma.tf32", "matmul.mma.stages",
                                           "matmul.wgmma", "elementwise.gpu", "broadcast.gpu", "reduce.gpu",
                                           "softmax.gpu", "layer_norm.gpu", "transpose.gpu", "conv2d.gpu",
                                           "conv2d.gpu_direct", "depthwise_conv2d.gpu", "scan.gpu"),
                         [](const auto& p) {
                           std::string name = p.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace nestwright
