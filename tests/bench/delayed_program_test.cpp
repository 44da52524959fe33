#include "bench/figures/machine/delayed_program.h"

#include <gmock/gmock.h>

#include <vector>

#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// C = 2 A, four elements.
ir::Program doubled() {
  const ir::Buffer a("A", kFloat32, {ir::Expr(4)}), c("C", kFloat32, {ir::Expr(4)});
  const ir::Var i("i");
  ir::Program program;
  program.name = "doubled";
  program.parameters = {{a, ir::Role::kInput}, {c, ir::Role::kOutput}};
  program.kernels.push_back(
      {"doubled", make_for(i, 0, 4, ir::LoopKind::kSerial,
                           make_store(c, {ir::Expr(i)}, make_load(a, {ir::Expr(i)}) * ir::Expr(2.0)))});
  program.host = ir::make_launch(0);
  return program;
}

TEST(DelayedProgram, ComputesTheSame) {
  const ir::Program program = with_delay(doubled(), 100);
  ASSERT_EQ(program.kernels.size(), 2u);
  EXPECT_THAT(ir::to_string(program), HasSubstr("100"));
  std::vector<float> in = {-3, 1, 2, 4}, out(4);
  const ir::Memory arguments[] = {std::as_writable_bytes(std::span(in)), std::as_writable_bytes(std::span(out))};
  ir::interpret(program, arguments);
  EXPECT_THAT(out, ElementsAre(-6, 2, 4, 8));
}

TEST(DelayedProgram, WantsAnInputAndAStep) {
  EXPECT_THROW(with_delay(doubled(), 0), InternalError);
  ir::Program program = doubled();
  program.parameters[0].role = ir::Role::kOutput;
  EXPECT_THROW(with_delay(program, 1), InternalError);
}

TEST(DelayedProgram, StepsScaleWithTheSlowdown) {
  EXPECT_EQ(steps_for(0.03, 1000, 1.30), 100);
  EXPECT_EQ(steps_for(0.03, 1000, 1.01), 3000);
  EXPECT_EQ(steps_for(0.03, 1, 1.5), 1) << "not less than a step";
  EXPECT_THROW(steps_for(0.03, 1000, 1), InternalError);
}

}  // namespace
}  // namespace nestwright::bench
