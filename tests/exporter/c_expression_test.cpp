// The reference of the self-test is made from the operator's expression.
#include "exporter/c_expression.h"

#include <gmock/gmock.h>

#include <functional>

#include "expression/scan.h"
#include "support/error.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

std::string functions_of(const Tensor& output, const CNames& names) {
  return c_functions(output.op(), names, "const float* A", "A");
}

TEST(CExpression, ReadsLikeTheExpression) {
  const Tensor a = placeholder({4, 6}, kFloat32, "A");
  const IterVar k = reduce_axis(6, "k");
  const Tensor c = compute({4}, [&](Expr i) { return sum(a(i, k) * a(i, 0), k); }, "C");
  const Tensor d = compute({2, 2}, [&](Expr i, Expr j) { return tanh(c(i * 2 + j)); }, "D");
  EXPECT_EQ(functions_of(d, {.arrays = {{a.buffer(), "A"}}, .type = kFloat32}),
            R"(
/* C */
static struct number stage0(const float* A, long i0) {
  double total = 0, size = 0, error = 0;
  for (long r0 = 0; r0 < 6; ++r0) {
    const struct number term = times(exactly(A[((i0 * 6) + r0)]), exactly(A[(i0 * 6)]));
    total += term.value;
    size += fabs(term.value);
    error += term.error;
  }
  return number_of(total, error + 8 * sqrt(6.0) * kEpsilon * size);
}

/* D */
static struct number stage1(const float* A, long i0, long i1) {
  return monotone(tanh, stage0(A, ((i0 * 2) + i1)));
}

static struct number element_of(const float* A, long element) {
  return stage1(A, element / 2 % 2, element / 1 % 2);
}
)");
  EXPECT_EQ(c_terms(c.op()), 6);
  EXPECT_EQ(c_terms(d.op()), 7);
}

TEST(CExpression, StepsOfAScanAreComputedOnce) {
  const Tensor a = placeholder({4, 3}, kFloat32, "A"), state = placeholder({4, 3}, kFloat32, "S");
  const Tensor init = compute({1, 3}, [&](Expr, Expr j) { return a(0, j); }, "init");
  const Tensor update = compute({4, 3}, [&](Expr t, Expr j) { return state(t - 1, j) + a(t, j); }, "update");
  EXPECT_EQ(functions_of(scan(init, update, state, {a}, "Y"), {.arrays = {{a.buffer(), "A"}}, .type = kFloat32}),
            R"(
static struct number stage0(const float* A, long i0, long i1);

/* init */
static struct number stage1(const float* A, long i0, long i1) {
  (void)i0;
  return exactly(A[i1]);
}

/* update */
static struct number stage2(const float* A, long i0, long i1) {
  return plus(stage0(A, (i0 - 1), i1), exactly(A[((i0 * 3) + i1)]));
}

/* Y */
static struct number stage0(const float* A, long i0, long i1) {
  static struct number* steps = 0;
  static long done = 0;
  if (steps == 0) steps = memory_for(12 * sizeof *steps);
  for (; done <= i0; ++done) {
    for (long element = 0; element < 3; ++element) {
      steps[done * 3 + element] = done < 1 ? stage1(A, done, element / 1 % 3) : stage2(A, done, element / 1 % 3);
    }
  }
  return steps[i0 * 3 + i1];
}

static struct number element_of(const float* A, long element) {
  return stage0(A, element / 3 % 4, element / 1 % 3);
}
)");
}

