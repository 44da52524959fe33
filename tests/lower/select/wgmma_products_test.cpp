// wgmma_products: products of matrices in shared memory become instructions of a warpgroup, which are awaited before
// their sums are used. tests/codegen/device/warpgroups_test.cpp tests refusals, with the sources.
#include <gmock/gmock.h>

#include "ir/core/print.h"
#include "ir/verify/verify.h"
#include "lower/lower.h"
#include "tests/lower/select/fragment_programs.h"

namespace nestwright::testing {
namespace {

using ir::TensorOp;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(WgmmaProducts, ASliceIsOneInstruction) {
  const ir::Program program = selected(one_warpgroup());
  EXPECT_EQ(count(program, TensorOp::kWarpgroupFill), 1) << ir::to_string(program);
  EXPECT_EQ(count(program, TensorOp::kWarpgroupMultiply), 1);
  EXPECT_EQ(count(program, TensorOp::kWarpgroupAwait), 1);
}

TEST(WgmmaProducts, AreAwaitedBeforeTheNextBarrier) {
  const std::string text = ir::to_string(selected(one_warpgroup()));
  const std::size_t product = text.find("warpgroup_multiply"),
                    await = text.find("warpgroup_await &C.tile[0], &C.tile[4] columns 16"),
                    barrier = text.find("barrier", product);
  ASSERT_NE(product, std::string::npos) << text;
  ASSERT_NE(await, std::string::npos) << text;
  EXPECT_LT(product, await);
  EXPECT_LT(await, barrier) << text;
}

TEST(WgmmaProducts, TheInterpreterExecutesThem) {
  EXPECT_EQ(run_halves(selected(one_warpgroup())), run_halves(unscheduled_warpgroup()));
}

TEST(WgmmaProducts, TheVerifierComparesOperandsWithWhatTheBodyAccesses) {
  const ir::Program program = selected(one_warpgroup());
  ASSERT_THAT(ir::verify(program, ir::Form::kDeviceVector), IsEmpty());
  for (const std::size_t operand : {0, 1, 2, 5}) {
    EXPECT_THAT(ir::verify(with_wrong_operand(program, TensorOp::kWarpgroupMultiply, operand), ir::Form::kDeviceVector),
                Contains(HasSubstr("operand " + std::to_string(operand) + " is not what the body accesses")));
  }
}

}  // namespace
}  // namespace nestwright::testing
