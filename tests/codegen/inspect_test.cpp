#include "codegen/inspect.h"

#include <gmock/gmock.h>

#include "matmul_program.h"
#include "run_program.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> problems_of(const testing::MatmulShape& shape, CpuIsa isa, Pipeline pipeline) {
  CompileOptions options;
  options.pipeline = pipeline;
  options.keep_assembly = true;
  return innermost_loop_problems(
      testing::compile(testing::matmul_program(shape), testing::target_of(isa), options).assembly);
}

TEST(InnermostLoops, HoldATileThatFitsIntoTheRegisters) {
  for (Pipeline pipeline : {Pipeline::kSearch, Pipeline::kFinal}) {
    // accumulators + vectors of B + 1 <= 32, and 16 on the older sets
    EXPECT_THAT(problems_of({28, 64, 64, 14, 32, 4}, CpuIsa::kAvx512, pipeline), IsEmpty());
    EXPECT_THAT(problems_of({12, 64, 64, 6, 64, 1}, CpuIsa::kAvx512, pipeline), IsEmpty());
    EXPECT_THAT(problems_of({12, 32, 64, 6, 16, 2}, CpuIsa::kAvx2, pipeline), IsEmpty());
    EXPECT_THAT(problems_of({12, 16, 64, 4, 8, 2}, CpuIsa::kX86_64, pipeline), IsEmpty());
  }
}

TEST(InnermostLoops, WithMasksKeepTheirTileInRegisters) {
  // 40 = 32 + 8 columns: the second tile's vectors are masked in part or wholly, decided at run time.
  EXPECT_THAT(problems_of({24, 40, 64, 6, 32, 1}, CpuIsa::kAvx512, Pipeline::kSearch), IsEmpty());
  EXPECT_THAT(problems_of({24, 15, 64, 12, 15, 1}, CpuIsa::kAvx512, Pipeline::kSearch), IsEmpty());
}

TEST(InnermostLoops, OfATileThatIsTooLargeAreReported) {
  EXPECT_THAT(problems_of({16, 64, 64, 16, 32, 1}, CpuIsa::kAvx512, Pipeline::kSearch),
              ElementsAre(HasSubstr("accesses to vectors on the stack")));
  EXPECT_THAT(problems_of({8, 32, 64, 8, 16, 1}, CpuIsa::kAvx2, Pipeline::kSearch),
              ElementsAre(HasSubstr("accesses to vectors on the stack")));
}

TEST(InnermostLoops, WithBranchesAreReported) {
  // Three rows of a tile of two leave a guard in the loop.
  EXPECT_THAT(problems_of({3, 64, 64, 2, 32, 1}, CpuIsa::kAvx512, Pipeline::kSearch), Not(IsEmpty()));
}

TEST(InnermostLoops, AreReadFromAssembly) {
  const std::string assembly = R"(
	.text
outer:                                  # @outer
	pushq	%rbp
	movq	%rsp, %rbp
.LBB0_1:                                # =>This Loop Header: Depth=1
	vmovups	%zmm0, 64(%rsp)         # not in an innermost loop
.LBB0_2:
	vmovups	-64(%rbp), %ymm1        # 32-byte Reload
	movq	8(%rsp), %rax           # a scalar: of no concern
	je	.LBB0_3
	callq	expf@PLT
.LBB0_3:
	decq	%rcx
	jne	.LBB0_2
	decq	%rdx
	jne	.LBB0_1
	retq
clean:
.LBB1_1:
	vmovups	(%rbp,%rax,4), %zmm1    # here rbp is a pointer like any other
	jne	.LBB1_1
	jmp	.LBB1_2
.LBB1_2:
	retq
)";
  EXPECT_THAT(innermost_loop_problems(assembly),
              ElementsAre("outer, loop .LBB0_2: 1 accesses to vectors on the stack",
                          "outer, loop .LBB0_2: 1 jumps besides the latch", "outer, loop .LBB0_2: 1 calls"));
}

}  // namespace
}  // namespace nestwright
