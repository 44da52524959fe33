#include "text/analysis/product.h"

#include <gtest/gtest.h>

#include "text/expression.h"

namespace nestwright::text {
namespace {

/// "A B m n k batch", with ' behind a factor that is transposed; empty where it is no product.
std::string product_of(const std::string& text) {
  const Expression expression = Expression::parse(text);
  const std::optional<Product> p = find_product(expression.program());
  if (!p) return "";
  const auto name = [&](std::size_t tensor, bool transposed) {
    return expression.program().tensors[tensor].name + (transposed ? "' " : " ");
  };
  return name(p->a, p->ta) + name(p->b, p->tb) + std::to_string(p->m) + " " + std::to_string(p->n) + " " +
         std::to_string(p->k) + " " + std::to_string(p->batch);
}

TEST(Products, AreFoundByTheirStructure) {
  const std::string sizes = " i=2 j=3 k=4";
  EXPECT_EQ(product_of("C[i, j] = sum(k, A[i, k] * B[k, j])" + sizes), "A B 2 3 4 1");
  EXPECT_EQ(product_of("Out[i, j] = sum(k, W[k, j] * X[i, k])" + sizes), "X W 2 3 4 1");
  EXPECT_EQ(product_of("C[i, j] = sum(k, A[k, i] * B[k, j])" + sizes), "A' B 2 3 4 1");
  EXPECT_EQ(product_of("C[i, j] = sum(k, A[i, k] * B[j, k])" + sizes), "A B' 2 3 4 1");
  EXPECT_EQ(product_of("C[i, j] = sum(k, A[k, i] * B[j, k])" + sizes), "A' B' 2 3 4 1");
  EXPECT_EQ(product_of("C[j, i] = sum(k, A[i, k] * B[k, j])" + sizes), "B' A' 3 2 4 1");
}

TEST(Products, HaveBatchesAndSeveralIndicesADimension) {
  EXPECT_EQ(product_of("C[b, i, j] = sum(k, A[b, i, k] * B[b, k, j]) b=5 i=2 j=3 k=4"), "A B 2 3 4 5");
  EXPECT_EQ(product_of("C[b, h, i, j] = sum(k, A[b, h, i, k] * B[b, h, j, k]) b=5 h=2 i=2 j=3 k=4"), "A B' 2 3 4 10");
  EXPECT_EQ(product_of("Y[b, s, o] = sum(c, W[o, c] * X[b, s, c]) b=2 s=3 o=4 c=5"), "X W' 6 4 5 1");
  EXPECT_EQ(product_of("C[i, j] = sum(k, l, A[i, k, l] * B[k, l, j]) i=2 j=3 k=4 l=5"), "A B 2 3 20 1");
  EXPECT_EQ(product_of("C[i, j] = sum(l, k, A[i, k, l] * B[k, l, j]) i=2 j=3 k=4 l=5"), "A B 2 3 20 1");
}

TEST(Products, HaveVectors) {
  EXPECT_EQ(product_of("y[i] = sum(k, A[i, k] * x[k]) i=2 k=4"), "A x 2 1 4 1");
  EXPECT_EQ(product_of("y[j] = sum(k, x[k] * B[k, j]) j=3 k=4"), "x B 1 3 4 1");
  EXPECT_EQ(product_of("s[] = sum(k, x[k] * y[k]) k=4"), "x y 1 1 4 1");
}

TEST(Products, HaveConversions) {
  EXPECT_EQ(product_of("C[i, j] = sum(k, float32(A[i, k]) * float32(B[k, j])) i=2 j=3 k=4; A: bfloat16; B: bfloat16"),
            "A B 2 3 4 1");
}

TEST(Products, AreNothingElse) {
  EXPECT_EQ(product_of("C[i, j] = sum(k, A[i, k] + B[k, j]) i=2 j=3 k=4"), "");
  EXPECT_EQ(product_of("C[i, j] = max(k, A[i, k] * B[k, j]) i=2 j=3 k=4"), "");
  EXPECT_EQ(product_of("C[i, j] = sum(k, A[i, k] * A[k, j]) i=3 j=3 k=3"), "") << "one argument for two";
  EXPECT_EQ(product_of("C[i, j] = sum(k, A[i, k + 1] * B[k, j]) i=2 j=3 k=4"), "");
  EXPECT_EQ(product_of("C[i, j] = sum(k, A[i, k] * B[k, j]) i=2 j=3 k=4; A: float32[3, 4]"), "") << "a part of A";
  EXPECT_EQ(product_of("C[i, j] = sum(k, A[i, k]?0 * B[k, j]) i=2 j=3 k=4; A: float32[2, 4]"), "");
  EXPECT_EQ(product_of("C[i, b, j] = sum(k, A[b, i, k] * B[b, k, j]) b=5 i=2 j=3 k=4"), "") << "C is interleaved";
  EXPECT_EQ(product_of("C[i, j] = sum(k, l, A[i, k, l] * B[l, k, j]) i=2 j=3 k=4 l=5"), "");
  EXPECT_EQ(product_of("C[i] = sum(k, l, A[i, k] * B[l]) i=2 k=4 l=5"), "");
  EXPECT_EQ(product_of("C[i, j] = A[i] * B[j] i=2 j=3"), "");
  EXPECT_EQ(product_of("C[i, j] = sum(k, A[i, k] * B[k, j] * 2) i=2 j=3 k=4"), "");
  EXPECT_EQ(product_of("C[i] = sum(k, A[i, k, k] * B[k]) i=2 k=4"), "");
  EXPECT_EQ(product_of("T[i, j] = sum(k, A[i, k] * B[k, j]); C[i, j] = T[i, j] + 1 i=2 j=3 k=4"), "");
}

}  // namespace
}  // namespace nestwright::text
