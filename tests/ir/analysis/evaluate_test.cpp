#include "ir/analysis/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

const Var n("n"), m("m");
const std::array<Var, 2> kSymbols{n, m};

std::int64_t value(const Expr& e, std::int64_t n_value, std::int64_t m_value) {
  const std::array<std::int64_t, 2> values{n_value, m_value};
  return evaluate(e, kSymbols, values);
}

TEST(Evaluate, WhatSizesAreMadeOf) {
  EXPECT_EQ(value(7, 0, 0), 7);
  EXPECT_EQ(value(n * m + n - 1, 6, 7), 47);
  EXPECT_EQ(value((Expr(n) + 31) / Expr(32), 33, 0), 2);
  EXPECT_EQ(value((Expr(n) - 1) / Expr(32) + Expr(n) % Expr(5), 0, 0), -1);
  EXPECT_EQ(value(min(n, m) * Expr(10) + max(n, m), 3, 5), 35);
  EXPECT_EQ(value(select(likely(Expr(n) < Expr(m)) && !(Expr(m) == 4), n, m), 3, 4), 4);
  EXPECT_EQ(value(cast(kInt64, cast(kInt8, n)), 257, 0), 1);
}

TEST(Evaluate, RefusesWhatWouldWrapAround) {
  const auto refusal = [](const Expr& e, std::int64_t n_value) -> std::string {
    try {
      return std::to_string(value(e, n_value, n_value));
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  const std::int64_t large = std::int64_t{1} << 62;
  EXPECT_EQ(refusal(n * m, large), "the size n*m exceeds 64 bits: use smaller extents");
  EXPECT_EQ(refusal(Expr(n) + m, large), "the size n + m exceeds 64 bits: use smaller extents");
  EXPECT_EQ(refusal(Expr(-4) - n * 2, large - 1), "the size -4 - n*2 exceeds 64 bits: use smaller extents");
  EXPECT_EQ(refusal(Expr(12) / n, 0), "the size 12/n divides by 0: use other extents");
  EXPECT_EQ(refusal(Expr(n) - m, large), "0");
}

TEST(Evaluate, KnowsSymbolsAlone) {
  EXPECT_THROW(value(Var("i"), 1, 1), InternalError);
  EXPECT_THROW(value(make_float(1, kFloat32), 1, 1), InternalError);
  EXPECT_THROW(evaluate(1, kSymbols, {}), InternalError);
}

}  // namespace
}  // namespace nestwright::ir
