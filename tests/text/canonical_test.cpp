#include <gtest/gtest.h>

#include "text/expression.h"

namespace nestwright::text {
namespace {

std::string canonical(std::string_view text) { return Expression::parse(text).str(); }

/// Parses, prints, and parses that again.
void expect_canonical(std::string_view text, const std::string& expected) {
  EXPECT_EQ(canonical(text), expected);
  EXPECT_EQ(canonical(expected), expected);
}

TEST(CanonicalText, RenamesIndicesInTheOrderOfTheirAppearance) {
  expect_canonical("C[i, j] = sum(k, A[i, k] * B[k, j]) i=512 j=256 k=128",
                   "C[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1]) i0=512 i1=256 i2=128");
  expect_canonical("C[row,col]=sum(l,A[row,l]*B[l,col]);row=512 l=128 col=256",
                   "C[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1]) i0=512 i1=256 i2=128");
}

TEST(CanonicalText, SizesAndDeclaredShapesSayTheSame) {
  const std::string expected = "Y[i0,i1]=X[i1,i0]+1 i0=3 i1=4";
  expect_canonical("Y[a, b] = X[b, a] + 1; X: float32[4, 3]", expected);
  expect_canonical("X: float32[p, 3]; Y[a, b] = X[b, a] + 1 p=4", expected);
  expect_canonical("Y[a, b] = X[b, a] + 1; Y: float32[3, 4]", expected);
}

TEST(CanonicalText, StatementsShareTheIndicesOfTheirTensors) {
  const std::string expected =
      "M[i0]=max(i1,X[i0,i1]);E[i0,i1]=exp(X[i0,i1]-M[i0]);S[i0]=sum(i1,E[i0,i1]);Y[i0,i1]=E[i0,i1]/S[i0] i0=8 i1=32";
  expect_canonical(
      "M[i] = max(j, X[i, j]); E[i, j] = exp(X[i, j] - M[i]); S[i] = sum(j, E[i, j]); Y[i, j] = E[i, j] / S[i] i=8 "
      "j=32",
      expected);
  expect_canonical(
      "M[a] = max(b, X[a, b]); E[p, q] = exp(X[p, q] - M[p]); S[b] = sum(q, E[b, q]); Y[r, c] = E[r, c] / S[r];"
      "X: float32[8, 32]",
      expected);
}

TEST(CanonicalText, IndicesOfOneExtentAndDifferentTensorsStayApart) {
  expect_canonical("T[i] = A[i] + 1; C[j] = B[j] * T[0]; D[k] = T[k] + C[0] i=4 j=4",
                   "T[i0]=A[i0]+1;C[i1]=B[i1]*T[0];D[i0]=T[i0]+C[0] i0=4 i1=4");
}

TEST(CanonicalText, HasTheDeclarationsThatSaySomething) {
  expect_canonical("Y[i] = X[i] + 1; X: float32[4]", "Y[i0]=X[i0]+1 i0=4");
  expect_canonical("Y[i] = X[i] + 1; X: float16[4]", "Y[i0]=X[i0]+1;X:float16 i0=4");
  expect_canonical("Y[i] = X[i] + 1 i=4; X: float32[6]", "Y[i0]=X[i0]+1;X:float32[n0] i0=4 n0=6");
  expect_canonical("Y[i] = log(X[i]) ; X: float16[4] in [0.1, 2]", "Y[i0]=log(X[i0]);X:float16;X:in[0.1,2.0] i0=4");
  expect_canonical(
      "Y[n, c, y, x] = sum(d, r, s, X[n, d, 2*y + r - 1, 2*x + s - 1]?0 * W[c, d, r, s]);"
      "X: float16[1, 64, 56, 56]; W: float16[128, 64, 3, 3] y=28 x=28",
      "Y[i0,i1,i2,i3]=sum(i4,i5,i6,X[i0,i4,2*i2+i5-1,2*i3+i6-1]?0*W[i1,i4,i5,i6]);"
      "X:float16[n0,n1,n2,n3];W:float16 i0=1 i1=128 i2=28 i3=28 i4=64 i5=3 i6=3 n0=1 n1=64 n2=56 n3=56");
}

TEST(CanonicalText, AReductionInsideARightSideIsAStatement) {
  expect_canonical("Y[i] = sum(j, A[i, j] * x[j]) + b[i] i=3 j=4",
                   "Y_sum[i0]=sum(i1,A[i0,i1]*x[i1]);Y[i0]=Y_sum[i0]+b[i0] i0=3 i1=4");
  expect_canonical("Y[i] = 0.125 * -sum(j, A[i, j]) i=3 j=4",
                   "Y_sum[i0]=sum(i1,A[i0,i1]);Y[i0]=0.125*-Y_sum[i0] i0=3 i1=4");
  expect_canonical("Y[i, j] = X[i, j] / sum(j2, X[i, j2]) i=3 j=4 j2=4",
                   "Y_sum[i0]=sum(i1,X[i0,i1]);Y[i0,i1]=X[i0,i1]/Y_sum[i0] i0=3 i1=4");
  expect_canonical("Y[i] = (sum(j, A[i, j])) i=3 j=4", "Y[i0]=sum(i1,A[i0,i1]) i0=3 i1=4");
  expect_canonical("Y[i, l] = sum(j, A[i, j]) i=3 j=4 l=5", "Y[i0,i1]=sum(i2,A[i0,i2]) i0=3 i1=5 i2=4");
}

TEST(CanonicalText, ReductionsInReductionsAreStatements) {
  expect_canonical("Y[i] = sum(j, A[i, j] * max(k, B[j, k])) i=3 j=4 k=5",
                   "Y_max[i0]=max(i1,B[i0,i1]);Y[i2]=sum(i0,A[i2,i0]*Y_max[i0]) i0=4 i1=5 i2=3");
  expect_canonical("Y[i] = 1 + sum(j, exp(X[i, j] - max(k, X[i, k])) / sum(l, X[i, l])) i=3 j=4 k=4 l=4",
                   "Y_max[i0]=max(i1,X[i0,i1]);Y_sum[i0]=sum(i1,X[i0,i1]);"
                   "Y_sum2[i0]=sum(i1,exp(X[i0,i1]-Y_max[i0])/Y_sum[i0]);Y[i0]=1+Y_sum2[i0] i0=3 i1=4");
  expect_canonical("Y[i] = T[argmax(k, X[i, k])] * float32(max(i, 2)) i=3 k=4",
                   "Y_argmax[i0]=argmax(i1,X[i0,i1]);Y[i0]=T[Y_argmax[i0]]*float32(max(i0,2)) i0=3 i1=4");
}

TEST(CanonicalText, EqualReductionsAreOneAndNamesAreNotTakenTwice) {
  expect_canonical("Y[i] = sum(k, A[i, k]) * sum(k, A[i, k]) + sum(k, B[i, k]) i=3 k=4",
                   "Y_sum[i0]=sum(i1,A[i0,i1]);Y_sum2[i0]=sum(i2,B[i0,i2]);Y[i0]=Y_sum[i0]*Y_sum[i0]+Y_sum2[i0]"
                   " i0=3 i1=4 i2=4");
  expect_canonical("Y[i] = 2 * sum(k, A[i, k]) + Y_sum[i] i=3 k=4",
                   "Y_sum2[i0]=sum(i1,A[i0,i1]);Y[i0]=2*Y_sum2[i0]+Y_sum[i0] i0=3 i1=4");
}

TEST(CanonicalText, OfAPartOfATensorGivesItsSize) {
  expect_canonical("C[i] = sum(k, A[i, k] * B[k]); A: float32[2, 8]; B: float32[9] k=8",
                   "C[i0]=sum(i1,A[i0,i1]*B[i1]);B:float32[n0] i0=2 i1=8 n0=9");
}

TEST(CanonicalText, KeepsTheOrderOfOperations) {
  const auto body = [](const std::string& text) {
    const std::string whole = canonical("C[i] = " + text + "; A: float32[4]; B: int32[4]; P: bool[4]");
    const std::size_t begin = whole.find('=') + 1;
    return whole.substr(begin, whole.find_first_of("; ", begin) - begin);
  };
  EXPECT_EQ(body("P[i] && !(B[i] < 3 || B[i] == 5) && A[i] > -1"), "P[i0]&&!(B[i0]<3||B[i0]==5)&&A[i0]>-1");
  const std::string tail = " + 0*float32(B[i]) + select(P[i], 0, A[i])";
  const std::string shown = "+0*float32(B[i0])+select(P[i0],0,A[i0])";
  EXPECT_EQ(body("A[i] - (A[i] - 1)" + tail), "A[i0]-(A[i0]-1)" + shown);
  EXPECT_EQ(body("(A[i] - A[i]) - 1" + tail), "A[i0]-A[i0]-1" + shown);
  EXPECT_EQ(body("A[i] / (A[i] * 2)" + tail), "A[i0]/(A[i0]*2)" + shown);
  EXPECT_EQ(body("-(A[i] + 1) * -A[i]" + tail), "-(A[i0]+1)*-A[i0]" + shown);
  EXPECT_EQ(body("A[i] - -1" + tail), "A[i0]--1" + shown);
  EXPECT_EQ(body("A[i] * (1.0/4 + 2)" + tail), "A[i0]*2.25" + shown);
  EXPECT_EQ(body("max(A[i], -inf)" + tail), "max(A[i0],-inf)" + shown);
  EXPECT_EQ(body("A[i] * 1e30 + 2.0" + tail), "A[i0]*1e+30+2.0" + shown);
}

TEST(CanonicalText, HasBitsByThePrecedenceOfC) {
  const auto body = [](const std::string& text) {
    const std::string whole = canonical("C[i] = " + text + "; B: int32[4]");
    return whole.substr(6, whole.find(';') - 6);
  };
  EXPECT_EQ(body("(B[i] & 3) == 1 || B[i] > 2"), "(B[i0]&3)==1||B[i0]>2");
  EXPECT_EQ(body("B[i] | B[i] ^ B[i] & 7"), "B[i0]|B[i0]^B[i0]&7");
  EXPECT_EQ(body("((B[i] | B[i]) ^ B[i]) & 7"), "((B[i0]|B[i0])^B[i0])&7");
  EXPECT_EQ(body("B[i] << 1 + 1 >> 2"), "B[i0]<<2>>2");
  EXPECT_EQ(body("(B[i] << 1) + (1 << 10)"), "(B[i0]<<1)+1024");
  EXPECT_EQ(body("B[i] & (B[i] & 1)"), "B[i0]&(B[i0]&1)");
  EXPECT_EQ(body("-(B[i] ^ 5) + (-8 >> 1 | 1)"), "-(B[i0]^5)+-3");
}

TEST(CanonicalText, HasPaddingsAsTheyAre) {
  const auto expect_padding = [](const std::string& padding, const std::string& type, const std::string& expected) {
    expect_canonical("Y[i] = X[i - 1]?" + padding + " i=4; X: " + type + "[4]",
                     "Y[i0]=X[i0-1]?" + expected + ";X:" + type + "[n0] i0=4 n0=4");
  };
  expect_padding("0", "float16", "0");
  expect_padding("-0", "float16", "0");
  expect_padding("-0.0", "float16", "-0.0");
  expect_padding("-inf", "float16", "-inf");
  expect_padding("9007199254740994", "int64", "9007199254740994.0");
  expect_padding("-9223372036854775808.0", "int64", "-9223372036854775808.0");
}

TEST(CanonicalText, HasTheLargestAndTheSmallestNumbers) {
  expect_canonical("Y[i] = X[i] ^ (1 << 63) i=4; X: int64", "Y[i0]=X[i0]^(-9223372036854775807-1);X:int64 i0=4");
  expect_canonical("Y[i] = X[i] & 9223372036854775807 i=4; X: int64", "Y[i0]=X[i0]&9223372036854775807;X:int64 i0=4");
  expect_canonical("Y[i] = max(X[i], -3.4028235e38) i=4", "Y[i0]=max(X[i0],-3.4028235e+38) i0=4");
}

}  // namespace
TEST(CanonicalText, SaysWhichInputsAreConstant) {
  expect_canonical("C[i, j] = sum(k, A[i, k] * B[k, j]); B: constant i=2 j=3 k=4",
                   "C[i0,i1]=sum(i2,A[i0,i2]*B[i2,i1]);B:constant i0=2 i1=3 i2=4");
  expect_canonical("Y[i] = X[i - 1]?0 * W[i]; X: constant float32[4]; W: constant in [0, 1] i=4",
                   "Y[i0]=X[i0-1]?0*W[i0];X:constant float32[n0];W:constant;W:in[0.0,1.0] i0=4 n0=4");
}

}  // namespace nestwright::text
