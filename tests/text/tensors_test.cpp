#include "text/tensors.h"

#include <gmock/gmock.h>

#include <string>

#include "text/expression.h"

namespace nestwright::text {
namespace {

Signature tensors_of(const std::string& text) { return make_tensors(Expression::parse(text).program()); }

/// The operation that computes the last output.
std::string operation_of(const std::string& text) { return to_string(tensors_of(text).args.back().op()); }

TEST(Tensors, AreThoseOfTheLanguage) {
  EXPECT_EQ(operation_of("C[i, j] = sum(k, A[i, k] * B[k, j]) i=2 j=3 k=4"),
            "C: float32[2, 3], C[i, j] = sum(A[i, k]*B[k, j], k in 0..4)");
  EXPECT_EQ(operation_of("C[i] = max(X[i], 0) * 2.5 - float32(i) i=2"),
            "C: float32[2], C[i] = max(X[i], 0.0)*2.5 - float32(i)");
  EXPECT_EQ(operation_of("C[i] = select(X[i] > 0 && i < 3, X[i], exp(X[i])) i=4"),
            "C: float32[4], C[i] = select(X[i] > 0.0 && i < 3, X[i], exp(X[i]))");
  EXPECT_EQ(operation_of("C[i] = 0.1 * X[i] i=4; X: float64"), "C: float64[4], C[i] = 0.1*X[i]");
}

TEST(Tensors, AreScaledByWholeNumbers) {
  EXPECT_EQ(operation_of("Y[i] = scale(X[i], N[i]) i=4"), "Y: float32[4], Y[i] = scale(X[i], floor(N[i]))");
  EXPECT_EQ(operation_of("Y[i] = scale(X[i], -2.5) i=4; X: float64"), "Y: float64[4], Y[i] = scale(X[i], -3.0)");
  EXPECT_EQ(operation_of("Y[i] = scale(X[i], 3.0) i=4"), "Y: float32[4], Y[i] = scale(X[i], 3.0)");
  EXPECT_EQ(operation_of("Y[i] = scale(X[i], -3) i=4"), "Y: float32[4], Y[i] = scale(X[i], -3.0)");
}

TEST(Tensors, PaddingTestsTheDimensionsThatLeaveTheTensor) {
  EXPECT_EQ(operation_of("Y[c, y] = X[c, y - 1]?0 * W[c]; X: float32[2, 8]; W: float32[2] y=10"),
            "Y: float32[2, 10], Y[i, j] = select(j - 1 >= 0 && j - 1 < 8, X[i, j - 1], 0.0)*W[i]");
  EXPECT_EQ(operation_of("Y[y] = X[y]?-inf; X: float16[8] y=9"), "Y: float16[9], Y[i] = select(i < 8, X[i], -inf)");
  EXPECT_EQ(operation_of("Y[y] = X[y]?0; X: float16[8] y=8"), "Y: float16[8], Y[i] = X[i]");
}

TEST(Tensors, ReductionsReadPaddedCopies) {
  const std::string convolution = "Y[c, y] = sum(r, X[c, y + r - 1]?0 * W[r] + X[c, y + r - 1]?0)";
  const Tensor y = tensors_of(convolution + "; X: float32[2, 8]; W: float32[3] y=8").args.back();
  EXPECT_EQ(to_string(y.op()),
            "Y: float32[2, 8], Y[i, j] = sum(X.padded[i, j + r - 1 + 1]*W[r] + X.padded[i, j + r - 1 + 1], r in 0..3)");
  EXPECT_EQ(to_string(y.op()->inputs.front()),
            "X.padded: float32[2, 10], X.padded[i, j] = select(j + -1 >= 0 && j + -1 < 8, X[i, j + -1], 0.0)");
  EXPECT_THAT(operation_of("Y[y] = sum(r, X[9*y + r]?0); X: float32[8] y=8 r=3"), ::testing::HasSubstr("select"))
      << "a copy would be far larger than X";
}

TEST(Tensors, IndicesOfOtherTypesAreComparedAsIndices) {
  EXPECT_EQ(operation_of("Y[i] = T[I[i]]?0; T: float32[256]; I: uint8 i=64"),
            "Y: float32[64], Y[i] = select(int64(I[i]) >= 0 && int64(I[i]) < 256, T[int64(I[i])], 0.0)");
  EXPECT_EQ(operation_of("Y[i] = sum(r, X[uint8(r) + 2]?0 * W[i]) i=2 r=3; X: float32[4]"),
            "Y: float32[2], Y[i] = sum(X.padded[int64(uint8(r) + 2) + -2]*W[i], r in 0..3)");
}

TEST(Tensors, PaddedCopiesDifferWherePaddingsDifferInTheSign) {
  const auto copies = [](const std::string& second) {
    const std::string text = "Y[y] = sum(r, X[y + r - 1]?0 + X[y + r - 1]?" + second + "); X: float32[8] y=8 r=3";
    return tensors_of(text).args.back().op()->inputs.size();
  };
  EXPECT_EQ(copies("0.0"), 1u);
  EXPECT_EQ(copies("-0.0"), 2u);
}

TEST(Tensors, ConversionsOfFloatsAreClampedToTheTensor) {
  const std::string rest = "; T: float32[10]; X: float32[64] i=64";
  EXPECT_EQ(operation_of("Y[i] = T[int64(clamp(X[i], 0, 9))]" + rest),
            "Y: float32[64], Y[i] = T[min(9, max(0, int64(min(9.0, max(0.0, X[i])))))]");
  EXPECT_EQ(operation_of("Y[i] = T[int64(floor(clamp(X[i], 0.0, 9.0)))]" + rest),
            "Y: float32[64], Y[i] = T[min(9, max(0, int64(floor(min(9.0, max(0.0, X[i]))))))]");
  EXPECT_EQ(operation_of("Y[i] = T[int64(clamp(float32(i), 0, 9))] * X[i]" + rest),
            "Y: float32[64], Y[i] = T[min(9, max(0, int64(min(9.0, max(0.0, float32(i))))))]*X[i]");
  EXPECT_EQ(operation_of("Y[i] = T[int64(clamp(X[i], 0, 9))]?0" + rest),
            "Y: float32[64], Y[i] = select(int64(min(9.0, max(0.0, X[i]))) >= 0 && "
            "int64(min(9.0, max(0.0, X[i]))) < 10, T[int64(min(9.0, max(0.0, X[i])))], 0.0)");
  EXPECT_EQ(operation_of("Y[i] = T[clamp(int64(X[i]), 0, 9)]" + rest),
            "Y: float32[64], Y[i] = T[min(9, max(0, int64(X[i])))]")
      << "the text itself clamps the integer";
}

TEST(Tensors, AsWrittenHaveNoCopiesAndNoPhases) {
  const auto written = [](const std::string& text) {
    return to_string(make_tensors(Expression::parse(text).program(), TensorForm::kWritten).args.back().op());
  };
  EXPECT_EQ(written("Y[y] = sum(r, X[y + r - 1]?0 * W[r]); X: float32[8]; W: float32[3] y=8"),
            "Y: float32[8], Y[i] = sum(select(i + r - 1 >= 0 && i + r - 1 < 8, X[i + r - 1], 0.0)*W[r], r in 0..3)");
  EXPECT_EQ(written("Y[y] = sum(r, select((y + r) % 2 == 0, X[(y + r)/2], 0) * W[r]); X: float32[10]; W: float32[4] "
                    "y=16"),
            "Y: float32[16], Y[i] = sum(select((i + r)%2 == 0, X[(i + r)/2], 0.0)*W[r], r in 0..4)");
}

TEST(Tensors, OutputsAreWhatNoStatementReads) {
  const Signature s = tensors_of("T[i] = A[i] + B[i]; P[i] = T[i] * 2; Q[i] = T[i] - A[i] i=4");
  std::string names;
  for (const Tensor& tensor : s.args) names += tensor.name() + " ";
  EXPECT_EQ(names, "A B P Q ");
  EXPECT_EQ(s.inputs, 2);
}

TEST(Tensors, ArgmaxIsAReductionOfPairs) {
  const Tensor c = tensors_of("C[i] = argmax(k, X[i, k] * 2) i=2 k=5").args.back();
  EXPECT_EQ(to_string(c.op()), "C: int64[2], C[i] = C.best.v0[i]");
  EXPECT_EQ(to_string(c.op()->inputs.front()),
            "C.best.v0: int64[2], C.best.v0[i] = argmax(k, X[i, k]*2.0, k in 0..5).0\n"
            "C.best.v1: float32[2], C.best.v1[i] = argmax(k, X[i, k]*2.0, k in 0..5).1");
}

TEST(Tensors, AnArgmaxIsAnIndexInsideOfATensor) {
  EXPECT_EQ(operation_of("M[i] = argmax(k, X[i, k]); Y[i] = T[M[i]] i=2 k=5"),
            "Y: float32[2], Y[i] = T[min(4, max(0, M[i]))]");
}

TEST(Tensors, HaveEveryFunctionAndReduction) {
  for (const char* body : {"exp(X[i])",
                           "log(X[i])",
                           "log2(X[i])",
                           "sqrt(X[i])",
                           "rsqrt(X[i])",
                           "tanh(X[i])",
                           "sigmoid(X[i])",
                           "erf(X[i])",
                           "pow(X[i], 2)",
                           "scale(X[i], 3)",
                           "round_tf32(X[i])",
                           "floor(X[i])",
                           "ceil(X[i])",
                           "round(X[i])",
                           "abs(X[i])",
                           "sin(X[i])",
                           "cos(X[i])",
                           "trunc(X[i])",
                           "min(X[i], 1)",
                           "max(1, X[i])",
                           "clamp(X[i], 0, 1)",
                           "fma(X[i], 2, 1)",
                           "select(X[i] < 1, X[i], 2)"}) {
    EXPECT_EQ(tensors_of(std::string("Y[i] = ") + body + " i=4").args.back().dtype(), kFloat32) << body;
  }
  for (const char* op : {"&", "|", "^", "<<", ">>"}) {
    const std::string text = std::string("Y[i] = X[i] ") + op + " 3; X: uint8[4]";
    EXPECT_EQ(tensors_of(text).args.back().dtype(), kUInt8) << op;
  }
  for (const char* reduction : {"sum", "prod", "min", "max"}) {
    EXPECT_EQ(tensors_of(std::string("Y[] = ") + reduction + "(i, X[i]) i=4").args.back().dtype(), kFloat32);
  }
  for (const char* reduction : {"any", "all"}) {
    EXPECT_EQ(tensors_of(std::string("Y[] = ") + reduction + "(i, X[i] > 0) i=4").args.back().dtype(), kBool);
  }
}

}  // namespace
}  // namespace nestwright::text
