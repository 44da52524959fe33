// The unscheduled expression, in its own types, is within the bounds of its reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "tests/reference/text_with_reference.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

class Judged : public ::testing::TestWithParam<const char*> {};

TEST_P(Judged, ComputedResultsAreWithinTheBounds) {
  const TextWithReference judged(GetParam());
  const Reference reference = judged.reference();
  const auto results = judged.compute();
  ASSERT_EQ(reference.expected.size(), results.size());
  ASSERT_EQ(reference.expected[0].size(), results[0].size());
  EXPECT_EQ(wrong_elements(results[0], reference), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, Judged,
    ::testing::Values(
        "C[i, j] = sum(k, A[i, k] * B[k, j]) i=33 j=40 k=130",
        "C[i, j] = sum(k, A[i, k] * B[k, j]); A: float16; B: float16 i=33 j=40 k=130",
        "C[i, j] = sum(k, A[i, k] * B[k, j]); A: float64; B: float64 i=17 j=19 k=130",
        "C[i, j] = sum(k, float32(A[i, k]) * float32(B[k, j])); A: bfloat16; B: bfloat16 i=17 j=19 k=130",
        "C[i, j] = sum(k, int32(A[i, k]) * int32(B[k, j])); A: int8; B: int8 i=17 j=19 k=30",
        "Y[n, c, y, x] = sum(d, r, s, X[n, d, 2*y + r - 1, 2*x + s - 1]?0 * W[c, d, r, s]);"
        "X: float32[1, 5, 14, 14]; W: float32[6, 5, 3, 3] y=7 x=7",
        "M[i] = max(j, X[i, j]); E[i, j] = exp(X[i, j] - M[i]); S[i] = sum(j, E[i, j]); Y[i, j] = E[i, j] / S[i] "
        "i=40 j=50",
        "S[i] = sum(j, X[i, j]); V[i] = sum(j, (X[i, j] - S[i]/50) * (X[i, j] - S[i]/50));"
        "Y[i, j] = (X[i, j] - S[i]/50) * rsqrt(V[i]/50 + 0.00001) i=40 j=50",
        "Y[i] = prod(k, X[i, k] + 1.5) i=50 k=20", "Y[i] = min(k, abs(X[i, k]) * 3) i=50 k=20",
        "Y[i] = argmax(k, X[i, k]) i=50 k=20", "Y[i] = argmax(k, X[i, k] * W[k]) i=50 k=20",
        "Y[i] = argmax(k, int32(X[i, k] * 30)) i=50 k=20", "Y[i] = prod(k, int32(X[i, k] * 3.0)); X: float16 i=100 k=8",
        "Y[i] = sum(k, X[i, k]?0 * W[k]); X: float32[40, 5] i=40 k=8", "Y[i] = X[i] * float64(0.1); X: float64 i=2000",
        "Y[i] = X[i + 7%2] * 1.5 i=2000", "Y[i] = any(k, X[i, k] > 0.9) i=50 k=20",
        "Y[i] = all(k, X[i, k] * X[i, k] < 0.9) i=50 k=20",
        "T[i, k] = X[i, k] * X[i, k] > 0.5; A[i] = any(k, T[i, k]); Y[i, k] = select(T[i, k] && A[i], X[i, k], 0) i=50 "
        "k=20",
        "Y[i] = select(X[i] * X[i] > 0.25, X[i] / 3, -X[i]) i=2000",
        "Y[i] = sigmoid(tanh(X[i]) * 2) + erf(X[i] - 0.5) i=2000", "Y[i] = floor(X[i] * 10) / 4 i=2000",
        "Y[i] = sqrt(X[i] * X[i] + 1) + pow(2.5, X[i]) + log2(X[i] + 2) i=2000", "Y[i] = float16(X[i] * 3) i=2000",
        "Y[i] = int32(X[i] * 1000) + 5 i=2000", "Y[i] = int32(X[i] * 1000) / 2 i=20000",
        "Y[i] = round_tf32(X[i]) * scale(X[i], 3) + fma(X[i], X[i], 1) i=2000",
        "Y[i] = X[i] % 7 + X[i] / 3; X: int32 i=2000", "Y[i, j] = T[clamp(I[i], 0, 9), j]; I: int32 i=30 j=4",
        "Y[] = sum(i, X[i]) i=3000", "Y[i] = float32(i) * 0.5 i=2000",
        "Y[i] = clamp(round(X[i] * 100), -50, 50) + ceil(X[i]) i=2000",
        "Y[i] = sum(k, X[i, k] * X[i, k]); X: float64 i=3 k=30000", "Y[] = sum(i, j, k, X[i, j, k]) i=20 j=30 k=40"));

TEST(ComputeReference, RefusesResultsWithoutAValue) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      TextWithReference(text).reference();
    } catch (const UsageError& e) {
      return e.what();
    }
    return "not refused";
  };
  EXPECT_THAT(refusal("Y[i] = log(X[i] - 2) i=50"),
              ::testing::StartsWith("'Y' is not a number in 50 of 50 elements for data in [-1, 1] or in the ranges "
                                    "given: give the range of each input"));
  EXPECT_THAT(refusal("Y[i] = exp(X[i] + 50); X: float16 i=50"),
              ::testing::StartsWith("'Y' is too large for float16 in 50 of 50 elements"));
  EXPECT_THAT(refusal("Y[i] = log(X[i] * X[i] - X[i] * X[i]) i=50"),
              ::testing::HasSubstr("'Y' is infinite in 50 of 50"));
  EXPECT_THAT(refusal("Y[i] = log(X[i] * X[i] - X[i] * X[i] + 1e-12) i=50"),
              ::testing::HasSubstr("'Y' has no error bound in "));
  EXPECT_THAT(refusal("Y[i] = select(X[i] > 0.9, float32(int32(X[i] * 1000000000.5) % 7), X[i]) i=5000"),
              ::testing::HasSubstr("'Y' has no error bound in "))
      << "one in twenty";
}

