// where and init of a reduction: what they are printed as, and what is refused.
#include <gtest/gtest.h>

#include "nestwright/program.h"
#include "nestwright/tensor.h"
#include "tests/expression/expect_usage_error.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

class ReduceOptionsTest : public ::testing::Test {
 protected:
  const Tensor a_ = placeholder({4, 16}, kFloat32, "A");
  const Tensor b_ = placeholder({4}, kFloat32, "B");
  const IterVar k_ = reduce_axis(16, "k");
};

TEST_F(ReduceOptionsTest, WhereCombinesTheIdentity) {
  EXPECT_EQ(ir::to_string(sum(a_(0, k_), k_, {.where = k_ < 3})), "sum(select(k < 3, A[0, k], 0.0), k in 0..16)");
  EXPECT_EQ(ir::to_string(max(a_(0, k_), {k_}, {.where = k_ < 3})), "max(select(k < 3, A[0, k], -inf), k in 0..16)");
}

TEST_F(ReduceOptionsTest, InitIsWhatTheValuesAreCombinedWith) {
  EXPECT_EQ(ir::to_string(sum(a_(0, k_), k_, {.init = 1})), "sum(A[0, k], k in 0..16, from 1.0)");
  const Tensor c = compute({4}, [&](Expr i) { return prod(a_(i, k_), k_, {.init = b_(i)}); }, "C");
  EXPECT_EQ(ir::to_string(c.op().compute()->bodies[0]), "prod(A[i, k], k in 0..16, from B[i])");
  EXPECT_EQ(c.op()->inputs, (std::vector<Operation>{b_.op(), a_.op()}));
}

TEST_F(ReduceOptionsTest, ALiteralIsRoundedOnceOnly) {
  const Tensor d = placeholder({16}, kFloat64, "D");
  EXPECT_EQ(ir::to_string(sum(d(k_), k_, {.init = 0.1})), "sum(D[k], k in 0..16, from 0.1)");
}

TEST_F(ReduceOptionsTest, ALiteralTakesTheTypeOfTheValue) {
  EXPECT_EQ(ir::to_string(sum(cast(kUInt8, k_), k_, {.init = 255})), "sum(uint8(k), k in 0..16, from 255)");
  EXPECT_EQ(ir::to_string(any(k_ < 3, k_, {.init = true})), "any(k < 3, k in 0..16, from true)");
  EXPECT_EQ(ir::to_string(max(a_(0, k_), {k_}, {.init = max_value(kUInt64)})),
            "max(A[0, k], k in 0..16, from 1.8446744e+19)");
}

TEST_F(ReduceOptionsTest, RefusesALiteralThatIsNoValueOfTheType) {
  const auto refusal = [&](const Expr& value, const Expr& init) {
    return message<UsageError>([&] { prod(value, k_, {.init = init}); });
  };
  const auto text = [](const std::string& literal, const std::string& type) {
    return "the literal " + literal + " as init of a reduction is no value of " + type +
           ": combine values of a type that has it";
  };
  EXPECT_EQ(refusal(cast(kInt32, k_), 0.5), text("0.5", "int32"));
  EXPECT_EQ(refusal(cast(kUInt8, k_), 300), text("300", "uint8"));
  EXPECT_EQ(refusal(cast(kUInt8, k_), -1), text("-1", "uint8"));
  EXPECT_EQ(refusal(a_(0, k_), 1e300), text("1e+300", "float32"));
  EXPECT_EQ(refusal(cast(kFloat16, k_), 70000), text("70000", "float16"));
  EXPECT_EQ(refusal(k_, max_value(kUInt64)), text("18446744073709551615", "int64"));
  EXPECT_EQ(message<UsageError>([&] { any(k_ < 3, k_, {.init = 2}); }), text("2", "bool"));
  EXPECT_EQ(refusal(k_, ir::make_bool(true)), "init of a reduction is bool, but the value is int64: cast it");
}

TEST_F(ReduceOptionsTest, OfAUserMadeReducer) {
  const Reducer mine("mine", {Expr(0), Expr(0.0)}, [](std::span<const Expr> x, std::span<const Expr> y) {
    return std::vector<Expr>{x[0] + y[0], x[1] + y[1]};
  });
  EXPECT_EQ(ir::to_string(mine({k_, a_(0, k_)}, {k_}, k_ < 3, {5, b_(0)})[1]),
            "mine(select(k < 3, k, 0), select(k < 3, A[0, k], 0.0), k in 0..16, from 5, B[0]).1");
  expect_usage_error([&] { mine({k_, a_(0, k_)}, {k_}, {}, {5}); },
                     "reducer 'mine' starts from 2 values, but 1 were given: give one a member, or none");
  EXPECT_EQ(message<UsageError>([&] { mine({k_, a_(0, k_)}, {k_}, {}, {1.5, 0}); }),
            "the literal 1.5 as init 0 of reducer 'mine' is no value of int64: combine values of a type that has it");
}

TEST_F(ReduceOptionsTest, RefusesWhatDoesNotFit) {
  expect_usage_error([&] { sum(a_(0, k_), k_, {.where = k_}); },
                     "where of a reduction is int64, but it takes a bool: compare first");
  expect_usage_error([&] { sum(a_(0, k_), k_, {.init = a_(0, k_)}); },
                     "init of a reduction depends on its axis 'k': it is used once, before the first value");
  expect_usage_error([&] { sum(cast(kInt32, k_), k_, {.init = b_(0)}); },
                     "init of a reduction is float32, but the value is int32: cast it");
}

}  // namespace
}  // namespace nestwright
