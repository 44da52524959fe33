// Inputs of large and small magnitudes: their values for every operator and type, and the faults that only they reveal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "measure/check/elements.h"
#include "nestwright/registry.h"
#include "search/task/check_data.h"

namespace nestwright {
namespace {

using Tensors = std::vector<std::vector<double>>;

double as_element(ir::Type type, double value) {
  std::array<std::byte, 8> memory{};
  encode_elements(type, {&value, 1}, memory.data());
  return element_at(type, memory.data(), 0);
}

/// Whether `c`, as a kernel leaves it in memory, is accepted.
bool is_right(const CheckData& data, std::vector<double> c, const std::vector<double>& expected,
              std::span<const double> bound) {
  std::vector<std::byte> memory(c.size() * 8);
  encode_elements(data.types.back(), c, memory.data());
  return compare_elements(data.types.back(), memory.data(), expected, bound).first_wrong < 0;
}

const std::vector<std::string> kWorkloads = {
    "matmul m=33 n=65 k=64",
    "matmul m=33 n=65 k=64 dtype=float64 tb=1",
    "matmul m=33 n=65 k=64 dtype=bfloat16 ta=1",
    "matmul m=33 n=65 k=64 dtype=float16",
    "matmul m=33 n=65 k=8192 dtype=float16",
    "matmul m=33 n=65 k=64 precision=tf32",
    "matmul m=16 n=40 k=20 batch=3 ldb=50 ldc=44 sc=2000 alpha=2 beta=0.5 epilogue=bias_residual_relu",
    "matmul m=16 n=40 k=20 batch=2 lda=22 sa=11 epilogue=residual",
    "matmul m=33 n=65 k=64 epilogue=bias_gelu",
    "conv2d n=2 c=6 h=9 w=8 k=12 r=3 s=3 pad=1 groups=2",
    "conv2d n=2 c=6 h=9 w=8 k=12 r=3 s=3 pad=1 groups=2 layout=NHWC dtype=bfloat16 epilogue=bias_relu",
    "conv2d n=1 c=32 h=9 w=8 k=40 r=3 s=3 stride=2 dtype=float16 epilogue=bias",
    "conv2d n=1 c=3 h=9 w=8 k=40 r=2 s=3 dtype=float64",
    "depthwise_conv2d n=2 c=24 h=9 w=8 multiplier=2 r=3 s=3 pad=1 epilogue=bias",
    "depthwise_conv2d n=2 c=24 h=9 w=8 multiplier=2 r=3 s=3 layout=NHWC dtype=float16",
    "reduce function=sum shape=40x8x50 axes=1",
    "reduce function=mean shape=40x300 axes=1 dtype=float64",
    "reduce function=max shape=40x9 axes=1",
    "reduce function=min shape=9x40 axes=0 dtype=float64",
    "scan function=sum steps=50 columns=40",
    "scan function=product steps=5000 columns=4",
    "scan function=max steps=3 columns=40 dtype=float64",
    "softmax rows=60 columns=70",
    "layer_norm rows=60 columns=70",
    "layer_norm rows=60 columns=70 dtype=float64 epsilon=1e-12",
    "transpose rows=30 columns=40",
    "transpose rows=30 columns=40 dtype=float64",
    "broadcast function=multiply rows=30 columns=40",
    "broadcast function=divide rows=30 columns=40 vector=column",
};

std::vector<std::string> all_workloads() {
  std::vector<std::string> list = kWorkloads;
  for (const OperatorParameter& parameter : builtin_registry().find_operator("elementwise")->parameters) {
    if (parameter.name != "function") continue;
    for (const std::string& function : parameter.choices) {
      list.push_back("elementwise function=" + function + " shape=1000");
    }
  }
  return list;
}

TEST(WideInputs, AreThereForEveryOperator) {
  for (const std::shared_ptr<const Operator>& op : builtin_registry().operators()) {
    EXPECT_TRUE(op->wide_inputs) << op->name;
    const auto list = all_workloads();
    EXPECT_TRUE(std::any_of(list.begin(), list.end(), [&](const auto& text) { return text.starts_with(op->name); }))
        << op->name;
  }
  EXPECT_TRUE(make_strict_check_data(parse_workload("matmul m=3 n=4 k=5 dtype=int8")).wide_inputs.empty())
      << "exact with any inputs";
}

TEST(WideInputs, HaveTheReferenceThatTheOperatorGivesOfThem) {
  for (const std::string& text : all_workloads()) {
    SCOPED_TRACE(text);
    const Workload workload = parse_workload(text);
    const CheckData data = make_strict_check_data(workload);
    const Reference reference = workload.op->reference(workload, data.wide_inputs);
    ASSERT_EQ(data.wide_expected[0].size(), reference.expected[0].size());
    for (std::size_t i = 0; i < reference.expected[0].size(); ++i) {
      const double expected = reference.expected[0][i], bound = reference.bound[0][i];
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(data.wide_expected[0][i]));
        continue;
      }
      // Sums in double, of terms of various magnitudes.
      ASSERT_NEAR(data.wide_expected[0][i], expected, std::max(1e-12 * std::abs(expected), 1e-3 * bound)) << i;
      ASSERT_NEAR(data.wide_bound[0][i], bound, 1e-9 * bound) << i;
    }
  }
}

