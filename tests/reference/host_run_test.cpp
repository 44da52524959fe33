#include "reference/host_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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

// B is read by rows only if several columns are computed at a time: 150 are two blocks and a part of a third.
TEST(RunUnscheduled, AddsTheTermsInTheSameOrderForSeveralColumns) {
  const Tensor a = placeholder({5, 33}, kFloat64, "A"), b = placeholder({33, 150}, kFloat64, "B");
  const IterVar k = reduce_axis(33, "k");
  const Tensor c = compute({5, 150}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");
  const std::vector<double> of_a = random_values(5 * 33, 1), of_b = random_values(33 * 150, 2);
  const auto compiled = run_unscheduled({a, b}, {&of_a, &of_b}, {c}, RunBy::kCompiler).front();
  const auto interpreted = run_unscheduled({a, b}, {&of_a, &of_b}, {c}, RunBy::kInterpreter).front();
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 150; ++j) {
      double fused = 0, rounded = 0;  // with FMA instructions and without
      for (std::size_t n = 0; n < 33; ++n) {
        fused = std::fma(of_a[i * 33 + n], of_b[n * 150 + j], fused);
        const double product = of_a[i * 33 + n] * of_b[n * 150 + j];
        rounded += product;
      }
      EXPECT_THAT(compiled[i * 150 + j], AnyOf(fused, rounded)) << i << ", " << j << ": the order of terms is another";
      EXPECT_NEAR(interpreted[i * 150 + j], fused, 1e-14) << i << ", " << j;
    }
  }
}

}  // namespace
}  // namespace nestwright
