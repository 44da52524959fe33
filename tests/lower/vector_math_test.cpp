// vector_math: the arithmetic that it expands functions into, and its place. tests/codegen/vector_math_test.cpp tests
// the results, in machine code.
#include "lower/support/vector_math.h"

#include <gmock/gmock.h>

#include <functional>

#include "ir/serialize/serialize.h"
#include "ir/simplify/simplify.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "nestwright/error.h"
#include "nestwright/expr.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

using namespace ir;
using ::testing::HasSubstr;

Target avx512() {
  Target target;
  target.isa = CpuIsa::kAvx512;
  target.vector_bits = 512;
  return target;
}

Program program_of(const Buffer& A, const Buffer& B, Stmt body) {
  Program program;
  program.name = "test";
  program.parameters = {{A, Role::kInput}, {B, Role::kOutput}};
  program.host = make_launch(0);
  program.kernels = {{"main", std::move(body)}};
  return program;
}

struct Kernel {
  Buffer A{"A", kFloat32, {Expr(40)}}, B{"B", kFloat32, {Expr(40)}};
  Var i{"i"};
  Program vectorized(const std::function<Expr(Expr)>& f) const {
    return program_of(A, B, make_for(i, 0, 40, LoopKind::kVectorized, make_store(B, {i}, f(make_load(A, {i})))));
  }
};

int count_calls(const Program& program, Intrinsic intrinsic) {
  int count = 0;
  for_each_expr(program.kernels[0].body, [&](const Expr& e) {
    const auto* call = e.as<Call>();
    count += call && call->intrinsic == intrinsic;
  });
  return count;
}

TEST(VectorMath, ExpIsPrintedAsLetsInFrontOfTheStore) {
  const Buffer A("A", kFloat32, {Expr(16)}), B("B", kFloat32, {Expr(16)});
  const Var i("i");
  const Stmt loop = make_for(i, 0, 16, LoopKind::kVectorized, make_store(B, {i}, exp(make_load(A, {i}))));
  EXPECT_EQ(to_string(expand(program_of(A, B, loop), avx512())),
            R"(program test(A: float32[16]) -> (B: float32[16])
  launch main
  kernel main:
    let x = A[ramp(0, 1, 16)]
    let x_1 = select(x16(-104.0) > x, x16(-104.0), x)
    let x_2 = select(x16(89.0) < x_1, x16(89.0), x_1)
    let shifted = fma(x_2, x16(1.442695), x16(12582912.0))
    let quotient = shifted - x16(12582912.0)
    let rest = fma(quotient, x16(0.00021219444), fma(quotient, x16(-0.6933594), x_2))
    let exp = scale(fma(fma(fma(fma(fma(fma(x16(0.0013818732), rest, x16(0.00836872)), rest, x16(0.041668292)), rest, x16(0.16666521)), rest, x16(0.49999994)), rest, x16(1.0)), rest, x16(1.0)), quotient)
    B[ramp(0, 1, 16)] = exp
)");
}

TEST(VectorMath, AFunctionOfOneOperandIsComputedOnceAStatement) {
  const Kernel k;
  const auto count_lets = [&](const Program& program) {
    int count = 0;
    for_each_stmt(expand(program, avx512()).kernels[0].body, [&](const Stmt& s) { count += s.as<Let>() != nullptr; });
    return count;
  };
  const int once = count_lets(k.vectorized([](Expr a) { return tanh(a * 2.0); }));
  const int twice = count_lets(k.vectorized([](Expr a) { return tanh(a * 2.0) * tanh(a * 2.0) + 1.0; }));
  const int both = count_lets(k.vectorized([](Expr a) { return tanh(a * 2.0) * tanh(a * 3.0); }));
  EXPECT_GT(once, 0);
  EXPECT_EQ(twice, once);
  EXPECT_EQ(both, 2 * once);
}

TEST(VectorMath, WhatIsNotExpandedStays) {
  const Kernel k;
  const Program with_pow = k.vectorized([](Expr a) { return pow(a, 1.5) + sqrt(a); });
  const Program expanded = expand(with_pow, avx512());
  EXPECT_EQ(count_calls(expanded, Intrinsic::kPow), 3);  // two full vectors and a tail
  const Target target = avx512();
  PassContext context{.target = target};
  EXPECT_TRUE(passes::vector_math(expanded, context).kernels[0].body.same_as(expanded.kernels[0].body));
  EXPECT_FALSE(is_expanded(Intrinsic::kExp, kFloat64));
  EXPECT_TRUE(is_expanded(Intrinsic::kExp, kBFloat16.with_lanes(32)));
  EXPECT_THROW(stated_ulp(Intrinsic::kPow), InternalError);
}

