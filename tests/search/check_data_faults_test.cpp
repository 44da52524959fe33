// Which faults the checks of results detect, by type and length of the reduction: products that were never computed, or
// that lack or repeat a step of k. Results that only round are accepted. Prints a table of what each set of inputs
// detects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "large_judge.h"
#include "measure/check/elements.h"
#include "nestwright/registry.h"
#include "search/task/check_data.h"
#include "templates/checking/integers.h"
#include "templates/matmul/shape.h"

namespace nestwright {
namespace {

// Large enough that every step of k meets a nonzero where integers are sparse (float16, 8192 steps).
constexpr std::int64_t kRows = 24, kColumns = 24;

struct Product {
  std::int64_t k = 0;
  ir::Type sum_type;
  std::int64_t first = 0;      ///< first step
  std::int64_t skipped = -1;   ///< step that is left out
  std::int64_t repeated = -1;  ///< step that is added twice
};

double term(const Product& p, const std::vector<std::vector<double>>& inputs, std::int64_t i, std::int64_t j,
            std::int64_t r) {
  return inputs[0][static_cast<std::size_t>(i * p.k + r)] * inputs[1][static_cast<std::size_t>(r * kColumns + j)];
}

/// Adds one step after the other, rounding each sum to the type.
std::vector<double> multiply(const Product& p, const std::vector<std::vector<double>>& inputs) {
  std::vector<double> c;
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      double sum = 0;
      const auto add = [&](std::int64_t r) {
        sum += term(p, inputs, i, j, r);
        if (p.sum_type == kFloat32) sum = static_cast<double>(static_cast<float>(sum));
        if (p.sum_type == kFloat16) sum = static_cast<double>(static_cast<_Float16>(sum));
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

/// What a set of inputs reveals in a product: the number of wrong elements, and the largest error relative to its
/// bound.
struct Finding {
  std::size_t wrong = 0;
  double error_ratio = 0;
};

Finding judge(const CheckData& data, const Product& p, const std::vector<std::vector<double>>& inputs,
              std::span<const double> expected, std::span<const double> bound) {
  const std::vector<double> c = multiply(p, inputs);
  std::vector<std::byte> memory(c.size() * 8);
  encode_elements(data.types.back(), c, memory.data());
  Finding found;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const Comparison one =
        compare_elements(data.types.back(), memory.data() + i * static_cast<std::size_t>(data.types.back().bytes()),
                         expected.subspan(i, 1), bound.empty() ? bound : bound.subspan(i, 1));
    found.wrong += one.first_wrong >= 0 ? 1 : 0;
    found.error_ratio = std::max(found.error_ratio, one.largest_error_ratio);
  }
  return found;
}

Finding judge_uniform(const CheckData& data, const Product& p) {
  return judge(data, p, data.inputs, data.expected[0], data.bound[0]);
}
/// No finding where the check has no integers; likewise for the wide set.
Finding judge_whole(const CheckData& data, const Product& p) {
  return data.integer_inputs.empty() ? Finding{} : judge(data, p, data.integer_inputs, data.integer_expected[0], {});
}
Finding judge_wide(const CheckData& data, const Product& p) {
  return data.wide_inputs.empty() ? Finding{}
                                  : judge(data, p, data.wide_inputs, data.wide_expected[0], data.wide_bound[0]);
}

/// The number of steps in which no product of integers is nonzero, so that their absence is not detected.
std::int64_t unseen_steps(const Product& p, const CheckData& data) {
  std::int64_t unseen = 0;
  for (std::int64_t r = 0; r < p.k; ++r) {
    bool seen = false;
    for (std::int64_t i = 0; i < kRows && !seen; ++i) {
      for (std::int64_t j = 0; j < kColumns && !seen; ++j) seen = term(p, data.integer_inputs, i, j, r) != 0;
    }
    unseen += !seen;
  }
  return unseen;
}

struct Kind {
  std::string name;        ///< of the types
  std::string parameters;  ///< of the workload
};

class CheckDataFaults : public ::testing::TestWithParam<Kind> {};

/// Rounds as precision=tf32 rounds operands: to 10 bits after the binary point.
void round_to_tf32(std::vector<std::vector<double>>& inputs) {
  for (std::vector<double>& tensor : inputs) {
    for (double& x : tensor) {
      int exponent = 0;
      const double mantissa = std::frexp(x, &exponent);
      x = std::ldexp(std::round(std::ldexp(mantissa, 11)), exponent - 11);
    }
  }
}

TEST_P(CheckDataFaults, CatchesWhatWasNotComputed) {
  std::string table = fmt::format(
      "| {} | zeros: wrong elements, of {} (in [-1, 1] / whole / wide) | one step of k skipped: found, of 3 "
      "(in [-1, 1] / whole) | right: largest error of its bound (in [-1, 1] / wide) |\n|---|---|---|---|\n",
      GetParam().name, kRows * kColumns);
  for (const std::int64_t k : {64, 127, 256, 512, 1024, 2048, 4096, 8192}) {
    const std::string text = fmt::format("matmul m={} n={} k={} {}", kRows, kColumns, k, GetParam().parameters);
    SCOPED_TRACE(text);
    const Workload workload = parse_workload(text);
    CheckData data = make_strict_check_data(workload);
    if (workload.choice("precision") == "tf32") {
      round_to_tf32(data.inputs);
      round_to_tf32(data.wide_inputs);
    }
    const ir::Type sum_type = matmul_types(workload.type("dtype")).sum;
    const bool is_whole = sum_type.is_int();
    EXPECT_EQ(data.integer_inputs.empty(), is_whole);
    EXPECT_EQ(data.wide_inputs.empty(), is_whole);

    const Product correct{k, sum_type}, nothing{k, sum_type, k};
    const Finding right = judge_uniform(data, correct), right_wide = judge_wide(data, correct);
    EXPECT_EQ(right.wrong + right_wide.wrong + judge_whole(data, correct).wrong, 0u);
    EXPECT_LT(std::max(right.error_ratio, right_wide.error_ratio), 0.25)
        << "room for the worst of billions of elements";

    const std::size_t zeros = judge_uniform(data, nothing).wrong, whole_zeros = judge_whole(data, nothing).wrong,
                      wide_zeros = judge_wide(data, nothing).wrong;
    EXPECT_GT(zeros, 0u);
    EXPECT_TRUE(is_whole || (whole_zeros > 0 && wide_zeros > 0));

    EXPECT_EQ(is_whole ? 0 : unseen_steps(correct, data), 0) << "each of the steps";
    int by_uniform = 0, by_whole = 0;
    for (const std::int64_t step : {std::int64_t{0}, k / 2, k - 1}) {
      const Product skipped{.k = k, .sum_type = sum_type, .skipped = step};
      const bool is_seen = judge_uniform(data, skipped).wrong > 0, is_seen_whole = judge_whole(data, skipped).wrong > 0;
      EXPECT_TRUE(is_seen_whole || (is_whole && is_seen)) << "without step " << step;
      by_uniform += is_seen ? 1 : 0;
      by_whole += is_seen_whole ? 1 : 0;
    }
    const Product repeated{.k = k, .sum_type = sum_type, .repeated = k / 3};
    EXPECT_GT((is_whole ? judge_uniform(data, repeated) : judge_whole(data, repeated)).wrong, 0u) << "a step twice";
    const auto or_none = [&](const std::string& cell) { return is_whole ? "-" : cell; };
    table += fmt::format("| K = {} | {} / {} / {} | {} / {} | {:.3f} / {} |\n", k, zeros,
                         or_none(std::to_string(whole_zeros)), or_none(std::to_string(wide_zeros)), by_uniform,
                         or_none(std::to_string(by_whole)), right.error_ratio,
                         or_none(fmt::format("{:.3f}", right_wide.error_ratio)));
  }
  fmt::print("{}", table);
}

// The same of tensors that are too large for expected values of all elements.
TEST_P(CheckDataFaults, AreFoundInLargeTensors) {
  for (const std::int64_t k : {64, 512, 8192}) {
    const std::string text = fmt::format("matmul m={} n={} k={} {}", kRows, kColumns, k, GetParam().parameters);
    SCOPED_TRACE(text);
    const Workload workload = parse_workload(text);
    const LargeJudge large(workload);
    const ir::Type sum_type = matmul_types(workload.type("dtype")).sum;
    const auto wrong_on = [&](InputSet set, const Product& p) {
      std::vector<std::vector<double>> inputs = large.inputs(set);
      if (workload.choice("precision") == "tf32") round_to_tf32(inputs);
      return large.judge(set, multiply(p, inputs));
    };
    EXPECT_EQ(large.has(InputSet::kIntegers), !sum_type.is_int());
    for (const InputSet set : {InputSet::kUniform, InputSet::kIntegers, InputSet::kWide}) {
      if (!large.has(set)) continue;
      EXPECT_EQ(wrong_on(set, {k, sum_type}), "");
      EXPECT_NE(wrong_on(set, {k, sum_type, k}), "") << "zeros";
    }
    const InputSet exact = sum_type.is_int() ? InputSet::kUniform : InputSet::kIntegers;
    for (const std::int64_t step : {std::int64_t{0}, k / 2, k - 1}) {
      EXPECT_NE(wrong_on(exact, {.k = k, .sum_type = sum_type, .skipped = step}), "") << "without step " << step;
    }
    EXPECT_NE(wrong_on(exact, {.k = k, .sum_type = sum_type, .repeated = k / 3}), "") << "a step twice";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Types, CheckDataFaults,
    ::testing::Values(Kind{"float64", "dtype=float64"}, Kind{"float32", ""}, Kind{"float16", "dtype=float16"},
                      Kind{"bfloat16_to_float32", "dtype=bfloat16"}, Kind{"tf32_to_float32", "precision=tf32"},
                      Kind{"int8_to_int32", "dtype=int8"}, Kind{"uint8_by_int8_to_int32", "dtype=uint8"}),
    [](const auto& kind) { return kind.param.name; });

TEST(SmallIntegers, AddUpToWhatTheTypeCanHold) {
  struct Row {
    double terms, largest;
    int factors, magnitude;
  };
  for (const Row& row : {Row{64, 0x1p24, 2, 8}, Row{0x1p20, 0x1p24, 2, 4}, Row{0x1p24, 0x1p24, 1, 1},
                         Row{8192, 0x1p11, 2, 1}, Row{1e6, 0x1p11, 1, 1}}) {
    SmallIntegers numbers(row.terms, row.factors, row.largest, 7);
    const auto n = static_cast<std::size_t>(std::min(row.terms, 1e5));
    const std::vector<double> a = numbers.draw(n).values(),
                              b = row.factors == 2 ? numbers.draw(n).values() : std::vector<double>(n, 1);
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

TEST(SmallIntegers, AreNotThereWhereTheResultIsNotExact) {
  const auto has_some = [](const std::string& workload) {
    return !make_strict_check_data(parse_workload(workload)).integer_inputs.empty();
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
  EXPECT_TRUE(has_some("conv2d n=1 c=3 h=5 w=5 k=4 r=3 s=3 pad=1 epilogue=bias_relu"));
  EXPECT_TRUE(has_some("depthwise_conv2d n=1 c=3 h=5 w=5 r=3 s=3 dtype=float16"));
  EXPECT_FALSE(has_some("conv2d n=1 c=3 h=5 w=5 k=4 r=3 s=3 dtype=uint8")) << "exact with any inputs";
}

}  // namespace
}  // namespace nestwright
