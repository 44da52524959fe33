#include "nestwright/reduction.h"

#include <gtest/gtest.h>

#include "nestwright/program.h"
#include "nestwright/tensor.h"
#include "tests/expression/expect_usage_error.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

Reducer make_argmax() {
  return {"argmax", {Expr(-1), min_value(kFloat32)}, [](std::span<const Expr> a, std::span<const Expr> b) {
            return std::vector<Expr>{select(a[1] >= b[1], a[0], b[0]), max(a[1], b[1])};
          }};
}

class Reducers : public ::testing::Test {
 protected:
  const Tensor a_ = placeholder({4, 16}, kFloat32, "A");
  const IterVar k_ = reduce_axis(16, "k");
};

TEST_F(Reducers, NamedOnesArePrinted) {
  EXPECT_EQ(ir::to_string(sum(a_(0, k_), k_)), "sum(A[0, k], k in 0..16)");
  EXPECT_EQ(ir::to_string(prod(a_(0, k_), k_)), "prod(A[0, k], k in 0..16)");
  EXPECT_EQ(ir::to_string(min(a_(0, k_), k_)), "min(A[0, k], k in 0..16)");
  EXPECT_EQ(ir::to_string(max(a_(0, k_), k_)), "max(A[0, k], k in 0..16)");
  EXPECT_EQ(ir::to_string(any(a_(0, k_) > 0.0, k_)), "any(A[0, k] > 0.0, k in 0..16)");
  EXPECT_EQ(ir::to_string(all(a_(0, k_) > 0.0, k_)), "all(A[0, k] > 0.0, k in 0..16)");
}

TEST_F(Reducers, TupleMakesOneOperationOfSeveralResults) {
  const Reducer argmax = make_argmax();
  const std::vector<Tensor> best =
      compute_tuple({4}, [&](std::span<const Expr> i) { return argmax({k_, a_(i[0], k_)}, {k_}); }, "best");
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0].op(), best[1].op());
  EXPECT_FALSE(best[0] == best[1]);
  EXPECT_EQ(to_string(best[0].op()),
            "best.v0: int64[4], best.v0[i] = argmax(k, A[i, k], k in 0..16).0\n"
            "best.v1: float32[4], best.v1[i] = argmax(k, A[i, k], k in 0..16).1");
}

TEST_F(Reducers, RefusesWhatDoesNotAgree) {
  const Reducer argmax = make_argmax();
  expect_usage_error([&] { argmax({k_}, {k_}); }, "reducer 'argmax' takes 2 values, 1 were given");
  expect_usage_error([&] { argmax({a_(0, k_), a_(0, k_)}, {k_}); },
                     "value 0 of reducer 'argmax' is float32, but int64 is expected: cast it");
  expect_usage_error([&] { sum(a_(0, k_) > 0.0, k_); }, "a value of type bool cannot be combined by sum");
  expect_usage_error([&] { any(a_(0, k_), k_); }, "a value of type float32 cannot be combined by any");
  expect_usage_error(
      [] { Reducer("r", {Expr(0)}, [](std::span<const Expr>, std::span<const Expr>) { return std::vector<Expr>{}; }); },
      "reducer 'r' combines 1 values into 0: give as many as it takes");
  expect_usage_error(
      [] {
        Reducer("r", {Expr(0)},
                [](std::span<const Expr> x, std::span<const Expr>) { return std::vector<Expr>{x[0] > 0}; });
      },
      "member 0 of reducer 'r' is combined into bool, but its identity is int64: cast it");
}

TEST_F(Reducers, RefusesLiteralsThatAreNoValuesOfTheMember) {
  const auto reducer = [](const Expr& combined) {
    return Reducer("r", {ir::make_int(0, kInt32)},
                   [=](std::span<const Expr>, std::span<const Expr>) { return std::vector<Expr>{combined}; });
  };
  EXPECT_EQ(ir::to_string(reducer(2)({3}, {k_})[0]), "r(3, k in 0..16)");
  EXPECT_EQ(message<UsageError>([&] { reducer(2)({1.5}, {k_}); }),
            "the literal 1.5 as value 0 of reducer 'r' is no value of int32: combine values of a type that has it");
  EXPECT_EQ(message<UsageError>([&] { reducer(Expr(std::int64_t{1} << 31)); }),
            "the literal 2147483648 as member 0 of the combination of reducer 'r' is no value of int32: combine values "
            "of a type that has it");
}

TEST_F(Reducers, RefusesBodiesOfDifferentReductions) {
  const Reducer argmax = make_argmax();
  const auto refuse = [&](const std::function<std::vector<Expr>(std::span<const Expr>)>& bodies) {
    expect_usage_error([&] { compute_tuple({4}, bodies, "T"); },
                       "the bodies of tensor 'T' are not the members of one reduction, in order");
  };
  refuse([&](std::span<const Expr> i) { return std::vector<Expr>{sum(a_(i[0], k_), k_), sum(a_(i[0], k_), k_)}; });
  refuse([&](std::span<const Expr> i) { return std::vector<Expr>{sum(a_(i[0], k_), k_), a_(i[0], 0)}; });
  refuse([&](std::span<const Expr> i) {
    std::vector<Expr> members = argmax({k_, a_(i[0], k_)}, {k_});
    std::swap(members[0], members[1]);
    return members;
  });
}

}  // namespace
}  // namespace nestwright
