// Products in tf32 with the roundings that a library may use, judged as bench/gpu judges cuBLAS.
#include "bench/gpu/allowed_error.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "measure/check/elements.h"
#include "nestwright/registry.h"
#include "search/task/check_data.h"

namespace nestwright::bench {
namespace {

constexpr std::size_t kRows = 24;

/// `x` with all bits of the significand but the first `kept` set to zero.
double truncated(double x, int kept) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  return std::bit_cast<float>(bits & (~std::uint32_t{0} << (23 - kept)));
}

Workload product(std::size_t k, const std::string& precision = "tf32") {
  return parse_workload("matmul m=24 n=24 k=" + std::to_string(k) + " precision=" + precision);
}

/// Whether a product is accepted whose inputs were rounded by `rounded` and which lacks its first `skipped` terms, with
/// bounds `allowed` times as large as for our own kernels.
bool is_right(std::size_t k, double allowed, const std::function<double(double)>& rounded, std::size_t skipped = 0) {
  const CheckData data = make_check_data(product(k));
  std::vector<float> result(kRows * kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kRows; ++j) {
      double sum = 0;
      for (std::size_t x = skipped; x < k; ++x) {
        sum += rounded(data.inputs[0][i * k + x]) * rounded(data.inputs[1][x * kRows + j]);
      }
      result[i * kRows + j] = static_cast<float>(sum);
    }
  }
  std::vector<double> bound = data.bound[0];
  for (double& each : bound) each *= allowed;
  return compare_elements(kFloat32, result.data(), data.expected[0], bound).first_wrong < 0;
}

double allowed_of(std::size_t k) { return product_allowed_error(matmul_shape(product(k))); }

TEST(AllowedError, IsTheReferencesWhereInputsAreNotRounded) {
  EXPECT_EQ(product_allowed_error(matmul_shape(product(64, "full"))), 1);
  EXPECT_GT(allowed_of(64), 1);
}

TEST(AllowedError, ALibraryMayTruncateToTf32) {
  for (const std::size_t k : {1U, 7U, 64U, 1024U}) {
    const auto truncates = [](double x) { return truncated(x, 10); };
    EXPECT_TRUE(is_right(k, allowed_of(k), truncates)) << k;
    EXPECT_FALSE(is_right(k, 1, truncates)) << k << ": our own kernels round to nearest";
    EXPECT_TRUE(is_right(k, allowed_of(k), [](double x) { return x; })) << k << ": it may round nothing";
  }
}

TEST(AllowedError, CoarserRoundingAndASkippedProductAreWrong) {
  for (const std::size_t k : {64U, 1024U}) {
    EXPECT_FALSE(is_right(k, allowed_of(k), [](double x) { return truncated(x, 7); })) << k << ": as bfloat16";
    EXPECT_FALSE(is_right(k, allowed_of(k), [](double x) { return truncated(x, 10); }, 1)) << k;
  }
}

}  // namespace
}  // namespace nestwright::bench
