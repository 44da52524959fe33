#include "ir/simplify/simplify.h"

#include <gtest/gtest.h>

#include "nestwright/expr.h"
#include "nestwright/program.h"

namespace nestwright::ir {
namespace {

struct SimplifyExpr : ::testing::Test {
  Var i{"i"}, j{"j"}, k{"k"}, n{"n"}, f{"f"}, p{"p", kBool};
  Ranges ranges;
  SimplifyExpr() {
    ranges.bind(i, {0, 8});
    ranges.bind(j, {0, 13});
    ranges.bind(k, {0, 15});
    ranges.bind(n, {1, Interval::kMax});
    ranges.bind(f, {0, 8 * 16 * 4 - 1});
  }
  std::string text(const Expr& e) {
    const Expr once = simplify(e, ranges);
    EXPECT_TRUE(simplify(once, ranges).same_as(once)) << to_string(once);
    return to_string(once);
  }
};

TEST_F(SimplifyExpr, SumsAreCanonical) {
  const Expr x = i, y = j;
  EXPECT_EQ(text(x + y - x), "j");
  EXPECT_EQ(text((x + 1) * 4 - 4 * x), "4");
  EXPECT_EQ(text(-1 * x + y), "j - i");
  EXPECT_EQ(text((x + 3) + (y + 4)), "i + j + 7");
  EXPECT_EQ(text(x * 2 * 8 + y - 3), "i*16 + j - 3");
  EXPECT_EQ(text(Expr(n) * 4 * x + x * 0), "n*i*4");
}

TEST_F(SimplifyExpr, UnchangedIsTheSameHandle) {
  const Expr e = Expr(i) * 16 + j;
  EXPECT_TRUE(simplify(e, ranges).same_as(e));
  const Expr c = likely(Expr(i) * 14 + j < 100);
  EXPECT_TRUE(simplify(c, ranges).same_as(c));
}

TEST_F(SimplifyExpr, FloorDivision) {
  const Expr x = i, y = j, z = k, q = f, free = Var("x");
  EXPECT_EQ(text((x * 16 + z) / 16), "i");
  EXPECT_EQ(text((x * 16 + z + 32) / 16), "i + 2");
  EXPECT_EQ(text((x * 32 + z) / 16), "i*2");
  EXPECT_EQ(text((free * 16 + z) / 32), "x/2");
  EXPECT_EQ(text(q / 4 / 16), "f/64");
  EXPECT_EQ(text((free / 4 + 3) / 2), "(x + 4)/8 + 1");
  EXPECT_EQ(text(z / 16), "0");
  EXPECT_EQ(text((free * 4 + 3) / 8), "x/2");
  EXPECT_EQ(text((free * 4 + n) / 4), "x + n/4");
  EXPECT_EQ(text((free % 64) / 16), "x/16%4");
  EXPECT_EQ(text((Expr(n) * x + free) / n), "i + x/n");
}

TEST_F(SimplifyExpr, Modulo) {
  const Expr x = i, z = k, free = Var("x");
  EXPECT_EQ(text((x * 16 + z) % 16), "k");
  EXPECT_EQ(text((free * 16 + z) % 32), "x%2*16 + k");
  EXPECT_EQ(text((free * 4) % 8), "x%2*4");
  EXPECT_EQ(text((free % 64) % 16), "x%16");
  EXPECT_EQ(text(z % 16), "k");
  EXPECT_EQ(text((z + 32) % 16), "k");
  EXPECT_EQ(text((free + 16) % 16), "x%16");
  EXPECT_EQ(text((Expr(n) * x) % n), "0");
}

TEST_F(SimplifyExpr, FusedLoopsComeTogetherAgain) {
  const Expr q = f, free = Var("x");
  EXPECT_EQ(text((q / 64) * 64 + (q / 4 % 16) * 4 + q % 4), "f");
  EXPECT_EQ(text((free / 4) * 4 + free % 4), "x");
  EXPECT_EQ(text((free / 4 % 8) * 4 + free % 4), "x%32");
  EXPECT_EQ(text((q / 4 % 128) * 4 + q % 4), "f");
  EXPECT_EQ(text(((free / n) * n + free % n) * 3), "x*3");
  EXPECT_EQ(text((free / 8) * 16 + (free % 8) * 2 + 1), "x*2 + 1");
}

TEST_F(SimplifyExpr, ComparisonsByDifference) {
  const Expr x = i, y = j, z = k, free = Var("x");
  EXPECT_EQ(text(x * 14 + y < 126), "true");
  EXPECT_EQ(text(x * 14 + y < 125), "i*14 + j < 125");
  EXPECT_EQ(text(x * 14 + y >= 126), "false");
  EXPECT_EQ(text(free + x < free + 9), "true");
  EXPECT_EQ(text(free + x < free + 5), "i < 5");
  EXPECT_EQ(text(free * 16 + z < 128), "x < 8");
  EXPECT_EQ(text(free * 4 < 10), "x < 3");
  EXPECT_EQ(text(5 < free), "x >= 6");
  EXPECT_EQ(text(free <= 5), "x < 6");
  EXPECT_EQ(text(!(free < 5)), "x >= 5");
  EXPECT_EQ(text(free * 2 == 7), "false");
  EXPECT_EQ(text(free * 2 == 8), "x == 4");
  EXPECT_EQ(text(x == 9), "false");
  EXPECT_EQ(text(x != 9), "true");
  EXPECT_EQ(text(free * 16 + x < n), "x*16 + i < n");
}

TEST_F(SimplifyExpr, DataMayWrapAround) {
  const Buffer a("A", kInt64, {8}), b("B", kInt64, {8}), u("U", kUInt32, {8});
  const Expr x = make_load(a, {0}), y = make_load(b, {0}), z = cast(kInt64, make_load(u, {0}));
  EXPECT_EQ(text(x + y - x), "B[0]");  // so do sums, in any order
  EXPECT_EQ(text((x + x) / 6), "A[0]*2/6");
  EXPECT_EQ(text(x * 4 / 4), "A[0]*4/4");
  EXPECT_EQ(text((x * 1000 + y) % 1000), "(A[0]*1000 + B[0])%1000");
  EXPECT_EQ(text(x + 1 > x), "A[0] + 1 > A[0]");
  EXPECT_EQ(text(max(x + 1, x)), "max(A[0] + 1, A[0])");
  const Expr called = call_extern(kInt64, "f", {Expr(i)});  // what a C function returns is data, too
  EXPECT_EQ(text(called + 1 > called), text(called + 1) + " > " + text(called));
  EXPECT_EQ(text(x - y <= i + y), "A[0] - B[0] <= i + B[0]");
  EXPECT_EQ(text(max((z + 4) * z, z)), "max(int64(U[0])*4 + int64(U[0])*int64(U[0]), int64(U[0]))");
  EXPECT_EQ(text(select(x + 1 > 5, select(x > 4, Expr(1), Expr(2)), Expr(3))),
            "select(A[0] + 1 > 5, select(A[0] > 4, 1, 2), 3)");
  // Sums that cannot wrap around are decided, and so are comparisons of one element, which is an atom.
  EXPECT_EQ(text(z + 1 > 0), "true");
  EXPECT_EQ(text(z * 4 + 3 < 0), "false");
  EXPECT_EQ(text(select(x < 5, select(x < 6, Expr(1), Expr(2)), Expr(3))), "select(A[0] < 5, 1, 3)");
  const Expr large = std::int64_t{675214491304268852}, small = std::int64_t{-8890388577658971164};
  EXPECT_EQ(text(max(x + large, x + small)), "max(A[0] + 675214491304268852, A[0] - 8890388577658971164)");
  EXPECT_EQ(text(max(i + large, Expr(i) * 2 + small)), "i + 675214491304268852");
}

TEST_F(SimplifyExpr, LogicMinMaxSelect) {
  const Expr x = i, y = j, free = Var("x"), q = p;
  EXPECT_EQ(text(likely(x < 9)), "true");
  EXPECT_EQ(text(likely(x < 4) && x < 9), "likely(i < 4)");
  EXPECT_EQ(text(x < 4 && x < 6), "i < 4");
  EXPECT_EQ(text(x < 6 && x < 4), "i < 4");
  EXPECT_EQ(text(x < 4 && x >= 4), "false");
  EXPECT_EQ(text(x < 6 || x < 4), "i < 6");
  EXPECT_EQ(text(x < 4 || x >= 4), "true");
  EXPECT_EQ(text(q && make_bool(true)), "p");
  EXPECT_EQ(text(!!q), "p");
  EXPECT_EQ(text(min(x, 9)), "i");
  EXPECT_EQ(text(max(9, x)), "9");
  EXPECT_EQ(text(min(4, free)), "min(x, 4)");
  EXPECT_EQ(text(min(min(free, 6), 4)), "min(x, 4)");
  EXPECT_EQ(text(min(free + 1, free)), "x");
  EXPECT_EQ(text(max(free + x, free)), "x + i");
  EXPECT_EQ(text(select(x < 9, free, 0)), "x");
  EXPECT_EQ(text(select(x < 4, min(x, 3), x)), "i");
  EXPECT_EQ(text(select(free == 3, free + 1, free + 1)), "x + 1") << "no point is substituted where the branches agree";
}

TEST_F(SimplifyExpr, ConstantsOfAllTypes) {
  EXPECT_EQ(text(make_binary(BinaryOp::kAdd, make_int(100, kInt8), make_int(100, kInt8))), "-56");
  EXPECT_EQ(text(make_binary(BinaryOp::kMul, make_float(1.5, kFloat32), make_float(2, kFloat32))), "3.0");
  EXPECT_EQ(text(make_cast(kFloat32, make_int(3, kInt32))), "3.0");
  EXPECT_EQ(text(make_cast(kInt8, make_int(300, kInt64))), "44");
  EXPECT_EQ(text(make_cast(kInt32, make_float(-2.7, kFloat32))), "-2");
  const Expr w = Var("w", kInt32), byte = Var("b", kUInt8);
  EXPECT_EQ(text(make_binary(BinaryOp::kLt, byte, make_int(0, kUInt8))), "false");
  EXPECT_EQ(text(w + 1 < w), "w + 1 < w") << "int32 wraps around";
  const Expr x = Var("x", kFloat32);
  EXPECT_EQ(text(x + 0 == x), "x + 0.0 == x");
}

TEST_F(SimplifyExpr, Vectors) {
  const Expr free = Var("x"), ramp = make_ramp(free, 1, 8), value = make_broadcast(free, 8);
  EXPECT_EQ(text(ramp + value), "ramp(x*2, 1, 8)");
  EXPECT_EQ(text(ramp - ramp), "x8(0)");
  EXPECT_EQ(text(ramp * 3), "ramp(x*3, 3, 8)");
  EXPECT_EQ(text(value + 1), "x8(x + 1)");
  EXPECT_EQ(text(make_ramp(free, 0, 8)), "x8(x)");
  EXPECT_EQ(text(make_ramp(Expr(i) * 8, 1, 8) < 72), "x8(true)");
  EXPECT_EQ(text(make_ramp(Expr(i) * 8, 1, 8) < 71), "ramp(i*8, 1, 8) < x8(71)");
  EXPECT_EQ(text(make_ramp(Expr(i) * 8, 1, 8) >= 72), "x8(false)");
  const Buffer a("A", kFloat32, {64});
  EXPECT_EQ(text(make_load(a, {ramp}, make_bool(true, 8))), "A[ramp(x, 1, 8)]");
  EXPECT_EQ(text(make_load(a, {ramp}, make_bool(false, 8))), "x8(0.0)");
}

TEST_F(SimplifyExpr, ProvesGuardsOfTiles) {
  const Expr x = i, y = j;
  EXPECT_TRUE(prove(x * 14 + y < 127, ranges));
  EXPECT_FALSE(prove(x * 14 + y < 125, ranges));
  EXPECT_FALSE(disprove(x * 14 + y < 125, ranges));
  EXPECT_TRUE(disprove(x * 14 + y >= 126, ranges));
  EXPECT_TRUE(prove(likely(x * 14 + y < 127) && x >= 0, ranges));
  EXPECT_TRUE(prove((f / 64) * 64 + (f / 4 % 16) * 4 + Expr(f) % 4 < 512, ranges));
}

TEST_F(SimplifyExpr, ProvesSymbolicBounds) {
  const Var outer("io"), inner("ii"), row("r");
  ranges.bind(row, 0, n);
  EXPECT_TRUE(prove(Expr(row) < n, ranges));
  EXPECT_TRUE(prove(Expr(row) >= 0, ranges));
  ranges.bind(outer, 0, (Expr(n) + 15) / 16);
  ranges.bind(inner, 0, min(16, Expr(n) - Expr(outer) * 16));
  EXPECT_TRUE(prove(Expr(outer) * 16 + inner < n, ranges));
  EXPECT_FALSE(prove(Expr(outer) * 16 + inner < Expr(n) - 1, ranges));
  EXPECT_TRUE(prove(min(Expr(n), 16) <= n, ranges));
}

TEST_F(SimplifyExpr, FactsOfGuardsAreUsed) {
  const Var outer("io"), inner("ii");
  ranges.bind(outer, {0, 100});
  ranges.bind(inner, {0, 15});
  const Expr row = Expr(outer) * 16 + inner;
  EXPECT_FALSE(prove(row < n, ranges));
  ranges.assume(likely(row < n) && Expr(outer) != 100);
  EXPECT_TRUE(prove(row < n, ranges));
  EXPECT_TRUE(prove(row + 1 <= n, ranges));
  EXPECT_EQ(ranges.find(outer).hi, 99);
  Ranges constant;
  constant.bind(outer, {0, 9});
  constant.bind(inner, {0, 15});
  constant.assume_not(row >= 127);
  EXPECT_TRUE(prove(row < 127, constant));
  EXPECT_EQ(bounds(row, constant).hi, 126);
  EXPECT_EQ(constant.find(outer).hi, 7);
}

}  // namespace
}  // namespace nestwright::ir
