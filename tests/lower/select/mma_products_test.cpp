// Nests over fragments become instructions of a warp, whose operands the verifier checks. What is refused is tested
// with the sources, in tests/codegen/device/fragments_test.cpp.
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

TEST(MmaProducts, EachNestIsOneInstruction) {
  const ir::Program program = selected(one_warp());
  EXPECT_EQ(count(program, TensorOp::kFragmentFill), 1);
  EXPECT_EQ(count(program, TensorOp::kFragmentLoad), 1) << ir::to_string(program);
  EXPECT_EQ(count(program, TensorOp::kFragmentLoadTransposed), 1);
  EXPECT_EQ(count(program, TensorOp::kFragmentMultiply), 1);
  EXPECT_THAT(ir::to_string(program),
              HasSubstr("fragment_load &A.cache.cache[0], &A.cache.cache[2], &A.cache[0], 48:\n"));
}

TEST(MmaProducts, TheInterpreterExecutesThem) {
  EXPECT_EQ(run_halves(selected(one_warp())), run_halves(unscheduled_warp()));
}

TEST(MmaProducts, TheVerifierComparesOperandsWithWhatTheBodyAccesses) {
  const ir::Program program = selected(one_warp());
  ASSERT_THAT(ir::verify(program, ir::Form::kDeviceVector), IsEmpty());
  const auto violations = [&](TensorOp op, std::size_t operand) {
    return ir::verify(with_wrong_operand(program, op, operand), ir::Form::kDeviceVector);
  };
  for (const auto& [op, operands] : {std::pair{TensorOp::kFragmentFill, 2}, std::pair{TensorOp::kFragmentLoad, 3},
                                     std::pair{TensorOp::kFragmentMultiply, 5}}) {
    for (int i = 0; i < operands; ++i) {
      EXPECT_THAT(violations(op, static_cast<std::size_t>(i)),
                  Contains(HasSubstr("operand " + std::to_string(i) + " is not what the body accesses")));
    }
  }
}

}  // namespace
}  // namespace nestwright::testing