TEST(CExpression, ConditionsOnIndicesKeepReadsInside) {
  const Tensor a = placeholder({4}, kFloat32, "A");
  const Tensor c = compute({6}, [&](Expr i) { return select(i >= 1 && i < 5 && a(i - 1) > 0.0, a(i - 1), 0.0); }, "C");
  EXPECT_THAT(functions_of(c, {.arrays = {{a.buffer(), "A"}}, .type = kFloat32}), HasSubstr(R"(
  return choose((((i0 >= 1) && (i0 < 5)) ? is_less(exactly(0.0), exactly(A[(i0 - 1)])) : 0), exactly(A[(i0 - 1)]), exactly(0.0));
)"));
  const Tensor d = compute({6}, [&](Expr i) { return select(i >= 1 && i < 5, a(i - 1), 0.0); }, "D");
  EXPECT_THAT(functions_of(d, {.arrays = {{a.buffer(), "A"}}, .type = kFloat32}), HasSubstr(R"(
  return (((i0 >= 1) && (i0 < 5)) ? exactly(A[(i0 - 1)]) : exactly(0.0));
)"));
}

TEST(CExpression, NarrowTypesRoundMore) {
  const Tensor a = placeholder({4}, kFloat32, "A");
  const Tensor c = compute({4}, [&](Expr i) { return cast(kFloat32, cast(kFloat16, a(i)) * 3.0); }, "C");
  EXPECT_THAT(functions_of(c, {.arrays = {{a.buffer(), "A"}}, .type = kFloat32}),
              HasSubstr("rounded(rounded(times(rounded(exactly(A[i0]), 0x1p-10), exactly(3.0)), 0x1p-10), kEpsilon)"));
}

TEST(CExpression, FloatsStayFloats) {
  EXPECT_EQ(c_expression(ir::make_float(1, kFloat32), {}), "exactly(1.0)");
  EXPECT_EQ(c_expression(ir::make_float(0.25, kFloat32), {}), "exactly(0.25)");
}

TEST(CExpression, OnlyTheArithmeticThatIsCalled) {
  const std::string text = c_arithmetic_for("return minus(exactly(A[i0]), exactly(1.0));");
  for (const char* needed : {"number_of(", "exactly(", "minus("}) EXPECT_THAT(text, HasSubstr(needed));
  for (const char* other : {"plus(", "monotone(", "is_less("}) EXPECT_THAT(text, ::testing::Not(HasSubstr(other)));
}

TEST(CExpression, RefusesWhatItCannotExpress) {
  const Tensor a = placeholder({4}, kFloat32, "A");
  const CNames names{.arrays = {{a.buffer(), "A"}}};
  const auto refusal_of = [&](const Tensor& output) {
    return message<UsageError>([&] { functions_of(output, names); });
  };
  EXPECT_EQ(message<UsageError>([&] { functions_of(compute({4}, [&](Expr i) { return a(i); }, "C"), {}); }),
            "the operator reads A, which is not an argument");
  const Tensor bits = compute({4}, [&](Expr i) { return reinterpret(kInt32, a(i)); }, "bits");
  EXPECT_EQ(refusal_of(bits), "the self-test cannot express reinterpret in C");
  EXPECT_EQ(refusal_of(compute_tuple(
                {4}, [&](std::span<const Expr> i) { return std::vector<Expr>{a(i[0]), a(i[0])}; }, "two")[0]),
            "the self-test can express no operator of several results");
  const Reducer largest("largest", {min_value(kFloat32)}, [](std::span<const Expr> x, std::span<const Expr> y) {
    return std::vector<Expr>{max(x[0], y[0])};
  });
  const IterVar k = reduce_axis(4, "k");
  EXPECT_EQ(refusal_of(compute(
                {1}, [&](Expr) { return largest({a(k)}, {k})[0]; }, "most")),
            "the self-test cannot express the user-made reducer largest");
  const Tensor s = placeholder({4}, kFloat32, "S"), t = placeholder({4}, kFloat32, "T");
  const auto first = [&](const char* name) { return compute({1}, [&](Expr) { return a(0); }, name); };
  const auto step = [&](const Tensor& one, const Tensor& other, const char* name) {
    return compute({4}, [&](Expr i) { return one(i - 1) + other(i - 1); }, name);
  };
  EXPECT_EQ(refusal_of(scan({first("f"), first("g")}, {step(s, t, "u"), step(t, s, "v")}, {s, t}, {}, "Y")[0]),
            "the self-test can express no scan of several states");
}

}  // namespace
}  // namespace nestwright
