#include "reference/host_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace nestwright {
namespace {

using ::testing::AnyOf;

std::vector<double> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values;
  for (std::size_t n = 0; n < count; ++n) values.push_back(std::uniform_real_distribution<double>(-1, 1)(random));
  return values;
}

/// Computes C[i, j] = sum(k, A[i, k] * B) for 5 rows and 33 terms, where `read_b` reads B at k and j. Expects that each
/// element is the sum of its terms in their order.
void expect_order(std::size_t columns, const Tensor& b, const std::function<Expr(Expr k, Expr j)>& read_b,
                  const std::function<std::size_t(std::size_t k, std::size_t j)>& offset_in_b) {
  const auto n = static_cast<std::int64_t>(columns);
  const Tensor a = placeholder({5, 33}, kFloat64, "A");
  const IterVar k = reduce_axis(33, "k");
  const Tensor c = compute({5, n}, [&](Expr i, Expr j) { return sum(a(i, k) * read_b(k, j), k); }, "C");
  const std::vector<double> of_a = random_values(5 * 33, 1), of_b = random_values(33 * columns, 2);
  const auto compiled = run_unscheduled({a, b}, {&of_a, &of_b}, {c}, RunBy::kCompiler).front();
  const auto interpreted = run_unscheduled({a, b}, {&of_a, &of_b}, {c}, RunBy::kInterpreter).front();
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      double fused = 0, rounded = 0;  // with FMA instructions and without
      for (std::size_t term = 0; term < 33; ++term) {
        const double factor = of_b[offset_in_b(term, j)];
        fused = std::fma(of_a[i * 33 + term], factor, fused);
        const double product = of_a[i * 33 + term] * factor;
        rounded += product;
      }
      EXPECT_THAT(compiled[i * columns + j], AnyOf(fused, rounded)) << i << ", " << j << ": terms in another order";
      EXPECT_NEAR(interpreted[i * columns + j], fused, 1e-14) << i << ", " << j;
    }
  }
}

// B is read by rows only if several columns are computed at a time: 150 are two blocks and a part of a third, and 3 are
// fewer than a vector has lanes.
TEST(RunUnscheduled, AddsTheTermsInTheSameOrderForSeveralColumns) {
  for (const std::size_t columns : {150, 64, 13, 3}) {
    const Tensor b = placeholder({33, static_cast<std::int64_t>(columns)}, kFloat64, "B");
    expect_order(
        columns, b, [&](const Expr& k, const Expr& j) { return b(k, j); },
        [&](std::size_t k, std::size_t j) { return k * columns + j; });
  }
}

// The terms of a column lie side by side: a vector has one of each column.
TEST(RunUnscheduled, AddsTheTermsInTheSameOrderForTheLanesOfAVector) {
  for (const std::size_t columns : {150, 16, 3}) {
    const Tensor b = placeholder({static_cast<std::int64_t>(columns), 33}, kFloat64, "B");
    expect_order(
        columns, b, [&](const Expr& k, const Expr& j) { return b(j, k); },
        [](std::size_t k, std::size_t j) { return j * 33 + k; });
  }
}

}  // namespace
}  // namespace nestwright
