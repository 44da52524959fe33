#include <gtest/gtest.h>

#include "expect_usage_error.h"
#include "expression/body_size.h"
#include "nestwright/program.h"
#include "nestwright/tensor.h"

namespace nestwright {
namespace {

class Compute : public ::testing::Test {
 protected:
  const Tensor a = placeholder({8, 16}, kFloat32, "A");
  const Tensor b = placeholder({16, 4}, kFloat32, "B");
  const IterVar k = reduce_axis(16, "k");
};

TEST_F(Compute, MatmulIsASumOverItsAxis) {
  const Tensor c = compute({8, 4}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");
  const ComputeOp* op = c.op().compute();
  ASSERT_NE(op, nullptr);
  ASSERT_EQ(op->axes.size(), 2u);
  EXPECT_TRUE(ir::is_const_int(op->axes[1].extent(), 4));
  EXPECT_FALSE(op->axes[0].is_reduce());
  EXPECT_EQ(op->reduce_axes, std::vector<IterVar>{k});
  EXPECT_TRUE(op->reduce_axes[0].is_reduce());
  EXPECT_EQ(c.dtype(), kFloat32);
  EXPECT_EQ(c.op()->inputs, (std::vector<Operation>{a.op(), b.op()}));
  const auto* reduce = op->reduction();
  ASSERT_NE(reduce, nullptr);
  EXPECT_EQ(reduce->reducer, ir::ReducerKind::kSum);
  EXPECT_EQ(ir::to_string(reduce->values[0]), "A[i, k]*B[k, j]");
}

TEST_F(Compute, TakesAnyRank) {
  const Tensor zero = compute({}, [&] { return a(0, 0); }, "Z");
  EXPECT_EQ(zero.rank(), 0);
  EXPECT_EQ(ir::to_string(zero.op().compute()->bodies[0]), "A[0, 0]");
  const Tensor spanned = compute({8, 16}, [&](std::span<const Expr> at) { return a(at) * 2.0; }, "S");
  EXPECT_EQ(ir::to_string(spanned.op().compute()->bodies[0]), "A[i, j]*2.0");
  const std::vector<Expr> ten(10, Expr(2));
  const Tensor b = placeholder(ten, kFloat32, "B");
  const Tensor copy = compute(ten, [&](std::span<const Expr> x) { return b(x); }, "C");
  EXPECT_EQ(ir::to_string(copy.op().compute()->bodies[0]), "B[i0, i1, i2, i3, i4, i5, i6, i7, i8, i9]");
  EXPECT_EQ(ir::to_string(b(ten)), "B[2, 2, 2, 2, 2, 2, 2, 2, 2, 2]") << "a vector is a span";
  expect_usage_error([&] { compute(ten, [&](std::span<const Expr> x) { return a(x); }, "D"); },
                     "tensor 'A' has 2 dimensions, but is read with 10 indices");
  const Tensor eight = compute(
      {1, 2, 3, 4, 5, 6, 7, 8},
      [](Expr, Expr, Expr, Expr, Expr, Expr, Expr, Expr last) { return ir::cast(kFloat32, last); }, "E");
  EXPECT_EQ(eight.rank(), 8);
  EXPECT_TRUE(eight.op()->inputs.empty());
}

TEST_F(Compute, RefusesABodyOfAnotherRank) {
  expect_usage_error([&] { compute({8, 4}, [&](Expr i) { return a(i, 0); }, "C"); },
                     "the shape has 2 dimensions, but the body takes 1 indices");
  expect_usage_error([&] { compute({8}, [&] { return a(0, 0); }, "C"); }, "but the body takes 0 indices");
}

TEST_F(Compute, RefusesAReductionThatIsNotTheWholeBody) {
  const std::string message = "tensor 'C' has a reduction inside its body: make another tensor of it";
  expect_usage_error([&] { compute({8, 4}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k) + 1.0; }, "C"); },
                     message);
  const IterVar l = reduce_axis(4, "l");
  expect_usage_error([&] { compute({8}, [&](Expr i) { return sum(sum(a(i, k) * b(k, l), k), l); }, "C"); }, message);
}

TEST_F(Compute, RefusesAxesThatCannotBeReduced) {
  const Tensor c = compute({8, 4}, [&](Expr i, Expr j) { return a(i, j); }, "C");
  expect_usage_error([&] { sum(a(0, k), c.op().compute()->axes[0]); },
                     "axis 'i' cannot be reduced over: make it by reduce_axis");
  expect_usage_error([&] { sum(a(0, k), {k, k}); }, "reduce axis 'k' is named twice in one reduction");
  expect_usage_error([&] { sum(a(0, k), std::vector<IterVar>{}); }, "a reduction needs an axis");
  expect_usage_error([&] { sum(a(0, k), IterVar()); }, "an axis of a reduction is undefined");
  expect_usage_error([&] { sum(Expr(), k); }, "the value of a reduction is undefined");
  expect_usage_error([&] { reduce(ir::ReducerKind::kAny, a(0, k), {k}); },
                     "a value of type float32 cannot be combined by any");
}

TEST_F(Compute, RefusesADomainThatDependsOnAnIndex) {
  expect_usage_error(
      [&] {
        compute(
            {8},
            [&](Expr i) {
              const IterVar triangle = reduce_axis(i + 1, "t");
              return sum(a(i, triangle), triangle);
            },
            "C");
      },
      "the domain of reduce axis 't' depends on an index of tensor 'C'");
}

TEST_F(Compute, RefusesMismatchedTypes) {
  const Tensor d = placeholder({8, 16}, kFloat64, "D");
  expect_usage_error([&] { compute({8, 16}, [&](Expr i, Expr j) { return a(i, j) + d(i, j); }, "C"); },
                     "float32 and float64");
  expect_usage_error([&] { compute({8}, [](Expr) { return Expr(); }, "C"); }, "the body of tensor 'C' is undefined");
  expect_usage_error([&] { compute({8, 0}, [&](Expr i, Expr j) { return a(i, j); }, "C"); },
                     "extent 1 of tensor 'C' is 0");
}

TEST_F(Compute, CountsSharedPartsOfABodyOnceForEachUse) {
  const Tensor c = compute(
      {8, 16},
      [&](Expr i, Expr j) {
        const Expr e = a(i, j);
        return e * e + 0.5F;
      },
      "C");
  EXPECT_EQ(body_operations(c.op().compute()->bodies), 9) << "two of arithmetic, a constant, and twice a load of three";
}

TEST_F(Compute, RefusesBodiesThatNobodyCanWriteOut) {
  const auto shared = [&](int times) {
    return compute(
        {8, 16},
        [&](Expr i, Expr j) {
          Expr e = a(i, j);
          for (int n = 0; n < times; ++n) e = e * e + e;
          return e;
        },
        "C");
  };
  EXPECT_TRUE(shared(8).defined());
  expect_usage_error([&] { shared(10); },
                     "the body of tensor 'C' is too large, for written out it has more than 65536 "
                     "operations: make tensors of its parts");
  expect_usage_error([&] { shared(200); }, "more than 65536 operations");
  const auto deep = [&](int times) {
    return compute(
        {8, 16},
        [&](Expr i, Expr j) {
          Expr e = a(i, j);
          for (int n = 0; n < times; ++n) e = e + a(i, j);
          return e;
        },
        "C");
  };
  EXPECT_TRUE(deep(900).defined());
  expect_usage_error([&] { deep(5000); }, "more than 1000 operations lie inside each other");
}

TEST_F(Compute, RefusesWhatWasNotMade) {
  expect_usage_error([&] { compute({8}, [&](Expr i) { return a(i, i) + ir::cast(kFloat32, Var()); }, "C"); },
                     "an undefined variable is used as an expression: make it by var");
  expect_usage_error([&] { compute({8}, [&](Expr i) { return a(i, IterVar()); }, "C"); },
                     "an undefined axis is used: make it by reduce_axis, or take it from a stage");
  expect_usage_error([] { IterVar().extent(); }, "an undefined axis is used");
  expect_usage_error([] { Tensor().name(); }, "an undefined tensor is used: make it by placeholder or compute");
  expect_usage_error([] { count_flops(Tensor()); }, "an undefined tensor is used");
  expect_usage_error([&] { a(Expr(), 1); }, "index 0 of tensor 'A' is undefined");
  expect_usage_error([] { compute_span({4}, nullptr, "C"); }, "tensor 'C' has no body: give a function of its indices");
  expect_usage_error([] { placeholder({Var()}, kFloat32, "P"); }, "an undefined variable is used");
}

TEST(Literals, AreRoundedOnceToTheTypeOfWhatTheyMeet) {
  const Tensor d = placeholder({8}, kFloat64, "D"), h = placeholder({8}, kFloat16, "H");
  const auto literal = [](const Expr& product) { return product.as<ir::Binary>()->b.as<ir::FloatImm>()->value; };
  EXPECT_EQ(literal(d(0) * 0.1), 0.1);
  EXPECT_EQ(literal(d(0) * 1e300), 1e300);
  EXPECT_EQ(literal(h(0) * 0.1), 0.0999755859375);
  EXPECT_EQ(fma(d(0), 0.1, 0.2).type(), kFloat64);
  EXPECT_EQ(fma(0.1, 0.2, d(0)).type(), kFloat64);
  EXPECT_EQ(pow(2.0, d(0)).type(), kFloat64);
  const Tensor f = placeholder({8}, kFloat32, "F");
  EXPECT_EQ(literal(f(0) * 0.1), static_cast<double>(0.1F));
  expect_usage_error([&] { f(0) * 1e300; },
                     "the literal 1e+300 beside '*' is no value of float32: cast the other operand to a wider type");
  expect_usage_error([&] { h(0) + 70000.0; }, "beside '+' is no value of float16");
}

TEST(Literals, TakeTheTypeOfWhatTheyMeetWhereTheyAreAValueOfIt) {
  const Tensor u = placeholder({8}, kUInt8, "U"), s = placeholder({8}, kInt8, "S");
  EXPECT_EQ(ir::to_string(u(0) < 255), "U[0] < 255");
  EXPECT_EQ(ir::to_string(s(0) + -128), "S[0] + -128");
  expect_usage_error([&] { return u(0) < 256; },
                     "the literal 256 beside '<' is no value of uint8: cast the other operand to a wider type");
  expect_usage_error([&] { return u(0) > -1; }, "the literal -1 beside '>' is no value of uint8");
  expect_usage_error([&] { return s(0) + 128; }, "the literal 128 beside '+' is no value of int8");
  expect_usage_error([&] { max(-1, placeholder({8}, kUInt64, "W")(0)); },
                     "the literal -1 beside 'max' is no value of uint64");
}

TEST_F(Compute, RefusesATensorThatIsGone) {
  Expr dangling;
  {
    const Tensor gone = placeholder({8}, kFloat32, "gone");
    dangling = gone(0);
  }
  expect_usage_error([&] { compute({8}, [&](Expr) { return dangling; }, "C"); },
                     "tensor 'C' reads 'gone', which no longer exists: keep the Tensor");
}

TEST_F(Compute, FreeVariablesAreSymbols) {
  const Var alpha = var("alpha", kFloat32), n = var("n");
  const Tensor x = placeholder({n}, kFloat32, "X");
  const Tensor y = compute({n}, [&](Expr i) { return alpha * x(i); }, "Y");
  EXPECT_EQ(to_string(y.op()), "Y: float32[n], Y[i] = alpha*X[i]");
  EXPECT_EQ(to_string(x.op()), "X: float32[n]");
}

}  // namespace
}  // namespace nestwright
