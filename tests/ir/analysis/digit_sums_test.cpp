#include "ir/analysis/digit_sums.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "ir/analysis/evaluate.h"
#include "ir/traversal/equal.h"
#include "nestwright/program.h"

namespace nestwright::ir {
namespace {

class MixedRadix : public ::testing::Test {
 protected:
  Var x_{"x"}, y_{"y"}, a_{"a"}, b_{"b"};
  Ranges ranges_;

  static std::string text(const Digit& digit) {
    return to_string(digit.number.expr()) + " / " + std::to_string(digit.divisor) + " % " +
           std::to_string(digit.modulus);
  }
  /// The numbers that the indices of one access determine.
  std::vector<std::string> numbers(const std::vector<Expr>& indices) const {
    std::vector<std::string> found;
    for (const DigitSum& sum : digit_sums(indices, ranges_)) found.push_back(to_string(sum.number.expr()));
    return found;
  }
};
using Numbers = std::vector<std::string>;

TEST_F(MixedRadix, AQuotientOrARemainderIsADigit) {
  EXPECT_EQ(text(digit_of(x_)), "x / 1 % 0");
  EXPECT_EQ(text(digit_of(Expr(x_) / 12)), "x / 12 % 0");
  EXPECT_EQ(text(digit_of(Expr(x_) / 4 % 3)), "x / 4 % 3");
  EXPECT_EQ(text(digit_of(Expr(a_) * 3 + (Expr(b_) + 2) / 4)), "b + a*12 + 2 / 4 % 0");
  EXPECT_EQ(text(digit_of((Expr(x_) / 4 + y_) / 5 % 6 % 3)), "x + y*4 / 20 % 3");
  EXPECT_EQ(text(digit_of(Expr(x_) / 4 % 6 / 2)), "x / 8 % 3");
  // No single digits.
  EXPECT_EQ(text(digit_of(Expr(x_) / 4 * 2)), "x/4*2 / 1 % 0");
  EXPECT_EQ(text(digit_of(Expr(x_) / 4 + Expr(x_) % 4)), "x/4 + x%4 / 1 % 0");
  EXPECT_EQ(text(digit_of(Expr(x_) % 6 % 4)), "x%6%4 / 1 % 0");
  EXPECT_EQ(text(digit_of(Expr(x_) % 6 / 4)), "x%6/4 / 1 % 0");
}

TEST_F(MixedRadix, AllDigitsDetermineTheirNumber) {
  EXPECT_EQ(numbers({Expr(x_) / 12, Expr(x_) / 4 % 3, Expr(x_) % 4}), Numbers{"x"});
  EXPECT_EQ(numbers({Expr(x_) % 4, Expr(x_) / 12, Expr(x_) / 4 % 3}), Numbers{"x"});
  EXPECT_EQ(numbers({Expr(x_) / 12, Expr(x_) / 4 % 3}), Numbers{});
  EXPECT_EQ(numbers({Expr(x_) / 12, Expr(x_) / 4 % 2, Expr(x_) % 4}), Numbers{});
  EXPECT_EQ(numbers({Expr(x_) / 12, Expr(x_) / 3 % 4, Expr(x_) % 4}), Numbers{});
  EXPECT_EQ(numbers({Expr(x_) / 7, (Expr(x_) + 14) % 7}), Numbers{"x"});
  EXPECT_EQ(numbers({Expr(x_) / 7, (Expr(x_) + 1) % 7}), Numbers{});
  EXPECT_EQ(numbers({Expr(x_) / 7, Expr(y_) % 7}), Numbers{});
  EXPECT_EQ(numbers({Expr(x_) / 7, Expr(x_) % 7 + 1}), Numbers{"x"}) << "an offset, as in a padded tensor";
}

TEST_F(MixedRadix, ALeadingDigitMayHaveARemainderThatChangesNothing) {
  EXPECT_EQ(numbers({Expr(x_) / 7 % 5, Expr(x_) % 7}), Numbers{});
  ranges_.bind(x_, Interval{0, 34});
  EXPECT_EQ(numbers({Expr(x_) / 7 % 5, Expr(x_) % 7}), Numbers{"x"});
  EXPECT_EQ(numbers({Expr(x_) / 7 % 4, Expr(x_) % 7}), Numbers{});
  ranges_.bind(x_, Interval{-1, 33});
  EXPECT_EQ(numbers({Expr(x_) / 7 % 5, Expr(x_) % 7}), Numbers{});
}

TEST_F(MixedRadix, ACoordinateMayBeTheSumOfSeveralDigits) {
  const Expr x = x_;
  EXPECT_EQ(numbers({x / 12 * 12 + x / 4 % 3 + x % 4 * 3}), Numbers{"x"});
  EXPECT_EQ(numbers({x / 12 * 11 + x / 4 % 3 + x % 4 * 3}), Numbers{});
  EXPECT_EQ(numbers({x / 12 * 8 + x % 12}), Numbers{});
  EXPECT_EQ(numbers({x / 12 * 16 + x % 12}), Numbers{"x"});
}

TEST_F(MixedRadix, DigitsOfDifferentMultiplesAreJoined) {
  // x = a * 8 + b with 0 <= b < 8: the simplifier writes some digits in terms of a, and others in terms of x.
  ranges_.bind(b_, Interval{0, 7});
  const Expr x = Expr(a_) * 8 + b_;
  EXPECT_EQ(numbers({Expr(a_) / 49, x / 56 % 7, x % 56}), Numbers{"a*8 + b"});
  EXPECT_EQ(numbers({x / 392, Expr(a_) / 7 % 7, Expr(a_) % 7 * 8 + b_}), Numbers{"a"});
  EXPECT_EQ(numbers({x / 8, b_}), Numbers{"b + a*8"}) << "b is x % 8";
  EXPECT_EQ(numbers({Expr(a_) / 49, x / 56 % 6, x % 56}), Numbers{});
  ranges_.bind(b_, Interval{0, 8});
  EXPECT_EQ(numbers({Expr(a_) / 49, x / 56 % 7, x % 56}), Numbers{});
}

TEST_F(MixedRadix, WeightsGiveTheSumOfTheIndices) {
  ranges_.bind(b_, Interval{0, 15});
  using Weights = std::vector<std::int64_t>;
  const std::vector<DigitSum> plain = digit_sums({Expr(x_) % 4, Expr(x_) / 12, Expr(x_) / 4 % 3}, ranges_);
  ASSERT_EQ(plain.size(), 1U);
  EXPECT_EQ(plain[0].weights, (Weights{1, 12, 4}));
  EXPECT_EQ(to_string(plain[0].sum.expr()), "x");
  const std::vector<DigitSum> vectors = digit_sums({Expr(x_) / 12, Expr(x_) % 12 * 16 + b_}, ranges_);
  ASSERT_EQ(vectors.size(), 1U);
  EXPECT_EQ(to_string(vectors[0].number.expr()), "x");
  EXPECT_EQ(vectors[0].weights, (Weights{192, 1}));
  EXPECT_EQ(to_string(vectors[0].sum.expr()), "x*16 + b");
  const std::vector<DigitSum> shifted = digit_sums({Expr(x_) / 12, Expr(x_) % 12 + 3}, ranges_);
  ASSERT_EQ(shifted.size(), 1U);
  EXPECT_EQ(shifted[0].weights, (Weights{12, 1}));
  EXPECT_EQ(to_string(shifted[0].sum.expr()), "x + 3");
  const std::vector<DigitSum> apart = digit_sums({Expr(x_) / 4 % 3 + Expr(x_) % 4 * 3, Expr(x_) / 12}, ranges_);
  ASSERT_EQ(apart.size(), 1U);
  EXPECT_EQ(apart[0].weights, Weights{}) << "no multiple of the first index";
}

/// An index that may or may not be a digit of a*p + b*q, scaled and shifted at random.
Expr draw_index(const std::vector<Expr>& numbers, std::mt19937_64& random) {
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const std::vector<std::int64_t> divisors{1, 2, 3, 4, 6, 12, 5, 10};
  const auto divisor = [&] { return Expr(divisors[random() % divisors.size()]); };
  Expr index = numbers[random() % numbers.size()];
  if (draw(0, 3) == 0) index = index + draw(-12, 12);
  if (draw(0, 2) > 0) index = index / divisor();
  if (draw(0, 5) == 0) index = (index + numbers[random() % numbers.size()] * draw(1, 3)) / divisor();
  if (draw(0, 1) == 0) index = index % divisor();
  if (draw(0, 4) == 0) index = index * draw(1, 12) + numbers[random() % numbers.size()] % divisor();
  return index;
}

// Whatever is found has the same value in all iterations with the same indices.
TEST_F(MixedRadix, WhatIsFoundIsDetermined) {
  std::mt19937_64 random(51);
  int found = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t inner = 1 + static_cast<std::int64_t>(random() % 12),
                       outer = 1 + static_cast<std::int64_t>(random() % 12);
    ranges_ = Ranges();
    ranges_.bind(a_, Interval{0, outer - 1});
    ranges_.bind(b_, Interval{0, inner - 1});
    const Expr sum = Expr(a_) * static_cast<std::int64_t>(1 + random() % 14) + b_;
    std::vector<Expr> indices;
    for (std::uint64_t n = 1 + random() % 4; n > 0; --n) indices.push_back(draw_index({sum, sum, a_, b_}, random));
    const std::vector<DigitSum> sums = digit_sums(indices, ranges_);
    if (sums.empty()) continue;
    ++found;
    std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> values;  // of the numbers, by the indices
    for (std::int64_t a = 0; a < outer; ++a) {
      for (std::int64_t b = 0; b < inner; ++b) {
        const std::vector<Var> variables{a_, b_};
        const std::vector<std::int64_t> at{a, b};
        std::vector<std::int64_t> where, value;
        for (const Expr& index : indices) where.push_back(evaluate(index, variables, at));
        for (const DigitSum& one : sums) {
          value.push_back(evaluate(one.number.expr(), variables, at));
          if (one.weights.empty()) continue;
          ASSERT_EQ(std::inner_product(where.begin(), where.end(), one.weights.begin(), std::int64_t{0}),
                    evaluate(one.sum.expr(), variables, at))
              << "in round " << round;
        }
        const auto [known, is_new] = values.try_emplace(where, value);
        ASSERT_EQ(known->second, value) << to_string(indices[0]) << " in round " << round;
      }
    }
  }
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace nestwright::ir