TEST(ComputeReference, RefusesTensorsBetweenThatAreTooLarge) {
  const auto compute = [](const std::string& text, double range) {
    TextWithReference(text, -range, range).reference();
  };
  const std::string normalized = "S[i] = sum(k, X[i, k] * X[i, k]); Y[i, k] = X[i, k] * rsqrt(S[i]); X: float16 i=8 ";
  EXPECT_THAT(message<UsageError>([&] { compute(normalized + "k=1024", 20); }),
              ::testing::StartsWith("'S' is too large for float16 in 8 of 8 elements for data in [-1, 1] or in the "
                                    "ranges given: give the range of each input"));
  compute(normalized + "k=100", 20);
  compute("E[i] = exp(-X[i]); Y[i] = 1 / (1 + E[i]) i=500", 200);  // infinity does as well
}

TEST(ComputeReference, RefusesReductionsWhoseOrderDecides) {
  const auto refusal = [](const std::string& text) {
    return message<UsageError>([&] { TextWithReference(text).reference(); });
  };
  for (const char* const reduction : {"max", "min", "argmax"}) {
    EXPECT_THAT(refusal("Y[i] = " + std::string(reduction) + "(k, log(X[i, k])) i=20 k=30"),
                ::testing::HasSubstr("least or largest of terms that are not all numbers in "))
        << reduction;
    TextWithReference("Y[i] = " + std::string(reduction) + "(k, log(abs(X[i, k]) + 0.5)) i=20 k=30").reference();
  }
  EXPECT_THAT(refusal("T[i, k] = sqrt(X[i, k]); Y[i] = max(k, T[i, k]) i=20 k=30"),
              ::testing::StartsWith("'Y' is the least or largest"))
      << "of another tensor";
}

TEST(ComputeReference, RefusesIntegersThatADoubleDoesNotHold) {
  EXPECT_THAT(message<UsageError>([] {
                TextWithReference("T[i] = A[i] * 6364136223846793005; C[i] = T[i] & 7; A: int64 i=100").reference();
              }),
              ::testing::AllOf(::testing::StartsWith("'T' is "),
                               ::testing::HasSubstr("results of 2^53 and more cannot be checked")));
  TextWithReference("T[i] = A[i] * 1103515245; C[i] = T[i] & 7; A: int64 i=100").reference();
}

TEST(ComputeReference, RefusesReferencesThatWouldTakeDays) {
  EXPECT_EQ(message<UsageError>(
                [] { TextWithReference("Y[i] = sum(j, k, X[i]) i=1 j=2147483647 k=2147483647").reference(); }),
            "the reference would take 4.6e+18 steps, more than 1e+13: give smaller sizes");
}

TEST(ComputeReference, RefusesReductionsThatStartFromAValue) {
  const Tensor x = placeholder({9}, kFloat32, "X");
  const IterVar k = reduce_axis(9, "k");
  const Tensor y = compute({}, [&] { return sum(x(k), k, {.init = 0.5}); }, "Y");
  EXPECT_THAT(message<UsageError>([&] { compute_reference({{x, y}, 1}, {std::vector<double>(9, 0.25)}); }),
              ::testing::StartsWith("the reduction of 'Y' starts from a value of its own"));
}

TEST(ComputeReference, HasAllOutputs) {
  const TextWithReference judged("T[i] = A[i] * B[i]; P[i] = T[i] + 2; Q[i] = T[i] - A[i] i=1500");
  const Reference reference = judged.reference();
  ASSERT_EQ(reference.expected.size(), 2u);
  EXPECT_DOUBLE_EQ(reference.expected[0][7], judged.inputs[0][7] * judged.inputs[1][7] + 2);
  EXPECT_DOUBLE_EQ(reference.expected[1][7], judged.inputs[0][7] * judged.inputs[1][7] - judged.inputs[0][7]);
}

}  // namespace
}  // namespace nestwright
