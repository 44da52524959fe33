// Handwritten matrix products, through expansion, LLVM and the linker, compared with the interpreter.
#include <gtest/gtest.h>

#include "matmul_program.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

TEST(CompiledMatmul, AgreesWithTheInterpreterOnEveryInstructionSet) {
  for (CpuIsa isa : runnable_isas()) {
    for (Pipeline pipeline : {Pipeline::kSearch, Pipeline::kFinal}) {
      EXPECT_TRUE(agrees_with_interpreter(matmul_program({14, 32, 8, 14, 32, 4}), target_of(isa), pipeline));
    }
  }
}

TEST(CompiledMatmul, TailsOfEveryAxis) {
  for (CpuIsa isa : runnable_isas()) {
    EXPECT_TRUE(agrees_with_interpreter(matmul_program({13, 37, 7, 6, 16, 2}), target_of(isa)));
    EXPECT_TRUE(agrees_with_interpreter(matmul_program({12, 40, 7, 6, 32, 1}), target_of(isa)));
    EXPECT_TRUE(agrees_with_interpreter(matmul_program({1, 3, 1, 2, 8, 4}), target_of(isa)));
    EXPECT_TRUE(agrees_with_interpreter(matmul_program({4, 30, 5, 2, 15, 1}), target_of(isa)));
    EXPECT_TRUE(agrees_with_interpreter(matmul_program({5, 20, 3, 4, 20, 1, false, kFloat64}), target_of(isa)));
  }
}

TEST(CompiledMatmul, RunsInParallelOnEveryPool) {
  for (CpuIsa isa : runnable_isas()) {
    for (PoolKind kind : {PoolKind::kSerial, PoolKind::kTbb, PoolKind::kSpin}) {
      EXPECT_TRUE(agrees_with_interpreter(matmul_program({16, 16, 4, 4, 16, 2, true}), target_of(isa),
                                          Pipeline::kSearch, make_pool(kind, 2)))
          << pool_name(kind);
    }
  }
}

}  // namespace
}  // namespace nestwright::testing
