#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "text/expression.h"

namespace nestwright::text {
namespace {

std::vector<std::int64_t> shape_of(const std::string& text, const std::string& tensor) {
  return Expression::parse(text).program().find_tensor(tensor)->shape;
}

using Shape = std::vector<std::int64_t>;

TEST(Extents, OfInputsFollowFromTheirIndices) {
  EXPECT_EQ(shape_of("Y[y, x] = X[2*y + 1, x + 3] y=5 x=7", "X"), (Shape{10, 10}));
  EXPECT_EQ(shape_of("Y[i] = X[i/4, i%4] i=30", "X"), (Shape{8, 4}));
  EXPECT_EQ(shape_of("Y[i] = X[9 - i] i=10", "X"), (Shape{10}));
  EXPECT_EQ(shape_of("Y[i] = X[i] + X[i + 2] i=10", "X"), (Shape{12}));
  EXPECT_EQ(shape_of("Y[i] = X[min(i, 3), max(i, 2), clamp(i, 0, 4)] i=10", "X"), (Shape{4, 10, 5}));
  EXPECT_EQ(shape_of("Y[i, j] = T[I[i], j] i=10 j=4; I: int32 in [0, 99]", "T"), (Shape{100, 4}));
  EXPECT_EQ(shape_of("Y[i] = X[i & 7, i >> 2, i << 1] i=10", "X"), (Shape{8, 3, 19}));
  EXPECT_EQ(shape_of("Y[i] = T[int64(I[i]) + 200] i=10; I: int8 in [0, 99]", "T"), (Shape{300}));
  EXPECT_EQ(shape_of("Y[i] = T[I[i] & 15] i=10; I: int32", "T"), (Shape{16}));
  EXPECT_EQ(shape_of("Y[i] = a[] * X[i] i=3", "a"), Shape{});
  EXPECT_EQ(shape_of("Y[i] = select(i >= 2, X[i - 2], 0) i=10", "X"), (Shape{8}));
}

TEST(Extents, OfIndicesFollowFromShapes) {
  const std::string convolution =
      "Y[n, c, y, x] = sum(d, r, s, X[n, d, 2*y + r, 2*x + s] * W[c, d, r, s]);"
      "X: float32[1, 4, 9, 11]; W: float32[8, 4, 3, 3]";
  EXPECT_EQ(shape_of(convolution, "Y"), (Shape{1, 8, 4, 5}));
  EXPECT_EQ(shape_of("Y[i] = X[i << 1]; X: float32[9]", "Y"), (Shape{5}));
  EXPECT_EQ(shape_of("T[i] = A[i] * 2; C[a] = T[a] + B[a] i=6", "C"), (Shape{6}));
  EXPECT_EQ(shape_of("T[i] = A[i] * 2; C[a] = A[a] + 1 i=6", "C"), (Shape{6}));
}

TEST(Extents, OfAnIndexAreTheLargestForWhichAllReadsAreInside) {
  const std::string shapes = "; A: float32[10]; B: float32[10]";
  EXPECT_EQ(shape_of("Y[i] = A[i] + B[i + 1]" + shapes, "Y"), (Shape{9}));
  EXPECT_EQ(shape_of("Y[i] = B[i + 1] + A[i]" + shapes, "Y"), (Shape{9}));
  EXPECT_EQ(shape_of("Y[i] = A[i] + A[i + 2] + A[2*i]" + shapes.substr(0, 16), "Y"), (Shape{5}));
}

TEST(Extents, OfAPartOfATensorAreTheSizesThatAreGiven) {
  const std::string attention = "O[b,h,d] = sum(t, P[b,h,t] * V[b,t,h,d]) t=37 b=2 h=3 d=8; V: float32[2, 100, 3, 8]";
  EXPECT_EQ(shape_of(attention, "P"), (Shape{2, 3, 37}));
  EXPECT_EQ(shape_of(attention, "V"), (Shape{2, 100, 3, 8}));
  EXPECT_EQ(shape_of(attention + "; P: float32[2, 3, 64]", "O"), (Shape{2, 3, 8}));
  EXPECT_EQ(shape_of("Y[i] = sum(r, X[i + r] * W[r]); X: float32[50]; W: float32[9] i=10 r=3", "Y"), (Shape{10}));
  EXPECT_EQ(shape_of("S[] = sum(k, A[k] * B[k] * C[k]); B: float32[9]; C: float32[20] k=5", "A"), (Shape{5}));
}

TEST(Extents, AReductionInsideARightSideSharesTheIndicesAround) {
  const std::string text = "Y[i] = sum(r, X[i + r] * W[r]) + b[i]; b: float32[10]; W: float32[3]";
  EXPECT_EQ(shape_of(text, "Y_sum"), (Shape{10}));
  EXPECT_EQ(shape_of(text, "X"), (Shape{12}));
  EXPECT_EQ(shape_of("Y[i] = sum(j, A[i, j]) + b[i]; A: float32[20, 4]; b: float32[10]", "Y_sum"), (Shape{10}));
  EXPECT_EQ(shape_of("Y[i] = sum(j, A[i, j]) + b[i]; A: float32[10, 4]; b: float32[20]", "Y"), (Shape{10}));
  const std::string nested = "Y[i] = sum(j, A[i, j] * sum(k, B[j, k])) + 1; A: float32[5, 6]; B: float32[7, 8]";
  EXPECT_EQ(shape_of(nested, "Y_sum"), (Shape{6})) << "j is an index of the sum around";
  EXPECT_EQ(shape_of(nested, "Y_sum2"), (Shape{5}));
}

TEST(Extents, AQuotientOfFloatsIsNotRoundedDown) {
  const std::string x = "; X: float32 in [0, 9] i=8";
  EXPECT_EQ(shape_of("Y[i] = T[int64(clamp(X[i], 0, 9) / 2 * 2)]" + x, "T"), (Shape{11}));
  EXPECT_EQ(shape_of("Y[i] = T[int64(clamp(X[i], 0, 9)) / 2 * 2]" + x, "T"), (Shape{9}));
}

TEST(Extents, OfRealNumbersAreTheWholeOnesAround) {
  const std::string x = "; X: float32 in [0, 9] i=8";
  EXPECT_EQ(shape_of("Y[i] = T[int64(clamp(X[i], 0.0, 9.0))]" + x, "T"), (Shape{10}));
  EXPECT_EQ(shape_of("Y[i] = T[int64(clamp(X[i], 0.5, 8.5))]" + x, "T"), (Shape{10}));
  for (const char* function : {"floor", "ceil", "round", "trunc"}) {
    EXPECT_EQ(shape_of("Y[i] = T[int64(" + std::string(function) + "(clamp(X[i], 0, 9)))]" + x, "T"), (Shape{10}));
  }
  EXPECT_EQ(shape_of("Y[i] = X[i] + T[int64(max(0.5, 0) * clamp(X[i], 0, 9) / 2 + max(2.5, 2) / 2)]" + x, "T"),
            (Shape{8}));
}

TEST(Extents, OfTensorsThatAnArgmaxIndexes) {
  EXPECT_EQ(shape_of("M[i] = argmax(k, X[i, k]); Y[i] = T[M[i] + 1] i=4 k=5", "T"), (Shape{6}));
  EXPECT_EQ(shape_of("M[i] = argmax(k, X[i, k]); Y[i] = X[i, M[i]] i=4 k=5", "X"), (Shape{4, 5}));
}

TEST(Extents, OfAnIndexThatReadsSeveralInputsAreTheLeast) {
  const std::string known = "D[i] = A[i] + 1; E[j] = B[j] + 1; ";
  for (const char* body : {"A[a] + B[a]", "B[a] + A[a]"}) {
    const std::string text = known + "C[a] = " + body + " i=8 j=4";
    EXPECT_EQ(shape_of(text, "C"), (Shape{4})) << text;
    EXPECT_EQ(shape_of(text, "A"), (Shape{8})) << text;
    EXPECT_EQ(shape_of(text, "B"), (Shape{4})) << text;
  }
  for (const char* body : {"A[a] + select(a < 4, B[a], 0)", "select(a < 4, B[a], 0) + A[a]"}) {
    EXPECT_EQ(shape_of(known + "C[a] = " + body + " i=8 j=4", "C"), (Shape{8})) << body;
  }
}

TEST(Extents, OfLaterIndicesFollowFromShapesFirst) {
  const std::string known = "D[i] = A[i] + 1; E[j] = B[j] + 1; ";
  EXPECT_EQ(shape_of(known + "T[a] = A[a] * 2; U[b] = B[b] + T[b] i=4 j=8", "U"), (Shape{4}));
  for (const char* body : {"A[a] + B[b] + T[a + b]", "B[b] + A[a] + T[a + b]"}) {
    EXPECT_EQ(shape_of(known + "C[a, b] = " + body + "; T: float32[10] i=8 j=8", "C"), (Shape{8, 3})) << body;
  }
}

/// The time to parse statements of which every second one takes its extent from the reads of the others.
std::chrono::nanoseconds time_of(int statements) {
  std::string text;
  for (int s = 0; s < statements; ++s) text += "t" + std::to_string(s) + (s % 2 == 0 ? "[i]=x[i];" : "[j]=x[j];");
  text += "i=4";
  auto least = std::chrono::nanoseconds::max();
  for (int round = 0; round < 3; ++round) {
    const auto start = std::chrono::steady_clock::now();
    Expression::parse(text);
    least = std::min(least, std::chrono::nanoseconds(std::chrono::steady_clock::now() - start));
  }
  return least;
}

TEST(Extents, TakeNoCubicTimeInTheNumberOfStatements) {
  EXPECT_LT(time_of(1120), 120 * time_of(140));  // 64 times as long in quadratic time, 512 times in cubic time
}

TEST(Extents, OneNameMayHaveSeveral) {
  const Expression e =
      Expression::parse("S[i] = sum(j, A[i, j]); T[j] = sum(i, B[j, i]) ; A: float32[2, 3]; B: float32[4, 5]");
  EXPECT_EQ(e.str(), "S[i0]=sum(i1,A[i0,i1]);T[i2]=sum(i3,B[i2,i3]) i0=2 i1=3 i2=4 i3=5");
}

}  // namespace
}  // namespace nestwright::text
