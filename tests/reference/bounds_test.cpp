// The sizes of error bounds: none where nothing is rounded, and small enough to detect a mistake.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/reference/text_with_reference.h"

namespace nestwright {
namespace {

double largest_bound(const std::string& text, double low = -1, double high = 1) {
  const Reference reference = TextWithReference(text, low, high).reference();
  return *std::max_element(reference.bound[0].begin(), reference.bound[0].end());
}

constexpr double kEps = 0x1p-23;

TEST(Bounds, AreZeroWhereNothingIsRounded) {
  for (const char* text :
       {"Y[i, j] = X[j, i] i=30 j=40", "Y[i] = max(X[i], 0) i=100", "Y[i] = max(k, abs(X[i, k])) i=10 k=50",
        "Y[i] = argmax(k, X[i, k]) i=10 k=50", "Y[i] = select(X[i] > 0.5, X[i], -X[i]) i=100",
        "Y[i] = sum(k, int32(X[i, k])); X: int8 i=10 k=50", "Y[i] = float32(X[i]); X: float16 i=100",
        "Y[i] = any(k, X[i, k] > 0) i=10 k=3"}) {
    EXPECT_EQ(largest_bound(text), 0) << text;
  }
}

TEST(Bounds, AreThoseOfTheOperations) {
  EXPECT_NEAR(largest_bound("Y[i] = X[i] * 0.75 i=1000"), 0.75 * kEps, 0.01 * kEps);
  EXPECT_NEAR(largest_bound("Y[i] = X[i] * 0.75; X: float16 i=1000"), 0.75 * 0x1p-10, 0.01 * 0x1p-10);
  EXPECT_LT(largest_bound("Y[i] = X[i] * 0.75; X: float64 i=1000"), 0x1p-52);
  EXPECT_NEAR(largest_bound("Y[i] = (X[i] + 1) * 2 i=1000"), 8 * kEps, 0.1 * kEps);
}

TEST(Bounds, OfAddedReadsCountTheirAdditions) {
  const auto bound_of = [](int terms) {
    std::string text = "Y[i] = X[i]";
    for (int k = 1; k < terms; ++k) text += " + X[i + " + std::to_string(k) + "]";
    return largest_bound(text + " i=10", 1, 1.001);
  };
  // The sum of all partial sums, whether they are written out (few terms) or bounded by their terms.
  for (const double terms : {2, 16, 17, 150}) {
    const double partial_sums = (terms * (terms + 1) / 2 - 1) * kEps;
    EXPECT_NEAR(bound_of(static_cast<int>(terms)) / partial_sums, 1, terms > 16 ? 0.01 : 0.002) << terms;
  }
}

TEST(Bounds, OfNestedSumsAreMadeInTimeLinearInTheirDepth) {
  std::string polynomial = "X[i]";
  for (int k = 0; k < 24; ++k) polynomial = "(" + polynomial + ") * 0.5 + 0.25";
  EXPECT_LT(largest_bound("Y[i] = " + polynomial + " i=10"), 10 * kEps);
}

/// The largest bound of `innermost` between the two texts, `levels` times, for data slightly above 0.
double bound_of_nested(int levels, const std::string& before, const std::string& after) {
  std::string text = "exp(X[i])";
  for (int k = 0; k < levels; ++k) text = before + text + after;
  return largest_bound("Y[i] = " + text + " i=10", 0, 0.001);
}

TEST(Bounds, OfNestedProductsCountEachFactorOnce) {
  // 40 functions with an error of 4 units, and 39 roundings.
  EXPECT_NEAR(bound_of_nested(39, "", " * exp(X[i])") / kEps, 199, 10);
  EXPECT_NEAR(bound_of_nested(39, "exp(X[i]) * (", ")") / kEps, 199, 10);
}

TEST(Bounds, OfNestedOperationsStayShortInEachOperand) {
  EXPECT_LT(bound_of_nested(24, "1 / (1 + ", ")"), 10 * kEps);
  EXPECT_LT(bound_of_nested(24, "", " / exp(X[i])"), 200 * kEps);
  EXPECT_LT(bound_of_nested(24, "fma(", ", X[i] * 0.3, 0.25)"), 10 * kEps);
  EXPECT_LT(bound_of_nested(24, "fma(X[i] * 0.3, ", ", 0.25)"), 10 * kEps);
  EXPECT_LT(bound_of_nested(24, "select(X[i] * 3.3 > 0.5, X[i] * 0.25, ", ")"), 10 * kEps);
  EXPECT_LT(bound_of_nested(24, "select(X[i] * 3.3 < 0.5, ", ", X[i] * 0.25)"), 10 * kEps);
  EXPECT_LT(bound_of_nested(24, "select(", " > 0.5, X[i] * 0.25, X[i] * 0.75)"), 10 * kEps);
}

TEST(Bounds, OfSumsGrowWithTheRootOfTheirTerms) {
  const double few = largest_bound("Y[i] = sum(k, X[i, k]) i=20 k=256");
  const double many = largest_bound("Y[i] = sum(k, X[i, k]) i=20 k=4096");
  // The root of the number of terms twice: of the roundings, and of the partial sums.
  EXPECT_GT(many, 8 * few);
  EXPECT_LT(many, 32 * few);
  EXPECT_LT(many, 0.1);  // less than most terms
}

TEST(Bounds, OfAnArgmaxIsTheDistanceToRivals) {
  const TextWithReference judged("Y[i] = argmax(k, X[i, k] * 1.25) i=100 k=50");
  const Reference reference = judged.reference();
  const auto exact = std::count(reference.bound[0].begin(), reference.bound[0].end(), 0.0);
  EXPECT_GE(exact, 98);
  TextWithReference tied = judged;
  for (double& value : tied.inputs[0]) value = 0.3;
  EXPECT_EQ(tied.reference().bound[0][0], 49) << "any of them may be the largest";
  EXPECT_EQ(tied.reference().expected[0][0], 0);
}

TEST(Bounds, AreZeroWhereWholeStepsHideTheRounding) {
  for (const char* text :
       {"Y[i] = floor(X[i] * 3.7) i=500", "Y[i, b] = select(int32(floor(X[i] * 3.7)) == int32(b), 1.0, 0.0) i=500 b=3",
        "Y[i] = bool(int32(X[i] * 3.7)) i=500", "Y[i] = argmax(k, floor(X[i, k] * 3.7)) i=20 k=25",
        "Y[i] = int32(X[i] * 3.7) % 4 + (int32(X[i] * 3.7) & 3) i=500"}) {
    EXPECT_EQ(largest_bound(text), 0) << text;
  }
}

TEST(Bounds, OfAnArgmaxOfWholeStepsCountTheRivalsBefore) {
  // 1.2 * 2.5 may be just below 3. Then the value is 2, as that of 0.9 * 2.5, and the first of both is the result.
  const auto bound_of = [](std::initializer_list<float> values) {
    TextWithReference judged("Y[i] = argmax(k, floor(X[i, k] * 2.5)) i=1 k=4");
    judged.inputs[0].assign(values.begin(), values.end());
    return judged.reference().bound[0][0];
  };
  EXPECT_EQ(bound_of({0.9F, 0.5F, 1.2F, 0.9F}), 2);
  EXPECT_EQ(bound_of({0.5F, 1.2F, 0.9F, 0.9F}), 0);
}

}  // namespace
}  // namespace nestwright
