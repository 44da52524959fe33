// wgmma_products: products of matrices in shared memory become instructions of a warpgroup, which are awaited before
// their sums are used. tests/codegen/device/warpgroups_test.cpp tests refusals, with the sources.
#include <gmock/gmock.h>

#include "lower/support/copier.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
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
  for (const auto& [op, operands] :
       {std::pair{TensorOp::kWarpgroupFill, 3u}, std::pair{TensorOp::kWarpgroupMultiply, 9u}}) {
    for (std::size_t operand = 0; operand < operands; ++operand) {
      EXPECT_THAT(ir::verify(with_wrong_operand(program, op, operand), ir::Form::kDeviceVector),
                  Contains(HasSubstr("operand " + std::to_string(operand) + " is not what the body accesses")))
          << tensor_op_name(op);
    }
    const ir::Program other =
        with_changed(program, op, [](ir::TensorInstruction& instruction) { instruction.type = kBFloat16; });
    EXPECT_THAT(ir::verify(other, ir::Form::kDeviceVector), Contains(HasSubstr("the type is not that of the")));
  }
}

TEST(WgmmaProducts, TheVerifierComparesTheDescriptionOfMatricesWithTheBody) {
  const ir::Program program = selected(one_warpgroup());
  const auto violations = [&](const std::function<void(ir::TensorInstruction&)>& change) {
    return ir::verify(with_changed(program, TensorOp::kWarpgroupMultiply, change), ir::Form::kDeviceVector);
  };
  for (bool ir::TensorInstruction::* flag : {&ir::TensorInstruction::transposes_a, &ir::TensorInstruction::transposes_b,
                                             &ir::TensorInstruction::swizzles_a, &ir::TensorInstruction::swizzles_b}) {
    EXPECT_THAT(violations([&](ir::TensorInstruction& product) { product.*flag = true; }),
                Contains(HasSubstr("is not what the body accesses")));
  }
  EXPECT_THAT(violations([](ir::TensorInstruction& product) { product.columns = 32; }),
              Contains(HasSubstr("the body computes another number of rows or columns")));
}

TEST(WgmmaProducts, TheVerifierRequiresThatProductsAreAwaited) {
  const ir::Program program = selected(one_warpgroup());
  const std::vector<std::string> without =
      ir::verify(with_changed(program, TensorOp::kWarpgroupAwait, {}), ir::Form::kDeviceVector);
  EXPECT_THAT(without, Contains(HasSubstr("a product of a warpgroup is in flight at a barrier")));
  EXPECT_THAT(without,
              Contains(HasSubstr("a product of a warpgroup is not awaited before the end of the statement that")));
  ir::TensorInstruction fill{};
  with_changed(program, TensorOp::kWarpgroupFill, [&](ir::TensorInstruction& found) { fill = found; });
  fill.body = Copier({}, true).mutate(fill.body);
  const ir::Program filled =
      with_changed(program, TensorOp::kWarpgroupAwait, [&](ir::TensorInstruction& await) { await = fill; });
  EXPECT_THAT(ir::verify(filled, ir::Form::kDeviceVector),
              Contains(HasSubstr("is accessed while a product of a warpgroup that adds to it is in flight")));
}

}  // namespace
}  // namespace nestwright::testing
