// What the checks of a result catch, by type and length of the reduction: products that were never computed, that lack
// a step of k or have one twice. What only rounds is right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "measure/elements.h"
#include "search/check_data.h"
#include "templates/matmul/matmul_shape.h"
#include "templates/whole_numbers.h"

namespace nestwright {
namespace {

// Enough that no step of k meets zeros alone where whole numbers are sparse (float16, 8192 steps).
constexpr std::int64_t kRows = 24, kColumns = 24;

double rounded(ir::Type type, double value) {
  if (type == kFloat16) return static_cast<double>(static_cast<_Float16>(value));
  return type == kFloat32 ? static_cast<double>(static_cast<float>(value)) : value;
}

struct Product {
  std::int64_t k = 0;
  ir::Type sum_type;
  std::int64_t first = 0;      ///< of the steps
  std::int64_t skipped = -1;   ///< step that is left out
  std::int64_t repeated = -1;  ///< step that is added twice
};

/// One step after the other, each sum rounded to the type.
std::vector<double> multiply(const Product& p, const std::vector<std::vector<double>>& inputs) {
  std::vector<double> c;
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      double sum = 0;
      const auto add = [&](std::int64_t r) {
        const double term =
            inputs[0][static_cast<std::size_t>(i * p.k + r)] * inputs[1][static_cast<std::size_t>(r * kColumns + j)];
        sum = rounded(p.sum_type, sum + term);
      };
      for (std::int64_t r = p.first; r < p.k; ++r) {
        if (r != p.skipped) add(r);
        if (r == p.repeated) add(r);
      }
      c.push_back(sum);
    }
  }
  return c;
}

struct Findings {
  bool by_bounds = false, by_whole_numbers = false;
  double largest_error_ratio = 0;
};

Findings judge(const CheckData& data, const Product& p) {
  const auto compare = [&](const std::vector<double>& c, std::span<const double> expected,
                           std::span<const double> bound) {
    std::vector<std::byte> memory(c.size() * 8);
    encode_elements(data.types.back(), c, memory.data());
    return compare_elements(data.types.back(), memory.data(), expected, bound);
  };
  const Comparison bounded = compare(multiply(p, data.inputs), data.expected[0], data.bound[0]);
  Findings found{bounded.first_wrong >= 0, false, bounded.largest_error_ratio};
  if (!data.whole_inputs.empty()) {
    found.by_whole_numbers = compare(multiply(p, data.whole_inputs), data.whole_expected[0], {}).first_wrong >= 0;
  }
  return found;
}

class Proof : public testing::TestWithParam<std::string> {};

TEST_P(Proof, CatchesWhatWasNotComputed) {
  const ir::Type type = ir::Type::parse(GetParam());
  for (const std::int64_t k : {64, 127, 1024, 8192}) {
    const std::string text = "matmul m=" + std::to_string(kRows) + " n=" + std::to_string(kColumns) +
                             " k=" + std::to_string(k) + " dtype=" + GetParam();
    SCOPED_TRACE(text);
    const CheckData data = make_strict_check_data(parse_workload(text));
    const ir::Type sum_type = matmul_types(type).sum;
    const Findings right = judge(data, {k, sum_type});
    EXPECT_FALSE(right.by_bounds);
    EXPECT_FALSE(right.by_whole_numbers);
    EXPECT_LT(right.largest_error_ratio, 0.25) << "room for the worst of billions of elements";

    const Findings zeros = judge(data, {k, sum_type, k});
    EXPECT_TRUE(zeros.by_bounds);
    EXPECT_TRUE(zeros.by_whole_numbers || sum_type.is_int());
    for (const std::int64_t step : {std::int64_t{0}, k / 2, k - 1}) {
      const Findings skipped = judge(data, {.k = k, .sum_type = sum_type, .skipped = step});
      EXPECT_TRUE(skipped.by_whole_numbers || (sum_type.is_int() && skipped.by_bounds)) << "without step " << step;
      const Findings twice = judge(data, {.k = k, .sum_type = sum_type, .repeated = step});
      EXPECT_TRUE(twice.by_whole_numbers || (sum_type.is_int() && twice.by_bounds)) << "step " << step << " twice";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Proof, testing::Values("float32", "float64", "float16", "bfloat16", "int8", "uint8"),
                         [](const auto& type) { return type.param; });

TEST(WholeNumbers, AddUpToWhatTheTypeCanHold) {
  struct Row {
    double terms, largest;
    int factors, magnitude;
  };
  for (const Row& row : {Row{64, 0x1p24, 2, 8}, Row{0x1p20, 0x1p24, 2, 4}, Row{0x1p24, 0x1p24, 1, 1},
                         Row{8192, 0x1p11, 2, 1}, Row{1e6, 0x1p11, 1, 1}}) {
    WholeNumbers numbers(row.terms, row.factors, row.largest, 7);
    const auto n = static_cast<std::size_t>(std::min(row.terms, 1e5));
    const std::vector<double> a = numbers.draw(n), b = row.factors == 2 ? numbers.draw(n) : std::vector<double>(n, 1);
    double sum = 0, most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(a[i], std::trunc(a[i]));
      sum += std::abs(a[i] * b[i]);
      most = std::max(most, std::abs(a[i]));
    }
    EXPECT_LE(sum * row.terms / static_cast<double>(n), row.largest);
    EXPECT_EQ(most, row.magnitude);
  }
}

TEST(WholeNumbers, AreNotThereWhereTheResultIsNotExact) {
  const auto has_some = [](const std::string& workload) {
    return !make_strict_check_data(parse_workload(workload)).whole_inputs.empty();
  };
  EXPECT_TRUE(has_some("matmul m=3 n=4 k=5 epilogue=bias_residual_relu alpha=2 beta=-3"));
  EXPECT_FALSE(has_some("matmul m=3 n=4 k=5 epilogue=gelu"));
  EXPECT_FALSE(has_some("matmul m=3 n=4 k=5 alpha=0.5"));
  EXPECT_FALSE(has_some("matmul m=3 n=4 k=5 dtype=int8")) << "exact with any inputs";
  EXPECT_TRUE(has_some("reduce function=sum shape=4x5 axes=1"));
  EXPECT_FALSE(has_some("reduce function=mean shape=4x5 axes=1"));
  EXPECT_FALSE(has_some("reduce function=max shape=4x5 axes=1"));
  EXPECT_TRUE(has_some("scan function=sum steps=4 columns=5"));
  EXPECT_FALSE(has_some("scan function=product steps=4 columns=5"));
  EXPECT_FALSE(has_some("softmax rows=4 columns=5"));
}

}  // namespace
}  // namespace nestwright
