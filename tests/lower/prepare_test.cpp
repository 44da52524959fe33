// prepare in loop form: the two kernels, their parameters, and refusals.
#include <gmock/gmock.h>

#include "ir/analysis/preparation.h"
#include "ir/serialize/serialize.h"
#include "ir/traversal/equal.h"
#include "matmul_schedule.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "tests/support/cpu_target.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

std::string refusal(const Schedule& s, const Args& args, const Target& target = cpu_target(CpuIsa::kAvx512)) {
  return message<LowerError>([&] { lower(s, args, target, "f"); });
}

ir::Program packed_product() {
  const Matmul op = make_matmul(4, 6, 5);
  Schedule s = create_schedule(op.c);
  const Tensor packed = s.cache_read(op.b, ir::Scope::kGlobal, {op.c});
  s.transform_layout(packed, [](std::span<const Expr> axes) {
    return std::vector<Expr>{axes[1] / Expr(4), axes[0], axes[1] % Expr(4)};
  });
  s[packed].prepare();
  return lower(s, {op.a, op.b, op.c}, cpu_target(CpuIsa::kAvx512), "product");
}

TEST(Prepare, MakesAKernelOfItsOwn) {
  EXPECT_EQ(
      ir::to_string(packed_product()),
      R"(program product(A: float32[4, 5], constant B: float32[5, 6]) -> (C: float32[4, 6]), prepared (B.cache: float32[2, 5, 4])
  prepare:
    launch product_prepare
  launch product
  kernel product:
    for i in 0..4:
      for j in 0..6:
        C[i, j] = 0.0
        for k in 0..5:
          C[i, j] = C[i, j] + A[i, k]*B.cache[j/4, k, j%4]
  kernel product_prepare:
    for ax0 in 0..5:
      for ax1.inner in 0..4:
        B.cache[0, ax0, ax1.inner] = B[ax0, ax1.inner]
    for ax0_1 in 0..5:
      for ax1.inner_1 in 0..4:
        B.cache[1, ax0_1, ax1.inner_1] = 0.0
    for ax0_2 in 0..5:
      for ax1.inner_2 in 0..2:
        B.cache[1, ax0_2, ax1.inner_2] = B[ax0_2, ax1.inner_2 + 4]
)");
}

TEST(Prepare, ConstantsAreWhatOnlyThePreparationReads) {
  const ir::Program program = packed_product();
  std::vector<bool> constant;
  for (const ir::Parameter& parameter : program.parameters) constant.push_back(parameter.is_constant);
  EXPECT_EQ(constant, (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(program.parameters.back().role, ir::Role::kPrepared);
  EXPECT_EQ(ir::prepared_bytes(program), (std::vector<std::int64_t>{192})) << "2 x 5 x 4 elements in lines of 64 bytes";
  EXPECT_EQ(ir::operator_parameters(program).size(), 3U);
}

TEST(Prepare, AnInputThatCallsReadTooIsNoConstant) {
  const Tensor a = placeholder({8}, kFloat32, "A");
  const Tensor twice = compute({8}, [&](Expr i) { return a(i) * 2.0; }, "twice");
  const Tensor c = compute({8}, [&](Expr i) { return twice(i) + a(i); }, "C");
  Schedule s = create_schedule(c);
  s[twice].prepare();
  EXPECT_FALSE(lower(s, {a, c}, cpu_target(CpuIsa::kAvx512), "f").parameters[0].is_constant);
}

TEST(Prepare, SurvivesSerialising) {
  const ir::Program program = packed_product();
  const ir::Program again = ir::deserialize(ir::serialize(program));
  EXPECT_TRUE(ir::equal(program, again));
  EXPECT_EQ(ir::to_string(again), ir::to_string(program));
  ir::Program other = program;
  other.parameters[1].is_constant = false;
  EXPECT_FALSE(ir::equal(program, other));
  other = program;
  other.preparation = {};
  EXPECT_FALSE(ir::equal(program, other));
}

TEST(Prepare, RefusesWhatReadsSomethingOfACall) {
  const Tensor a = placeholder({8}, kFloat32, "A");
  const Tensor first = compute({8}, [&](Expr i) { return a(i) * 2.0; }, "first");
  const Tensor second = compute({8}, [&](Expr i) { return first(i) + 1.0; }, "second");
  const Tensor c = compute({8}, [&](Expr i) { return second(i) + 1.0; }, "C");
  Schedule s = create_schedule(c);
  s[second].prepare();
  EXPECT_EQ(refusal(s, {a, c}), "second is prepared, but it reads first, which every call computes: prepare first too");
  s[first].compute_at(s[second], s[second].axis(0));
  EXPECT_EQ(refusal(s, {a, c}), "accepted");
  s[first].prepare();
  EXPECT_EQ(refusal(s, {a, c}), "accepted");
}

TEST(Prepare, RefusesAShapeThatACallTells) {
  const Var n("n");
  const Tensor a = placeholder({n}, kFloat32, "A");
  const Tensor twice = compute({n}, [&](Expr i) { return a(i) * 2.0; }, "twice");
  const Tensor c = compute({n}, [&](Expr i) { return twice(i) + 1.0; }, "C");
  Schedule s = create_schedule(c);
  s[twice].prepare();
  EXPECT_EQ(refusal(s, {a, c}), "twice is prepared, but its shape is known at a call only: give it constant extents");
}

TEST(Prepare, RefusesPrivateScopesAndDevices) {
  const Tensor a = placeholder({8}, kFloat32, "A");
  const Tensor twice = compute({8}, [&](Expr i) { return a(i) * 2.0; }, "twice");
  const Tensor c = compute({8}, [&](Expr i) { return twice(i) + 1.0; }, "C");
  Schedule s = create_schedule(c);
  s[twice].prepare();
  EXPECT_EQ(refusal(s, {a, c}, Target::parse("cuda")), "twice is prepared, which is done for CPUs only, not for " +
                                                           Target::parse("cuda").str() + ": compute it at root");
  s[twice].set_scope(ir::Scope::kLocal);
  EXPECT_EQ(refusal(s, {a, c}), "twice is kept in local scope but prepared: attach it to a loop of its consumer");
}

}  // namespace
}  // namespace nestwright::testing