TEST(WideInputs, AreElementsOfTheTypeAndSoAreTheResults) {
  for (const std::string& text : all_workloads()) {
    SCOPED_TRACE(text);
    const CheckData data = make_strict_check_data(parse_workload(text));
    for (std::size_t i = 0; i < data.wide_inputs.size(); ++i) {
      for (const double value : data.wide_inputs[i]) ASSERT_EQ(value, as_element(data.types[i], value));
    }
    for (const double value : data.wide_expected[0]) {
      ASSERT_TRUE(std::isnan(value) || std::isfinite(as_element(data.types.back(), value))) << value;
    }
    EXPECT_EQ(data.wide_inputs, make_strict_check_data(parse_workload(text)).wide_inputs) << "reproducible";
  }
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

constexpr std::array kTails{"gelu", "softmax", "sigmoid"};

// Results are spread over magnitudes, and most elements, small ones too, are rejected when replaced by 0.
TEST(WideInputs, SpreadTheResultsAndHideNoSmallOne) {
  for (const std::string& text : all_workloads()) {
    SCOPED_TRACE(text);
    const CheckData data = make_strict_check_data(parse_workload(text));
    double least = std::numeric_limits<double>::infinity(), most = 0;
    std::size_t results = 0, small = 0, small_ones_seen = 0;
    for (std::size_t i = 0; i < data.wide_expected[0].size(); ++i) {
      const double size = std::abs(data.wide_expected[0][i]);
      if (!(size > 0)) continue;
      ++results;
      least = std::min(least, size);
      most = std::max(most, size);
    }
    for (std::size_t i = 0; i < data.wide_expected[0].size(); ++i) {
      const double size = std::abs(data.wide_expected[0][i]);
      if (!(size > 0) || size > std::sqrt(least * most)) continue;
      ++small;
      small_ones_seen += size > data.wide_bound[0][i] ? 1 : 0;
    }
    const bool is_narrow = data.types.front() == kFloat16;
    // Values of sigmoid are between 0 and 1, and near 1/2 for half of all inputs.
    if (!contains(text, "function=sigmoid")) {
      EXPECT_GE(most / least, is_narrow ? 0x1p10 : 0x1p16);
    }
    // The tail of gelu, and exponentials that approach 0, fall below any bound.
    const bool has_tail =
        std::any_of(kTails.begin(), kTails.end(), [&](const char* name) { return contains(text, name); });
    if (has_tail) continue;
    // Sums of thousands of terms in float16 have errors nearly as large as their values.
    const double share = contains(text, "k=8192 dtype=float16") ? 0.25 : 0.5;
    EXPECT_GE(static_cast<double>(small_ones_seen), share * static_cast<double>(small)) << small << " of " << results;
  }
}

/// A kernel that is correct on numbers in [-1, 1] and on integers.
struct Fault {
  std::string name, workload;
  std::function<std::vector<double>(const CheckData&, const Tensors& inputs, const std::vector<double>& right)> kernel;
};

std::vector<double> each(const std::vector<double>& x, const std::function<double(double)>& f) {
  std::vector<double> y(x.size());
  std::transform(x.begin(), x.end(), y.begin(), f);
  return y;
}

const std::vector<Fault> kFaults = {
    {"SmallResultsFlushedToZero", "matmul m=33 n=65 k=256",
     [](const CheckData&, const Tensors&, const std::vector<double>& right) {
       return each(right, [](double y) { return std::abs(y) < 0x1p-16 ? 0 : y; });
     }},
    {"AnAbsoluteErrorOfSmallResults", "conv2d n=1 c=32 h=9 w=8 k=40 r=3 s=3",
     [](const CheckData&, const Tensors&, const std::vector<double>& right) {
       return each(right, [](double y) { return y != 0 && std::abs(y) < 0.5 ? y + 0x1p-18 : y; });
     }},
    {"SumsKeptInFixedPoint", "reduce function=sum shape=64x300 axes=1",
     [](const CheckData&, const Tensors&, const std::vector<double>& right) {
       return each(right, [](double y) { return std::ldexp(std::round(std::ldexp(y, 16)), -16); });
     }},
    {"FilterRoundedInFixedPoint", "depthwise_conv2d n=1 c=64 h=9 w=8 r=3 s=3 dtype=float16",
     [](const CheckData&, const Tensors&, const std::vector<double>& right) {
       return each(right, [](double y) { return std::ldexp(std::round(std::ldexp(y, 8)), -8); });
     }},
    {"ProductsThatSaturate", "scan function=product steps=64 columns=16",
     [](const CheckData&, const Tensors&, const std::vector<double>& right) {
       return each(right, [](double y) { return std::clamp(y, -1.0, 1.0); });
     }},
    {"SoftmaxWithoutTheMaximum", "softmax rows=64 columns=70",
     [](const CheckData&, const Tensors& inputs, const std::vector<double>&) {
       std::vector<double> y =
           each(inputs[0], [](double x) { return static_cast<float>(std::exp(static_cast<float>(x))); });
       for (std::size_t row = 0; row < 64; ++row) {
         float total = 0;
         for (std::size_t j = 0; j < 70; ++j) total += static_cast<float>(y[row * 70 + j]);
         for (std::size_t j = 0; j < 70; ++j) y[row * 70 + j] /= static_cast<double>(total);
       }
       return y;
     }},
    {"VarianceInFloat16Range", "layer_norm rows=64 columns=70",
     [](const CheckData&, const Tensors& inputs, const std::vector<double>& right) {
       std::vector<double> y = right;
       for (std::size_t row = 0; row < 64; ++row) {
         double squares = 0;
         for (std::size_t j = 0; j < 70; ++j) squares += std::pow(inputs[0][row * 70 + j], 2);
         if (squares > 65504) std::fill_n(y.begin() + static_cast<std::ptrdiff_t>(row * 70), 70, 0.0);
       }
       return y;
     }},
    {"TanhBySeries", "elementwise function=tanh shape=1000",
     [](const CheckData&, const Tensors& inputs, const std::vector<double>&) {
       // Lambert's continued fraction, accurate enough up to 1.
       return each(inputs[0], [](double x) {
         double f = 0;
         for (int k = 13; k > 1; k -= 2) f = x * x / (k + f);
         return x / (1 + f);
       });
     }},
    {"ExponentialWithoutRangeReduction", "elementwise function=exp shape=1000",
     [](const CheckData&, const Tensors& inputs, const std::vector<double>&) {
       return each(inputs[0], [](double x) {
         double sum = 1;
         for (int k = 14; k > 0; --k) sum = 1 + x / k * sum;
         return sum;
       });
     }},
    {"LargeElementsClamped", "transpose rows=30 columns=40",
     [](const CheckData&, const Tensors&, const std::vector<double>& right) {
       return each(right, [](double y) { return std::abs(y) > 1 ? std::copysign(1.0, y) : y; });
     }},
};

class OnlyWideInputs : public ::testing::TestWithParam<Fault> {};

TEST_P(OnlyWideInputs, ShowTheFault) {
  const CheckData data = make_strict_check_data(parse_workload(GetParam().workload));
  const auto passes = [&](const Tensors& inputs, const std::vector<double>& expected, std::span<const double> bound) {
    return is_right(data, GetParam().kernel(data, inputs, expected), expected, bound);
  };
  EXPECT_TRUE(passes(data.inputs, data.expected[0], data.bound[0]));
  if (!data.integer_inputs.empty()) {
    EXPECT_TRUE(passes(data.integer_inputs, data.integer_expected[0], {}));
  }
  EXPECT_FALSE(passes(data.wide_inputs, data.wide_expected[0], data.wide_bound[0]));
}

INSTANTIATE_TEST_SUITE_P(Faults, OnlyWideInputs, ::testing::ValuesIn(kFaults),
                         [](const auto& fault) { return fault.param.name; });

}  // namespace
}  // namespace nestwright
