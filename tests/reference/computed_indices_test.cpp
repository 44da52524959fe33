// Reads whose indices are computed numbers: exact where no error can change the index, else without a bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nestwright/error.h"
#include "tests/reference/text_with_reference.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

/// The elements of output 0 without a finite bound.
std::int64_t unbounded(const Reference& reference) {
  return std::count_if(reference.bound[0].begin(), reference.bound[0].end(),
                       [](double bound) { return std::isinf(bound); });
}

/// A text, and the same with another neighbour in one of fifty elements.
struct Neighbours {
  const char* name;
  std::string text, wrong;
  double low = 0, high = 1;
};

std::vector<Neighbours> neighbours() {
  const auto of = [](const char* name, const std::string& before, const std::string& coordinate,
                     const std::string& after, double low = 0, double high = 1) {
    const auto with = [&](const std::string& function) { return before + function + "(" + coordinate + ")" + after; };
    const std::string some = "select(i % 50 == 7, round(" + coordinate + "), floor(" + coordinate + "))";
    return Neighbours{name, with("floor"), before + some + after, low, high};
  };
  return {
      of("ATable", "Y[i] = T[clamp(int64(", "X[i]*255.0", "),0,255)]; T: float32[256] i=5000"),
      of("AResizedRow", "Y[i] = X[clamp(int64(", "float32(i)*0.6666667", "),0,199)]; X: float32[200] i=300"),
      of("AResizedRowByItsTable", "P[i] = int64(", "(float32(i) + 0.5)*0.3 - 0.5",
         "); Y[i] = X[clamp(P[i],0,199)]; X: float32[200] i=660"),
      of("AGrid", "Y[i, c] = X[c, clamp(int64(", "(G[i]+1)*16-0.5", "), 0, 31)]; X: float32[7, 32] i=2000", -1, 1),
      of("APaddedRow", "Y[i] = X[int64(", "G[i]*40-4", ")]?0; X: float32[32] i=3000"),
      of("ARegion", "Y[i, c] = max(p, X[c, clamp(int64(", "R[i]*0.25*97",
         ") + p, 0, 99)]); X: float32[3, 100] i=600 p=4"),
      of("ASum", "Y[i] = sum(p, X[clamp(int64(", "R[i]*60", ") + p, 0, 63)] * W[p]); X: float32[64] i=3000 p=3"),
  };
}

class ComputedIndices : public ::testing::TestWithParam<Neighbours> {};

TEST_P(ComputedIndices, AreJudgedButNearWholeNumbers) {
  const TextWithReference judged(GetParam().text, GetParam().low, GetParam().high);
  const Reference reference = judged.reference();
  EXPECT_EQ(wrong_elements(judged.compute()[0], reference), 0U);
  EXPECT_LE(100 * unbounded(reference), static_cast<std::int64_t>(reference.bound[0].size()));
  TextWithReference faulty(GetParam().wrong, GetParam().low, GetParam().high);
  faulty.inputs = judged.inputs;
  const auto elements = reference.bound[0].size();
  EXPECT_GE(wrong_elements(faulty.compute()[0], reference), elements / 500)
      << "a quarter of one in fifty, as maxima hide some";
}

INSTANTIATE_TEST_SUITE_P(Texts, ComputedIndices, ::testing::ValuesIn(neighbours()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ComputedIndicesOfNoData, HaveTheValueOfTheirType) {
  const TextWithReference judged("Y[i] = X[clamp(int64(floor(float32(i)*0.6666667)),0,199)]; X: float32[200] i=300");
  const Reference reference = judged.reference();
  for (std::size_t i = 0; i < 300; ++i) {
    const float coordinate = static_cast<float>(i) * 0.6666667F;
    const auto at = std::min<std::size_t>(static_cast<std::size_t>(std::floor(coordinate)), 199);
    EXPECT_EQ(reference.expected[0][i], judged.inputs[0][at]) << i;
    EXPECT_EQ(reference.bound[0][i], 0) << i;
  }
}

TEST(ComputedIndicesOfNoData, HaveTwoValuesWhereAProductIsAdded) {
  // 3 * (1/3) - 1 is 0 with a rounded product, and positive or negative with a fused one.
  const TextWithReference judged(
      "Y[i] = X[clamp(int64(floor(float32(i)*0.33333334 - 1.0)), 0, 9)]; X: float32[10] i=30");
  EXPECT_THAT(message<UsageError>([&] { judged.reference(); }), ::testing::StartsWith("'Y' has no error bound in "));
}

TEST(ComputedIndices, OfCodeWordsAreUnboundedWhereScoresAreClose) {
  const std::string scores = "S[i, c] = sum(d, X[i, d] * C[c, d]); K[i] = argmax(c, S[i, c]); ";
  const std::string sizes = " i=400 c=16 d=8";
  const TextWithReference judged(scores + "Y[i, d] = C[K[i], d]" + sizes);
  const Reference reference = judged.reference();
  EXPECT_EQ(wrong_elements(judged.compute()[0], reference), 0U);
  EXPECT_LE(unbounded(reference), 32);
  TextWithReference second(scores + "Y[i, d] = C[select(i % 50 == 7, (K[i] + 1) % 16, K[i]), d]" + sizes);
  second.inputs = judged.inputs;
  EXPECT_GE(wrong_elements(second.compute()[0], reference), 56U) << "eight rows of eight";
}

TEST(ComputedIndices, OfBilinearSamplesAreJudged) {
  const auto sampled = [](const std::string& function) {
    const std::string low = function + "((G[i]+1)*16-0.5)";
    return "Y[i] = (1 - ((G[i]+1)*16-0.5 - " + low + ")) * X[clamp(int64(" + low + "), 0, 31)] + ((G[i]+1)*16-0.5 - " +
           low + ") * X[clamp(int64(" + low + ") + 1, 0, 31)]; X: float32[32] i=3000";
  };
  const TextWithReference judged(sampled("floor"));
  const Reference reference = judged.reference();
  EXPECT_EQ(wrong_elements(judged.compute()[0], reference), 0U);
  EXPECT_LE(unbounded(reference), 30);
  TextWithReference faulty(sampled("round"));
  faulty.inputs = judged.inputs;
  EXPECT_GE(wrong_elements(faulty.compute()[0], reference), 1000U);
}

TEST(ComputedIndices, OfMostElementsNearWholeNumbersAreRefused) {
  EXPECT_THAT(message<UsageError>([] {
                TextWithReference("Y[i] = T[clamp(int64(floor(X[i]*1000000000.0)) % 256,0,255)]; T: float32[256] i=500",
                                  0, 1)
                    .reference();
              }),
              ::testing::StartsWith("'Y' has no error bound in "));
}

}  // namespace
}  // namespace nestwright
