// Kernels that compute something slightly else than the text says are caught by the inputs that check them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "nestwright/error.h"
#include "tests/support/message.h"
#include "tests/text_operator/wrong_on.h"

namespace nestwright {
namespace {

struct Fault {
  const char* name;
  const char* right;  ///< without declarations and sizes
  const char* wrong;
  const char* rest;      ///< declarations and sizes of both
  const char* shown_by;  ///< the sets of inputs that show it
};

const Fault kFaults[] = {
    {"AStepIsMissing", "Y[i] = sum(j, X[i, j] * W[i, j])",
     "Y[i] = sum(j, X[i, j] * W[i, j] * select(j == 299, 0, 1.0))", "i=20 j=300", "uniform whole wide"},
    {"AStepOfManyInHalfPrecision", "Y[i] = sum(j, X[i, j])", "Y[i] = sum(j, select(j < 1990, X[i, j], 0))",
     "X: float16 i=20 j=2000", "whole"},
    {"TheBorderIsOne", "Y[c, y] = sum(r, X[c, y + r - 1]?0 * W[r])", "Y[c, y] = sum(r, X[c, y + r - 1]?1 * W[r])",
     "X: float32[9, 30]; W: float32[3] y=30", "uniform whole wide"},
    {"SmallResultsAreFlushed", "Y[i, j] = X[i, j] * 3", "Y[i, j] = select(abs(X[i, j]) > 1e-5, X[i, j] * 3, 0)",
     "i=30 j=40", "wide"},
    {"LargeOnesAreClamped", "Y[i, j] = max(X[i, j] * 0.25, B[j])", "Y[i, j] = clamp(max(X[i, j] * 0.25, B[j]), -9, 9)",
     "i=30 j=40", "wide"},
    {"TheMaximumIsForgotten",
     "M[i] = max(j, X[i, j]); E[i, j] = exp(X[i, j] - M[i]); S[i] = sum(j, E[i, j]); Y[i, j] = E[i, j] / S[i]",
     "E[i, j] = exp(X[i, j]); S[i] = sum(j, E[i, j]); Y[i, j] = E[i, j] / S[i]", "i=30 j=40", "wide"},
    {"AnotherEpsilon", "S[i] = sum(j, X[i, j]*X[i, j]); Y[i, j] = X[i, j] * rsqrt(S[i]/40 + 1e-5)",
     "S[i] = sum(j, X[i, j]*X[i, j]); Y[i, j] = X[i, j] * rsqrt(S[i]/40 + 1e-9)", "i=30 j=40", "uniform wide"},
    {"OneOfTwoOutputs", "P[i] = X[i] + 1; Q[i] = X[i] - 1", "P[i] = X[i] + 1; Q[i] = X[i] - 1.001", "i=50",
     "uniform whole wide"},
    {"TheLastOfEqualOnes", "Y[i] = argmax(j, X[i, j])", "B[i] = argmax(j, X[i, 39 - j]); Y[i] = 39 - B[i]", "i=50 j=40",
     "whole"},
    {"AnIndexIsShifted", "Y[i] = T[I[i]]", "Y[i] = T[max(I[i] - 1, 0)]", "I: int32 in [0, 99]; T: float32[100] i=50",
     "uniform whole"},
    {"ATypeIsNarrower", "Y[i] = sum(j, int32(A[i, j]))", "Y[i] = sum(j, int32(A[i, j] * 4 / 4))",
     "A: int16 in [0, 30000] i=5 j=40", "uniform"},
    {"AOneHotIsZero", "Y[i, b] = select(int32(floor(X[i]*3.7)) == int32(b), 1.0, 0.0)",
     "Y[i, b] = select(int32(floor(X[i]*3.7)) == int32(b) + 9, 1.0, 0.0)", "X: in [0, 1] i=1000 b=4", "uniform"},
    {"AHistogramIsZero", "H[b] = sum(i, select(int32(floor(X[i]*3.7)) == int32(b), 1, 0))",
     "H[b] = sum(i, select(int32(floor(X[i]*3.7)) == int32(b) + 9, 1, 0))", "X: in [0, 1] i=1000 b=4", "uniform"},
    {"NoneIsInAnOddStep", "Y[i] = select(int32(floor(X[i]*3.7)) % 2 == 1, 1.0, 0.0)",
     "Y[i] = select(int32(floor(X[i]*3.7)) % 2 == 3, 1.0, 0.0)", "X: in [0, 1] i=1000", "uniform"},
    {"TheLastOfEqualSteps", "Y[i] = argmax(j, floor(X[i, j]*3.7))",
     "B[i] = argmax(j, floor(X[i, 39 - j]*3.7)); Y[i] = 39 - B[i]", "X: in [0, 1] i=50 j=40", "uniform"},
};

class PlantedFault : public ::testing::TestWithParam<Fault> {};

TEST_P(PlantedFault, IsCaught) {
  const Fault& fault = GetParam();
  const auto whole_text = [&](const char* statements) { return std::string(statements) + "; " + fault.rest; };
  const CheckData data = make_strict_check_data(workload_of(whole_text(fault.right)));
  EXPECT_EQ(wrong_on(data, whole_text(fault.right)), "");
  EXPECT_EQ(wrong_on(data, whole_text(fault.wrong)), fault.shown_by);
}

INSTANTIATE_TEST_SUITE_P(Texts, PlantedFault, ::testing::ValuesIn(kFaults),
                         [](const auto& fault) { return std::string(fault.param.name); });

TEST(PlantedFault, IsCaughtWhereOnlySamplesAreJudged) {
  const std::string rest = "; D: float32[8, 16, 40, 40]; X: float32[8, 16, 40, 40] r=3 s=3";
  const auto gradient = [&](const std::string& read, const std::string& factor) {
    return "G[o, c, r, s] = sum(n, y, x, D[n, o, y, x] * X[n, c, " + read + "]?0" + factor + ")" + rest;
  };
  const std::string right = gradient("y + r - 1, x + s - 1", "");
  const CheckData data = make_strict_check_data(workload_of(right), {.seconds = 0});
  const auto judged =
      std::count_if(data.bound[0].begin(), data.bound[0].end(), [](double bound) { return std::isfinite(bound); });
  EXPECT_GE(judged, 16);
  EXPECT_LT(judged, static_cast<std::ptrdiff_t>(data.bound[0].size()));
  EXPECT_EQ(wrong_on(data, right), "");
  EXPECT_EQ(wrong_on(data, gradient("y + r, x + s - 1", "")), "uniform whole wide") << "shifted";
  EXPECT_EQ(wrong_on(data, gradient("y + r - 1, x + s - 1", " * select(n == 7, 0, 1.0)")), "uniform whole wide");
  EXPECT_EQ(wrong_on(data, gradient("y + r - 1, x + s - 1", " * select(c == 15 && r == 2 && s == 2, 0, 1.0)")),
            "uniform whole wide")
      << "the last tile";
}

TEST(PlantedFault, IsAnotherNeighbour) {
  const auto text = [](const std::string& of_some) {
    return "Y[i] = T[clamp(int64(select(i % 50 == 7, " + of_some +
           "(X[i]*255.0), floor(X[i]*255.0))),0,255)]; X: in [0, 1]; T: float32[256] i=5000";
  };
  const CheckData data = make_strict_check_data(workload_of(text("floor")));
  EXPECT_EQ(wrong_on(data, text("floor")), "");
  EXPECT_EQ(wrong_on(data, text("round")), "uniform");
}

TEST(PlantedFault, NotANumberIsNoResult) {
  EXPECT_EQ(wrong_on(make_check_data(workload_of("Y[i] = X[i] + 0 i=50")), "Y[i] = log(X[i] - 2) i=50"), "uniform");
  EXPECT_THAT(message<UsageError>([] { make_check_data(workload_of("Y[i] = log(X[i] - 2) i=50")); }),
              ::testing::StartsWith("'Y' is not a number in 50 of 50 elements"));
}

}  // namespace
}  // namespace nestwright
