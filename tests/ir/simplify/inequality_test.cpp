// The strongest prover: what it proves by combining facts, and that it proves nothing that is false.
#include "ir/simplify/inequality.h"

#include <gtest/gtest.h>

#include <random>

#include "ir/analysis/bounds.h"
#include "nestwright/program.h"

namespace nestwright::ir {
namespace {

TEST(NonNegative, UsesGuardsInsideOfQuotients) {
  // Each position lies below 100 by a guard alone, so that its quotient is at most 5. The sum has more terms than the
  // search combines facts for.
  Ranges ranges;
  Expr sum = 0;
  for (const char* name : {"a", "b", "c", "d"}) {
    const Var block(name), within(std::string(name) + "_in");
    ranges.bind(block, {0, 9});
    ranges.bind(within, {0, 15});
    ranges.assume(Expr(block) * 16 + within < 100);
    sum = sum + (Expr(block) * 16 + within) / 17;
  }
  EXPECT_TRUE(non_negative(20 - sum, ranges));
  EXPECT_FALSE(non_negative(19 - sum, ranges));
  EXPECT_TRUE(non_negative(10 - (sum + 1) / 2, ranges));
  EXPECT_FALSE(non_negative(9 - (sum + 1) / 2, ranges));
}

TEST(NonNegative, DividesASumByTheCommonDivisorOfItsCoefficients) {
  // 56 points in blocks of 32: the last point lies in row 6, whose index in steps of 6 is 36.
  const Var block("block"), thread("thread");
  Ranges ranges;
  ranges.bind(block, {0, 1});
  ranges.bind(thread, {0, 31});
  ranges.assume(Expr(block) * 32 + thread < 56);
  const Expr index = (Expr(block) * 4 + Expr(thread) / 8) * 6;
  EXPECT_TRUE(non_negative(39 - index, ranges));
  EXPECT_TRUE(non_negative(36 - index, ranges));
  EXPECT_FALSE(non_negative(35 - index, ranges));
}

TEST(NonNegative, RoundsToTheCoefficientOfAQuotient) {
  // 160 points, 32 at a time, in rows of 20: row 7 is the last one, of which two values are read.
  const Var block("block"), part("part"), thread("thread"), r("r");
  Ranges ranges;
  ranges.bind(block, {0, 1});
  ranges.bind(part, {0, 3});
  ranges.bind(thread, {0, 31});
  ranges.bind(r, {0, 1});
  ranges.assume(Expr(block) * 4 + part < 5);
  const Expr index = (Expr(block) * 128 + Expr(part) * 32 + thread) / 20 * 2 + r;
  EXPECT_TRUE(non_negative(15 - index, ranges));
  EXPECT_FALSE(non_negative(14 - index, ranges));
}

TEST(NonNegative, BoundsARemainderByThatOfAMultiple) {
  const Var block("block"), thread("thread");
  Ranges ranges;
  ranges.bind(block, {0, 1});
  ranges.bind(thread, {0, 63});
  const Expr x = Expr(block) * 64 + thread;
  ranges.assume(x % 6 < 2);
  EXPECT_TRUE(non_negative(1 - x % 3, ranges));
  EXPECT_FALSE(non_negative(0 - x % 3, ranges));
  EXPECT_FALSE(non_negative(1 - x % 4, ranges)) << "no divisor of 6";
  EXPECT_FALSE(non_negative(1 - (x + 1) % 3, ranges)) << "another dividend";
}

TEST(NonNegative, UsesGuardsOfAMinimumBeforeItIsTakenApart) {
  // A sampled element of a padded tensor: the guard is on the clamped index as a whole.
  const Buffer positions{"positions", kInt64, {Expr(12)}};
  const Var i("i");
  Ranges ranges;
  ranges.bind(i, {0, 11});
  for (const Expr& position : {Expr(i), make_load(positions, {Expr(i)})}) {
    const Expr clamped = min(Expr(31), max(Expr(0), position));
    EXPECT_FALSE(non_negative(clamped - 1, ranges));
    Ranges guarded = ranges;
    guarded.assume(clamped + -1 >= 0 && clamped + -1 < 30);
    EXPECT_TRUE(non_negative(clamped - 1, guarded));
    EXPECT_TRUE(non_negative(29 - (clamped - 1), guarded));
    EXPECT_FALSE(non_negative(clamped - 2, guarded));
    Ranges strided = ranges;
    strided.assume((clamped + 2 * Expr(i) + 6) / 3 < 4);
    EXPECT_TRUE(non_negative(3 - (clamped + 2 * Expr(i) + 6) / 3, strided)) << "simplify() rewrites the quotient";
    EXPECT_FALSE(non_negative(2 - (clamped + 2 * Expr(i) + 6) / 3, strided));
  }
}

TEST(NonNegative, HoldsUnderConditionsThatNeverHoldTogether) {
  // From r >= 3 follows 3*r + 2*i >= 9.
  const Var block("block"), part("part"), i("i");
  Ranges ranges;
  ranges.bind(block, {0, 3});
  ranges.bind(part, {0, 1});
  ranges.bind(i, {0, 3});
  const Expr r = Expr(block) * 2 + part;
  const Expr condition = simplify(r + -3 >= 0 && r * 3 + Expr(i) * 2 < 9, ranges);
  ranges.assume(condition);
  EXPECT_TRUE(non_negative(r - 3, ranges)) << to_string(condition);
}

/// A sum of terms in x and y, some of them quotients and remainders.
Expr random_sum(std::mt19937_64& random, const Var& x, const Var& y) {
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  Expr sum = number(-20, 60);
  for (std::int64_t n = number(1, 3); n > 0; --n) {
    Expr term = Expr(x) * number(-3, 3) + Expr(y) * number(-3, 3) + number(-4, 4);
    const std::int64_t form = number(0, 3);
    if (form == 1) term = term / number(1, 9);
    if (form == 2) term = term % number(1, 9);
    sum = sum + term * number(-6, 6);
  }
  return sum;
}

TEST(NonNegative, ProvesNothingFalse) {
  std::mt19937_64 random(20);
  int proved = 0;
  for (int n = 0; n < 250; ++n) {
    const Var x("x"), y("y");
    Ranges ranges;
    ranges.bind(x, {0, 5});
    ranges.bind(y, {0, 15});
    const std::int64_t end = 20 + static_cast<std::int64_t>(random() % 70);
    ranges.assume(Expr(x) * 16 + y < end);
    const Expr sum = random_sum(random, x, y);
    if (!non_negative(sum, ranges)) continue;
    ++proved;
    for (std::int64_t i = 0; i <= 5; ++i)
      for (std::int64_t j = 0; j <= 15 && i * 16 + j < end; ++j) {
        Ranges point;
        point.bind(x, {i, i});
        point.bind(y, {j, j});
        ASSERT_GE(interval_bounds(sum, point).hi, 0) << to_string(sum) << " at " << i << ", " << j << " of " << end;
      }
  }
  EXPECT_GT(proved, 25);
}

}  // namespace
}  // namespace nestwright::ir
