// The C++ that lower --cpp prints compiles and gives the loops that lower prints. The build writes the texts; the
// arguments are in CMakeLists.txt.

#include <gtest/gtest.h>

#include <string>

#include "cli/commands/given_config.h"
#include "nestwright/lookup.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/registry.h"
#include "nestwright/schedule.h"
#include "nestwright/tensor.h"
#include "nestwright/text_operator.h"

namespace nestwright {
namespace {

std::string loops(const Schedule& s, const std::vector<Tensor>& args, const std::string& target, const char* name) {
  return ir::to_string(lower(s, args, Target::parse(target), name));
}

/// The loops of the configuration that is printed: of a default, or completed from `config`.
std::string expected(const std::string& workload, const std::string& target, const std::string& only = "",
                     const std::string& config = "") {
  const Task task{is_expression_text(workload) ? workload_of(workload) : parse_workload(workload),
                  Target::parse(target)};
  const Lookup found = config.empty() ? look_up(task, nullptr, only) : cli::given_config(task, config, only);
  return ir::to_string(program_of(task, *found.source, found.config, kernel_name(task.workload)));
}

TEST(PrintedCpp, MatmulOnTheCpu) {
#include "printed/matmul_cpu.inc"
  const std::string target = "cpu,isa=avx2,threads=2";
  EXPECT_EQ(loops(s, args, target, "matmul"), expected("matmul m=96 n=80 k=64", target));
}

TEST(PrintedCpp, MatmulWithPackedOperands) {
#include "printed/matmul_packed.inc"
  const std::string target = "cpu,isa=avx2,threads=1";
  EXPECT_EQ(loops(s, args, target, "matmul"),
            expected("matmul m=96 n=80 k=1024", target, "", "pack_b=whole reduction=blocked"));
}

TEST(PrintedCpp, MatmulOfWords) {
#include "printed/matmul_words.inc"
  const std::string target = "cpu,isa=avx512,threads=1,features=avx512_vnni";
  EXPECT_EQ(loops(s, args, target, "matmul"), expected("matmul m=32 n=32 k=64 dtype=uint8", target));
}

TEST(PrintedCpp, AProductThatIsPassedInTheShapesOfATextWithoutDimensions) {
#include "printed/product_of_vectors.inc"
  const std::string target = "cpu,isa=avx2,threads=1";
  EXPECT_EQ(loops(s, args, target, "expression"), expected("s[] = sum(k, x[k] * y[k]) k=640", target, "matmul.cpu"));
}

TEST(PrintedCpp, AProductThatIsPassedInTheShapesOfATextOfPlanes) {
#include "printed/product_of_planes.inc"
  const std::string target = "cpu,isa=avx2,threads=1";
  EXPECT_EQ(loops(s, args, target, "expression"),
            expected("Y[s, h, o] = sum(c, X[s, h, c] * W[c, o]) s=5 h=3 o=40 c=36", target, "matmul.cpu"));
}

TEST(PrintedCpp, AnExpressionWhoseAxesAreMerged) {
#include "printed/merged_axes.inc"
  const std::string target = "cpu,isa=avx2,threads=1";
  EXPECT_EQ(loops(s, args, target, "expression"),
            expected("O[o, y, x] = sum(c, W[o, c] * X[c, y, x]) o=16 c=24 y=7 x=7", target, "generated.cpu"));
}

TEST(PrintedCpp, ArgmaxOnTheCpu) {
#include "printed/argmax_cpu.inc"
  const std::string target = "cpu,isa=avx2,threads=1";
  EXPECT_EQ(loops(s, args, target, "expression"), expected("Y[i] = argmax(k, X[i, k]) i=8 k=64", target));
}

TEST(PrintedCpp, TensorsWithTheNamesOfTheOperandsOfAReducer) {
#include "printed/argmin_cpu.inc"
  const std::string target = "cpu,isa=avx2,threads=2";
  EXPECT_EQ(loops(s, args, target, "expression"),
            expected("a[i] = argmax(k, -b[i, k]); d[i] = argmax(k, c[i, k] * a[k]); c: int64 i=24 k=24", target));
}

TEST(PrintedCpp, SoftmaxOnTheCpu) {
#include "printed/softmax_cpu.inc"
  const std::string target = "cpu,isa=avx2,threads=1";
  EXPECT_EQ(loops(s, args, target, "softmax"), expected("softmax rows=48 columns=100", target));
}

TEST(PrintedCpp, MatmulOnAGpu) {
#include "printed/matmul_gpu.inc"
  const std::string target = "cuda,arch=sm_80";
  EXPECT_EQ(loops(s, args, target, "matmul"), expected("matmul m=100 n=80 k=64", target));
}

TEST(PrintedCpp, MatmulOnTensorCores) {
#include "printed/matmul_mma.inc"
  const std::string target = "cuda,arch=sm_80";
  EXPECT_EQ(loops(s, args, target, "matmul"), expected("matmul m=96 n=80 k=64 dtype=float16", target, "matmul.mma"));
}

TEST(PrintedCpp, ArgmaxOnAGpu) {
#include "printed/argmax_gpu.inc"
  const std::string target = "cuda,arch=sm_80";
  EXPECT_EQ(loops(s, args, target, "expression"), expected("Y[i] = argmax(k, X[i, k]) i=80 k=300", target));
}

TEST(PrintedCpp, ReductionOnAGpu) {
#include "printed/reduce_gpu.inc"
  const std::string target = "cuda,arch=sm_80";
  EXPECT_EQ(loops(s, args, target, "reduce"), expected("reduce function=max shape=32x300 axes=1", target));
}

}  // namespace
}  // namespace nestwright
