// The inputs on which kernels of texts are checked: which there are, and that results on them are what they should be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nestwright/error.h"
#include "nestwright/text_operator.h"
#include "search/task/check_data.h"
#include "tests/support/message.h"
#include "text/expression.h"
#include "text_operator/integer_magnitudes.h"
#include "text_operator/scaled_dimensions.h"

namespace nestwright {
namespace {

using Dimensions = std::vector<std::vector<std::size_t>>;

TEST(ScaledDimensions, AreThoseThatAreNotSummedOver) {
  const auto of = [](const char* text) { return text::scaled_dimensions(text::Expression::parse(text).program()); };
  // In the order of the program: what a statement reads, then what it computes.
  EXPECT_EQ(of("C[i, j] = sum(k, A[i, k] * B[k, j]) i=2 j=3 k=4"), (Dimensions{{0}, {1}, {0, 1}}));
  EXPECT_EQ(of("T[i, j] = X[i, j] * G[j]; S[i] = sum(j, T[i, j]) i=2 j=3"), (Dimensions{{0}, {}, {0}, {0}}));
  EXPECT_EQ(of("Y[c, y] = sum(d, r, X[d, y + r] * W[c, d, r]) c=2 y=3 d=4 r=3"), (Dimensions{{}, {0}, {0, 1}}));
  EXPECT_EQ(of("M[i] = max(j, X[i, j]) i=2 j=3"), (Dimensions{{0, 1}, {0}}));
  EXPECT_EQ(of("s[] = sum(i, X[i]) i=9"), (Dimensions{{}, {}}));
}

bool is_exact(const char* text, double largest) {
  const Workload workload = workload_of(text);
  const Definition definition = workload.op->define(workload);
  const std::vector<double> each(static_cast<std::size_t>(definition.inputs), largest);
  return is_exact_on_integers(definition, each);
}

TEST(WholeMagnitudes, SumsHaveToFitTheirType) {
  EXPECT_TRUE(is_exact("C[i, j] = sum(k, A[i, k] * B[k, j]) i=2 j=3 k=262144", 8));
  EXPECT_FALSE(is_exact("C[i, j] = sum(k, A[i, k] * B[k, j]) i=2 j=3 k=262145", 8));
  EXPECT_TRUE(is_exact("Y[i] = sum(k, X[i, k]); X: float16 i=2 k=256", 8));
  EXPECT_FALSE(is_exact("Y[i] = sum(k, X[i, k]); X: float16 i=2 k=257", 8));
  EXPECT_TRUE(is_exact("Y[i] = sum(k, float32(X[i, k])); X: float16 i=2 k=257", 8));
  EXPECT_TRUE(is_exact("Y[i] = prod(k, X[i, k]) i=2 k=8", 8));
  EXPECT_FALSE(is_exact("Y[i] = prod(k, X[i, k]) i=2 k=9", 8));
}

TEST(WholeMagnitudes, FunctionsThatRoundAreNotExact) {
  for (const char* text :
       {"Y[i] = X[i] * 0.5 i=9", "Y[i] = X[i] / 4 i=9", "Y[i] = exp(X[i]) i=9", "Y[i] = X[i] + inf i=9",
        "Y[i] = select(exp(X[i]) > 2, X[i], 0) i=9", "Y[i] = select(!(X[i] * 0.1 > 0.7), X[i], 0) i=9",
        "T[i] = sqrt(X[i]); Y[i] = floor(T[i]) i=9"}) {
    EXPECT_FALSE(is_exact(text, 8)) << text;
  }
  for (const char* text :
       {"Y[i] = abs(X[i] * 2 - 3) i=9", "Y[i] = fma(X[i], X[i], 1) + float32(i) i=9", "Y[i] = X[i] % 7; X: int32 i=9",
        "Y[i] = max(r, X[i + r - 1]?-inf); X: float32[9] i=9 r=3", "Y[i] = argmax(k, X[i, k]) i=9 k=9",
        "Y[i] = clamp(round(X[i]), -5, 5) i=9", "Y[i] = float32(X[i] & 7); X: int16 i=9"}) {
    EXPECT_TRUE(is_exact(text, 8)) << text;
  }
}

TEST(CheckInputs, LieInTheirRangeAndAreOfTheirType) {
  const CheckData data = make_check_data(workload_of("Y[j,i] = X[i,j]; X: float16 in [0.1, 0.1005] i=30 j=40"));
  const std::vector<double>& x = data.inputs.front();
  EXPECT_EQ(*std::min_element(x.begin(), x.end()), 0.10003662109375) << "the first float16 from 0.1 on";
  EXPECT_EQ(*std::max_element(x.begin(), x.end()), 0.10046386718750) << "the last one before 0.1005";
  EXPECT_EQ(message<UsageError>([] { make_check_data(workload_of("Y[i] = X[i]; X: in [0.1, 0.1] i=9")); }),
            "the range [0.1, 0.1] of 'X' has no number of float32: give a wider one");
}

// Winograd's algorithm has larger intermediate sums, and errors that grow with a whole tile.
TEST(CheckInputs, OfConvolutionsSuitWinograd) {
  const std::string sums = "T[k, p, q] = sum(c, r, s, X[c, p + r - 1, q + s - 1]?0 * W[k, c, r, s]); ",
                    sizes = "; X: float32[64, 9, 9]; W: float32[8, 64, 3, 3] p=9 q=9";
  const CheckData data = make_strict_check_data(workload_of(sums + "Y[k, p, q] = T[k, p, q] + b[k]" + sizes));
  const CheckData other = make_strict_check_data(workload_of(sums + "Y[k, p, q] = T[k, q, p] + b[k]" + sizes));
  const auto largest = [](const std::vector<double>& values) {
    return std::abs(*std::ranges::max_element(values, {}, [](double value) { return std::abs(value); }));
  };
  ASSERT_EQ(data.integer_inputs.size(), 3U);
  ASSERT_EQ(other.integer_inputs.size(), 3U);
  for (const std::size_t factor : {0U, 1U}) {
    EXPECT_LE(64 * 9 * largest(data.integer_inputs[factor]) * largest(data.integer_inputs[factor]), 0x1p14);
    EXPECT_GT(64 * 9 * largest(other.integer_inputs[factor]) * largest(other.integer_inputs[factor]), 0x1p14);
  }
  // Channels of images and filters have scales whose products are 1.
  for (const std::size_t c : {0U, 1U, 63U}) {
    const double of_x = data.wide_inputs[0][c * 81] / data.inputs[0][c * 81];
    const double of_w = data.wide_inputs[1][c * 9] / data.inputs[1][c * 9];
    const double of_first = data.wide_inputs[1][0] * data.wide_inputs[0][0] / (data.inputs[1][0] * data.inputs[0][0]);
    EXPECT_EQ(of_x * of_w, of_first) << "the scale of the first filter";
    EXPECT_TRUE(std::abs(std::log2(of_x)) <= 6) << of_x;
  }
}

TEST(CheckInputs, AreWholeWhereResultsAreExact) {
  const CheckData data = make_strict_check_data(
      workload_of("Y[c, y] = sum(r, X[c, y + r - 1]?0 * W[r]); X: float32[4, 30]; W: float32[3] y=30"));
  ASSERT_EQ(data.integer_inputs.size(), 2u);
  for (const std::vector<double>& input : data.integer_inputs) {
    EXPECT_TRUE(std::all_of(input.begin(), input.end(),
                            [](double value) { return std::trunc(value) == value && std::abs(value) <= 8; }));
  }
  EXPECT_TRUE(make_strict_check_data(workload_of("Y[i] = exp(X[i]) i=9")).integer_inputs.empty());
  EXPECT_TRUE(make_strict_check_data(workload_of("Y[i] = X[i] * 3; X: int8 i=9")).integer_inputs.empty())
      << "exact on any inputs";
  EXPECT_TRUE(make_strict_check_data(workload_of("Y[i] = X[i] + 1; X: in [0.1, 0.9] i=9")).integer_inputs.empty());
}

TEST(CheckInputs, OfAProductAreThoseOfMatmul) {
  const Workload workload = workload_of("C[i, j] = sum(k, B[k, j] * A[i, k]) i=16 j=24 k=8192");
  const CheckData data = make_strict_check_data(workload);
  ASSERT_EQ(data.integer_inputs.size(), 2u);
  EXPECT_EQ(data.integer_inputs[0].size(), 24u * 8192);  // B comes first
  ASSERT_EQ(data.wide_inputs.size(), 2u);
  const Reference reference = workload.op->reference(workload, data.wide_inputs);
  for (std::size_t e = 0; e < reference.expected[0].size(); ++e) {
    ASSERT_NEAR(data.wide_expected[0][e], reference.expected[0][e], 1e-3 * reference.bound[0][e]);
    ASSERT_NEAR(data.wide_bound[0][e], reference.bound[0][e], 1e-6 * reference.bound[0][e]);
  }
}

TEST(CheckInputs, OfLargeMagnitudesAreJudgedByTheTextAsItIsWritten) {
  const Workload workload = workload_of(
      "Y[c, y] = sum(r, select((y + r) % 2 == 0, X[c, (y + r)/2], 0) * W[r]); X: float32[4, 10] c=4 y=16 r=4");
  const CheckData data = make_strict_check_data(workload);
  ASSERT_EQ(data.wide_inputs.size(), 2U);
  const Reference reference = workload.op->reference(workload, data.wide_inputs);
  ASSERT_EQ(data.wide_bound[0].size(), reference.bound[0].size());
  for (std::size_t e = 0; e < reference.bound[0].size(); ++e) {
    ASSERT_NEAR(data.wide_bound[0][e], reference.bound[0][e], 1e-6 * reference.bound[0][e])
        << "sums of phases are shorter";
  }
}

TEST(CheckInputs, OfLargeRangesAreInside) {
  const CheckData data =
      make_strict_check_data(workload_of("Y[i] = select(I[i] > 5, X[i], 0.0) i=64; I: uint64 in [0, 1e19]"));
  ASSERT_EQ(data.integer_inputs.size(), 2U);
  for (const double value : data.integer_inputs.front()) EXPECT_TRUE(value >= 0 && value <= 1e19) << value;
}

TEST(CheckInputs, AreWideWhereResultsStayFinite) {
  const auto spread = [](const char* text) {
    const CheckData data = make_strict_check_data(workload_of(text));
    double most = 0, least = INFINITY;
    for (const double value : data.wide_inputs.empty() ? std::vector<double>{1} : data.wide_inputs[0]) {
      if (value == 0) continue;
      most = std::max(most, std::abs(value));
      least = std::min(least, std::abs(value));
    }
    return most / least;
  };
  EXPECT_GE(spread("Y[i] = tanh(X[i]) i=2000"), 0x1p40);
  EXPECT_GE(spread("Y[i] = X[i] * 2; X: float16 i=2000"), 0x1p10);
  EXPECT_EQ(spread("Y[i] = log(X[i]); X: in [0.1, 2] i=50"), 1) << "the range is the user's";
  EXPECT_EQ(spread("Y[i] = X[i] + 1; X: int32 i=50"), 1);
  const double of_exponential = spread("Y[i] = exp(X[i]) i=2000");
  EXPECT_GE(of_exponential, 0x1p10);
  EXPECT_LE(of_exponential, 0x1p32) << "larger ones overflow";
}

TEST(CheckInputs, AreNotSoWideThatAPartOverflows) {
  const CheckData data = make_strict_check_data(
      workload_of("Y[i] = X[i]*X[i]*X[i]*X[i]*X[i]*X[i]*X[i]*X[i] / (1 + X[i]*X[i]*X[i]*X[i]*X[i]*X[i]*X[i]*X[i]) "
                  "i=1000"));
  ASSERT_FALSE(data.wide_inputs.empty());
  for (const double value : data.wide_inputs[0]) EXPECT_LT(std::abs(value), 0x1p16);
}

}  // namespace
}  // namespace nestwright
