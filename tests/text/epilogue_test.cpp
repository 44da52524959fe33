#include "text/analysis/epilogue.h"

#include <gtest/gtest.h>

#include "text/expression.h"

namespace nestwright::text {
namespace {

bool finishes(const std::string& text) { return has_epilogue(Expression::parse(text).program()); }

TEST(Epilogues, AreElementwiseAndInPlace) {
  const std::string sums = "T[i, j] = sum(k, A[i, k] * B[k, j]); ", sizes = " i=3 j=4 k=5";
  EXPECT_TRUE(finishes(sums + "Y[i, j] = max(T[i, j] + b[j], 0)" + sizes));
  EXPECT_TRUE(finishes(sums + "Y[p, q] = T[p, q] * R[q, p] + c[0] + float32(p)" + sizes));
  EXPECT_TRUE(finishes(sums + "Y[i, j] = T[i, j] * clamp(T[i, j] + 3, 0, 6) / 6" + sizes));
  EXPECT_TRUE(finishes(sums + "U[i, j] = T[i, j] + b[j]; Y[i, j] = U[i, j] * sigmoid(U[i, j])" + sizes));
  EXPECT_TRUE(finishes("T[n, i, j] = sum(k, A[n, i, k] * B[k, j]); Y[a, i, j] = T[0, i, j] * 2 n=1 a=1 i=3 j=4 k=5"));
}

TEST(Epilogues, AreNothingElse) {
  const std::string sums = "T[i, j] = sum(k, A[i, k] * B[k, j]); ", sizes = " i=4 j=4 k=5";
  EXPECT_FALSE(finishes("Y[i, j] = sum(k, A[i, k] * B[k, j])" + sizes)) << "one statement";
  EXPECT_FALSE(finishes(sums + "Y[i, j] = T[j, i]" + sizes)) << "transposed";
  EXPECT_FALSE(finishes(sums + "Y[i, j] = T[i, j] - T[i, 0]" + sizes));
  EXPECT_FALSE(finishes(sums + "Y[i, j] = T[i, j] + T[i, 3 - j]" + sizes));
  EXPECT_FALSE(finishes(sums + "Y[i, j] = T[i, j - 1]?0" + sizes)) << "padded";
  EXPECT_FALSE(finishes(sums + "Y[i, j] = T[i, j]?0" + sizes));
  EXPECT_FALSE(finishes(sums + "Y[a, j] = T[a, j] a=2" + sizes)) << "a part";
  EXPECT_FALSE(finishes(sums + "Y[i, j, l] = T[i, j] * x[l] l=3" + sizes)) << "more elements";
  EXPECT_FALSE(finishes(sums + "Y[i] = sum(j, T[i, j])" + sizes)) << "a reduction";
  EXPECT_FALSE(finishes(sums + "Y[i, j] = T[i, j] * 2; Z[i, j] = T[i, j] * 3" + sizes)) << "two outputs";
  EXPECT_FALSE(finishes(sums + "G[j] = exp(b[j]); Y[i, j] = T[i, j] * G[j]" + sizes)) << "another tensor";
  std::string twice = sums + "U[i, j] = T[i, j] * T[i, j]; V[i, j] = U[i, j] * U[i, j]; W[i, j] = V[i, j] * V[i, j]; ";
  EXPECT_TRUE(finishes(twice + "Y[i, j] = W[i, j] * W[i, j]" + sizes));
  twice += "X[i, j] = W[i, j] * W[i, j]; ";
  EXPECT_FALSE(finishes(twice + "Y[i, j] = X[i, j] * X[i, j]" + sizes)) << "32 copies of T's expression";
}

TEST(Epilogues, ReadTensors) {
  const Expression e =
      Expression::parse("T[i, j] = sum(k, A[i, k] * B[k, j]); Y[i, j] = T[i, j] + A[i, j] i=3 j=4 k=4");
  const auto place = [&](const char* name) {
    return static_cast<std::size_t>(e.program().find_tensor(name) - e.program().tensors.data());
  };
  EXPECT_TRUE(epilogue_reads(e.program(), place("A")));
  EXPECT_FALSE(epilogue_reads(e.program(), place("B")));
}

}  // namespace
}  // namespace nestwright::text
