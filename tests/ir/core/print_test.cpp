#include "nestwright/program.h"

#include <gtest/gtest.h>

namespace nestwright::ir {
namespace {

TEST(Print, UsesAsFewParenthesesAsPrecedenceAllows) {
  const Expr x = Var("x"), y = Var("y"), z = Var("z");
  EXPECT_EQ(to_string(x * 14 + y), "x*14 + y");
  EXPECT_EQ(to_string((x + y) * z), "(x + y)*z");
  EXPECT_EQ(to_string(x - (y - z)), "x - (y - z)");
  EXPECT_EQ(to_string(x - y - z), "x - y - z");
  EXPECT_EQ(to_string(x / 4 % 3), "x/4%3");
  EXPECT_EQ(to_string(x * (y / 4)), "x*(y/4)");
  EXPECT_EQ(to_string((x < 4 && y + 1 < z) || x == y), "x < 4 && y + 1 < z || x == y");
  EXPECT_EQ(to_string(x < 4 && (y < z || x == y)), "x < 4 && (y < z || x == y)");
  EXPECT_EQ(to_string((x < y) == (y < z)), "(x < y) == (y < z)");
  EXPECT_EQ(to_string(!(x < 4)), "!(x < 4)");
  EXPECT_EQ(to_string(min(x, y + 1) * 2), "min(x, y + 1)*2");
}

TEST(Print, Leaves) {
  const Expr x = Var("x"), f = Var("f", kFloat32);
  const Buffer a("A", kFloat32, {4, 4});
  EXPECT_EQ(to_string(f + 1), "f + 1.0");
  EXPECT_EQ(to_string(make_float(0.1, kFloat32)), "0.1");
  EXPECT_EQ(to_string(make_float(1e30, kFloat64)), "1e+30");
  EXPECT_EQ(to_string(reducer_identity(ReducerKind::kMax, kFloat32)), "-inf");
  EXPECT_EQ(to_string(make_int(-1, kUInt64)), "18446744073709551615");
  EXPECT_EQ(to_string(make_bool(true)), "true");
  EXPECT_EQ(to_string(cast(kFloat64, f)), "float64(f)");
  EXPECT_EQ(to_string(likely(x < 3)), "likely(x < 3)");
  EXPECT_EQ(to_string(select(x < 3, f, 0.0)), "select(x < 3, f, 0.0)");
  EXPECT_EQ(to_string(make_ramp(x * 16, 1, 16)), "ramp(x*16, 1, 16)");
  EXPECT_EQ(to_string(make_broadcast(f, 16)), "x16(f)");
  EXPECT_EQ(to_string(make_load(a, {x, 1}, x < 4) * 2), "(A[x, 1] if x < 4)*2.0");
  const Var k("k");
  EXPECT_EQ(to_string(make_reduce(ReducerKind::kSum, make_load(a, {x, k}), {{k, 0, 4}})), "sum(A[x, k], k in 0..4)");
  EXPECT_EQ(to_string(Expr()), "<undefined>");
  EXPECT_EQ(to_string(Stmt()), "");
}

TEST(Print, ClashingNamesGetANumber) {
  const Expr a = Var("i"), b = Var("i"), c = Var("i_1");
  EXPECT_EQ(to_string(a + b + c + a), "i + i_1 + i_1_1 + i");
}

TEST(Print, Statements) {
  const Buffer a("A", kFloat32, {64, 32}), acc("acc", kFloat32, {14, 32}, Scope::kRegister);
  const Buffer padded("P", kFloat32, {4, 4}, Scope::kGlobal, {8, 1});
  const Var i("i"), j("j"), k("k"), x("x"), n("n");
  const Stmt store = make_store(acc, {i, j}, make_load(a, {i, k}), Expr(j) < 30, true);
  const Stmt inner = block({make_if(likely(Expr(i) < 9), store, make_barrier()),
                            make_let(x, Expr(i) * 2, make_prefetch(a, {x, k}, true, 2)), make_launch(1)});
  const Stmt nest =
      make_for(i, Expr(k) * 2, 4, LoopKind::kParallel,
               make_for(k, 0, n, LoopKind::kBlockX, make_allocate(acc, make_allocate(padded, inner, 64, true))));
  EXPECT_EQ(to_string(nest),
            "parallel i in (k*2)..(k*2 + 4):\n"
            "  blockIdx.x k in 0..n:\n"
            "    register acc: float32[14, 32]\n"
            "    global P: float32[4, 4] strides [8, 1] at 64 per thread\n"
            "    if likely(i < 9):\n"
            "      stream acc[i, j] = A[i, k] if j < 30\n"
            "    else:\n"
            "      barrier\n"
            "    let x = i*2\n"
            "    prefetch A[x, k] for write locality 2\n"
            "    launch 1\n");
}

TEST(Print, Programs) {
  const Var n("n"), i("i");
  const Buffer a("A", kFloat32, {n, 32}), c("C", kFloat32, {n});
  Program p;
  p.name = "first";
  p.parameters = {{a, Role::kInput}, {c, Role::kOutput}};
  p.symbols = {n};
  p.host = make_launch(0);
  p.kernels = {{"first_column", make_for(i, 0, n, LoopKind::kParallel, make_store(c, {i}, make_load(a, {i, 0})))}};
  EXPECT_EQ(to_string(p),
            "program first<n>(A: float32[n, 32]) -> (C: float32[n])\n"
            "  launch first_column\n"
            "  kernel first_column:\n"
            "    parallel i in 0..n:\n"
            "      C[i] = A[i, 0]\n");
}

TEST(Print, PlacesInTheWorkspace) {
  const Var n("n");
  const Buffer t("t", kFloat32, {n}), u("u", kFloat32, {n});
  Program p;
  p.name = "placed";
  p.symbols = {n};
  p.workspace = {128, 0, n * 4, {}};
  p.kernels = {{"main", make_allocate(t, make_allocate(u, make_launch(0), 128, true, n * 4), 64)}};
  EXPECT_EQ(to_string(p),
            "program placed<n>() -> ()\n"
            "  workspace n*4 + 128 bytes shared, 0 bytes per thread\n"
            "  kernel main:\n"
            "    global t: float32[n] at 64\n"
            "    global u: float32[n] at n*4 + 128 per thread\n"
            "    launch main\n");
}

}  // namespace
}  // namespace nestwright::ir
