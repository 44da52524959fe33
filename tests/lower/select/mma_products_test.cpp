// mma_products: nests over fragments become instructions of a warp, whose operands the verifier checks.
// tests/codegen/device/fragments_test.cpp tests the other refusals, with the sources.
#include <gmock/gmock.h>

#include "lower/passes.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "tests/lower/select/fragment_programs.h"
#include "tests/support/message.h"

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
  for (const auto& [op, operands] :
       {std::pair{TensorOp::kFragmentFill, 3}, std::pair{TensorOp::kFragmentLoad, 4},
        std::pair{TensorOp::kFragmentLoadTransposed, 4}, std::pair{TensorOp::kFragmentMultiply, 5}}) {
    for (int i = 0; i < operands; ++i) {
      EXPECT_THAT(violations(op, static_cast<std::size_t>(i)),
                  Contains(HasSubstr("operand " + std::to_string(i) + " is not what the body accesses")))
          << tensor_op_name(op);
    }
    const ir::Program of_other_type =
        with_changed(program, op, [](ir::TensorInstruction& instruction) { instruction.type = kBFloat16; });
    EXPECT_THAT(ir::verify(of_other_type, ir::Form::kDeviceVector), Contains(HasSubstr("the type is not that of the")));
  }
}

TEST(MmaProducts, TheVerifierComparesTheDirectionOfRows) {
  const ir::Program program = selected(one_warp());
  for (const auto& [from, to] : {std::pair{TensorOp::kFragmentLoad, TensorOp::kFragmentLoadTransposed},
                                 std::pair{TensorOp::kFragmentLoadTransposed, TensorOp::kFragmentLoad}}) {
    const ir::Program other = with_changed(program, from, [&](ir::TensorInstruction& load) { load.op = to; });
    EXPECT_THAT(ir::verify(other, ir::Form::kDeviceVector),
                Contains(HasSubstr("rows of the body run in the other direction than those of the instruction")));
  }
}

// The layouts of sums and of factors over the threads of a warp differ.
TEST(MmaProductsRefuse, SumsAsFactors) {
  const ir::Buffer c("C", kFloat32, {16, 8}), sums("T", kFloat32, {16, 8}, ir::Scope::kFragment),
      a("A", kFloat32, {16, 8}, ir::Scope::kFragment), b("B", kFloat32, {8, 8}, ir::Scope::kFragment);
  const Var x("x"), y("y"), i("i"), j("j"), k("k");
  const auto loop = [](const Var& var, std::int64_t extent, ir::Stmt body, ir::LoopKind kind = ir::LoopKind::kSerial) {
    return ir::make_for(var, 0, Expr(extent), kind, std::move(body));
  };
  const auto nest = [&](const ir::Buffer& of, const Expr& value) {
    const Var row("row"), column("column");
    return loop(row, 16, loop(column, 8, ir::make_store(of, {row, column}, value)));
  };
  const ir::Stmt product = loop(
      i, 16,
      loop(j, 8,
           loop(k, 8,
                ir::make_store(sums, {i, j},
                               ir::make_load(sums, {i, j}) + ir::make_load(a, {i, k}) * ir::make_load(b, {j, k})))));
  ir::Stmt body = ir::block({nest(sums, 0.0), nest(a, 1.0), product});
  for (const ir::Buffer& buffer : {sums, a, b}) body = ir::make_allocate(buffer, body);
  ir::Program program{"chain", {{c, ir::Role::kOutput}}, {}, {}, {}, {}, ir::make_launch(0), {}};
  program.kernels = {{"main", loop(y, 8, loop(x, 4, body, ir::LoopKind::kThreadX), ir::LoopKind::kThreadY)}};
  const Target target = Target::parse("cuda,arch=sm_90");
  PassContext context{.target = target};
  EXPECT_EQ(message<LowerError>([&] { passes::mma_products(program, context); }),
            "buffer A is kept in fragment scope, but it is multiplied, and not loaded: what is multiplied is copied "
            "from shared memory");
}

}  // namespace
}  // namespace nestwright::testing
