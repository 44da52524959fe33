#include "text/analysis/product_stage.h"

#include <gtest/gtest.h>

#include "text/expression.h"

namespace nestwright::text {
namespace {

/// "batch(indices) A m(indices) B n(indices) k" of the first statement, with ' behind a factor that is transposed and *
/// behind one that all of the batch share, or a layout such as [m b k] where matrices lie apart.
std::string stage_of(const std::string& text) {
  const Expression expression = Expression::parse(text);
  const Program& program = expression.program();
  const std::optional<ProductStage> s = find_product_stage(program, program.stages.front());
  if (!s) return "";
  const Product& p = s->product;
  const auto dimension = [](std::int64_t extent, const std::vector<std::string>& axes) {
    std::string text = std::to_string(extent) + "(";
    for (const std::string& axis : axes) text += (text.back() == '(' ? "" : " ") + axis;
    return text + ") ";
  };
  const auto factor = [&](std::size_t tensor, bool transposed, const FactorLayout& layout) {
    std::string text = program.tensors[tensor].name + (transposed ? "'" : "");
    text += layout.has_batch || p.batch == 1 ? "" : "*";
    if (layout.is_compact) return text + " ";
    for (const FactorDimension& d : layout.dimensions) {
      const char* const names[] = {"b", "m", "n", "k"};
      text += std::string(text.back() == '['               ? ""
                          : &d == layout.dimensions.data() ? "["
                                                           : " ") +
              names[static_cast<std::size_t>(d.of)];
      if (d.of == ProductDimension::kBatch) text += std::to_string(d.extent) + "/" + std::to_string(d.step);
    }
    return text + "] ";
  };
  return dimension(p.batch, s->batch) + factor(p.a, p.ta, s->a) + dimension(p.m, s->rows) + factor(p.b, p.tb, s->b) +
         dimension(p.n, s->columns) + std::to_string(p.k);
}

TEST(ProductStages, AreConvolutionsOfOnePoint) {
  EXPECT_EQ(stage_of("T[n, o, y, x] = sum(c, r, s, X[n, c, y + r, x + s] * W[o, c, r, s]) n=1 o=4 y=3 x=5 c=6 r=1 s=1"),
            "1() W 4(o) X 15(y x) 6");
  EXPECT_EQ(stage_of("T[n, o, y, x] = sum(c, X[n, c, y, x] * W[o, c]) n=2 o=4 y=3 x=5 c=6"),
            "2(n) W* 4(o) X 15(y x) 6");
  EXPECT_EQ(stage_of("T[n, y, x, o] = sum(c, X[n, y, x, c] * W[o, c]) n=2 o=4 y=3 x=5 c=6"),
            "1() X 30(n y x) W' 4(o) 6");
}

TEST(ProductStages, MayBePaddedWithoutEffect) {
  EXPECT_EQ(stage_of("C[i, j] = sum(k, A[i, k]?0 * B[k, j]) i=2 j=3 k=4; A: float32[2, 4]"), "1() A 2(i) B 3(j) 4");
}

TEST(ProductStages, HaveDigitsOfAnIndex) {
  EXPECT_EQ(stage_of("T[n, g, o, x] = sum(c, X[n, 6*g + c, x] * W[4*g + o, c]) n=1 g=3 o=4 x=5 c=6"),
            "3(g) W 4(o) X 5(x) 6");
  EXPECT_EQ(stage_of("S[h, i, j] = sum(d, Q[h, i, d] * K[h, 8*j + d]) h=2 i=3 j=5 d=8"), "2(h) Q 3(i) K' 5(j) 8");
  EXPECT_EQ(stage_of("S[i, j] = sum(d, Q[i, d] * K[7*j + d]) i=3 j=5 d=8"), "") << "rows overlap";
  EXPECT_EQ(stage_of("S[i, j] = sum(d, Q[i, d] * K[8*j + d]) i=3 j=5 d=8; K: float32[41]"), "") << "a part of K";
  EXPECT_EQ(stage_of("S[i, j] = sum(d, Q[i, d] * K[8*j + d + 1]) i=3 j=5 d=8; K: float32[41]"), "");
}

TEST(ProductStages, ShareAFactorInTheBatch) {
  EXPECT_EQ(stage_of("C[b, h, i, j] = sum(k, A[b, h, i, k] * B[0, 0, k, j]) b=2 h=3 i=4 j=5 k=6"),
            "1() A 24(b h i) B 5(j) 6");
  EXPECT_EQ(stage_of("C[b, h, i, j] = sum(k, A[i, k] * B[b, h, k, j]) b=2 h=3 i=4 j=5 k=6"), "6(b h) A* 4(i) B 5(j) 6");
  EXPECT_EQ(stage_of("C[b, h, i, j] = sum(k, A[b, i, k] * B[b, h, k, j]) b=2 h=3 i=4 j=5 k=6"),
            "6(b h) A[b2/3 m k] 4(i) B 5(j) 6");
}

TEST(ProductStages, HaveABatchThatOneFactorHas) {
  EXPECT_EQ(stage_of("C[i, j, a] = sum(k, A[i, a, k] * B[k, j]) i=2 j=3 a=4 k=5"), "2(i) B'* 3(j) A' 4(a) 5");
}

TEST(ProductStages, HaveMatricesApart) {
  EXPECT_EQ(stage_of("S[h, i, j] = sum(d, Q[i, h, d] * K[j, h, d]) h=2 i=3 j=5 d=8"),
            "2(h) Q[m b2/1 k] 3(i) K'[n b2/1 k] 5(j) 8");
  EXPECT_EQ(stage_of("S[b, h, i, j] = sum(d, Q[b, i, 8*h + d] * K[b, j, 8*h + d]) b=4 h=2 i=3 j=5 d=8"),
            "8(b h) Q[b4/2 m b2/1 k] 3(i) K'[b4/2 n b2/1 k] 5(j) 8");
  EXPECT_EQ(stage_of("O[h, i, d] = sum(j, P[h, i, j] * V[j, h, d]) h=2 i=3 j=5 d=8"), "2(h) P 3(i) V[k b2/1 n] 8(d) 5");
}

TEST(ProductStages, AreNothingElse) {
  EXPECT_EQ(stage_of("S[h, i, j] = sum(d, Q[i, d, h] * K[j, h, d]) h=2 i=3 j=5 d=8"), "") << "the batch is innermost";
  EXPECT_EQ(stage_of("C[i, j] = sum(k, l, A[k, i, l] * B[k, l, j]) i=2 j=3 k=4 l=5"), "") << "the sum is in parts";
  EXPECT_EQ(stage_of("C[i, b, j] = sum(k, A[b, i, k] * B[b, k, j]) b=5 i=2 j=3 k=4"), "");
  EXPECT_EQ(stage_of("C[i, b, j] = sum(k, A[b, i, k] * B[b, k, j]) b=5 i=1 j=3 k=4"), "5(b) A 1() B 3(j) 4");
  EXPECT_EQ(stage_of("Y[c, p] = sum(r, X[c, p + r] * W[c, r]) c=3 p=4 r=2"), "");
  EXPECT_EQ(stage_of("Y[c] = sum(r, X[c, r] * W[r, c]) c=3 r=2"), "") << "no matrices";
  EXPECT_EQ(stage_of("C[i, j] = sum(k, A[i, k - 1]?0 * B[k, j]) i=2 j=3 k=4; A: float32[2, 4]"), "");
  EXPECT_EQ(stage_of("C[i, j] = sum(k, l, A[i, k] * B[k, j]) i=2 j=3 k=4 l=5"), "");
}

}  // namespace
}  // namespace nestwright::text