TEST(VectorMath, WithoutAnInstructionThatScalesThereIsIntegerArithmetic) {
  const Kernel k;
  Target avx2;
  avx2.isa = CpuIsa::kAvx2;
  avx2.vector_bits = 256;
  const Program program = k.vectorized([](Expr a) { return exp(a) + tanh(a) + erf(a); });
  EXPECT_EQ(count_calls(expand(program, avx2), Intrinsic::kScale), 0);
  EXPECT_GT(count_calls(expand(program, avx2), Intrinsic::kReinterpret), 0);
  EXPECT_GT(count_calls(expand(program, avx512()), Intrinsic::kScale), 0);
}

TEST(VectorMath, WithoutFmaThereIsNone) {
  const Kernel k;
  Target sse2;
  const Program expanded =
      expand(k.vectorized([](Expr a) { return exp(a) + log(a) + tanh(a) + erf(a) + sigmoid(a); }), sse2);
  EXPECT_EQ(count_calls(expanded, Intrinsic::kFma), 0);
  EXPECT_EQ(count_calls(expanded, Intrinsic::kExp) + count_calls(expanded, Intrinsic::kErf), 0);
}

TEST(VectorMath, ExpandedProgramsRoundTripAndSimplifyToThemselves) {
  const Kernel k;
  const Program expanded = expand(k.vectorized([](Expr a) { return erf(tanh(a)) * log(exp(a) + 1.0); }), avx512());
  EXPECT_TRUE(equal(deserialize(serialize(expanded)), expanded));
  EXPECT_EQ(verify(expanded, Form::kVector), std::vector<std::string>());
  const Stmt simple = simplify(expanded.kernels[0].body);
  EXPECT_TRUE(simplify(simple).same_as(simple));
}

// Conditions, values of lets and bounds of loops may contain functions, too.
TEST(VectorMath, StandsBeforeTheStatementThatNeedsIt) {
  const Kernel k;
  const Var v("v", kFloat32);
  const Expr a = make_load(k.A, {k.i});
  const Stmt store = make_store(k.B, {k.i}, Expr(v) + a);
  const Stmt body = make_for(k.i, 0, 40, LoopKind::kSerial,
                             make_if(exp(a) > 2.0, make_let(v, log(a), store), make_store(k.B, {k.i}, sigmoid(a))));
  const Program program = program_of(k.A, k.B, body), expanded = expand(program, avx512());
  for (Intrinsic f : {Intrinsic::kExp, Intrinsic::kLog, Intrinsic::kSigmoid}) EXPECT_EQ(count_calls(expanded, f), 0);
  std::vector<float> x(40), expected(40), actual(40);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.05f;
  const auto run = [&](const Program& p, std::vector<float>& y) {
    const std::vector<Memory> memory{std::as_writable_bytes(std::span(x)), std::as_writable_bytes(std::span(y))};
    interpret(p, memory);
  };
  run(program, expected);
  run(expanded, actual);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 4e-7) << x[i];
}

// The lets compute values that a select may discard: such a value may depend on memory that was never written.
TEST(VectorMath, ValuesThatDoNotCountMayBeUndefined) {
  const Buffer A("A", kFloat32, {Expr(16)}), B("B", kFloat32, {Expr(16)}), T("T", kFloat32, {Expr(16)});
  const auto program = [&](std::int64_t written) {
    const Var i("i"), j("j");
    const Stmt fill = make_for(i, 0, Expr(written), LoopKind::kSerial, make_store(T, {i}, make_load(A, {i})));
    const Expr value = select(j < 9, exp(make_load(T, {j})), Expr(-1.0));
    return program_of(
        A, B, make_allocate(T, block({fill, make_for(j, 0, 16, LoopKind::kVectorized, make_store(B, {j}, value))})));
  };
  std::vector<float> x(16, 0.0f), y(16);
  const std::vector<Memory> memory{std::as_writable_bytes(std::span(x)), std::as_writable_bytes(std::span(y))};
  interpret(expand(program(9), avx512()), memory);
  EXPECT_EQ(y[8], 1);
  EXPECT_EQ(y[9], -1);
  try {
    interpret(expand(program(8), avx512()), memory);
    FAIL() << "T[8] is used but was never written";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("variable exp has no value that can be used"));
  }
}

}  // namespace
}  // namespace nestwright
