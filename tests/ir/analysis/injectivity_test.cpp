#include "ir/analysis/injectivity.h"

#include <gtest/gtest.h>

namespace nestwright::ir {
namespace {

struct Injectivity : ::testing::Test {
  Buffer a{"A", kFloat32, {64}};
  Var i{"i"}, j{"j"}, n{"n"};

  /// Whether `indices` are injective in loops over i in 0..4 and j in 0..16.
  bool holds(const std::vector<Expr>& indices) {
    const Stmt inner = make_for(j, 0, 16, LoopKind::kSerial, make_store(a, {0}, make_float(0, kFloat32)));
    const Stmt outer = make_for(i, 0, 4, LoopKind::kSerial, inner);
    return is_injective(indices, {outer.as<For>(), inner.as<For>()});
  }
};

TEST_F(Injectivity, LoopsAreDigitsOfOneIndexOrHaveTheirOwn) {
  EXPECT_TRUE(holds({i, j}));
  EXPECT_TRUE(holds({Expr(i) * 16 + j}));
  EXPECT_TRUE(holds({Expr(j) * 4 + i + n}));
  EXPECT_FALSE(holds({Expr(i) * 8 + j}));
  EXPECT_FALSE(holds({Expr(j) * 3 + i}));
  EXPECT_FALSE(holds({i}));
  EXPECT_FALSE(holds({Expr(i) * n, j}));
}

TEST_F(Injectivity, AQuotientAndARemainderDetermineTheirDividend) {
  const Expr fused = Expr(i) * 16 + j;
  EXPECT_TRUE(holds({fused / 24, fused % 24}));
  EXPECT_TRUE(holds({fused / 24, (fused + 48) % 24}));
  EXPECT_FALSE(holds({fused / 24, fused % 12}));
  EXPECT_FALSE(holds({fused / 24, (fused + 1) % 24}));
  EXPECT_FALSE(holds({fused % 24}));
}

TEST_F(Injectivity, VectorsAccessAllTheirLanes) {
  EXPECT_TRUE(holds({make_ramp(Expr(i) * 64 + Expr(j) * 4, 1, 4)}));
  EXPECT_FALSE(holds({make_ramp(Expr(i) * 64 + Expr(j) * 3, 1, 4)}));
}

}  // namespace
}  // namespace nestwright::ir
