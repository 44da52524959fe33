#include <gtest/gtest.h>

#include "ir/simplify/simplify.h"
#include "nestwright/program.h"

namespace nestwright::ir {
namespace {

struct SimplifyStmt : ::testing::Test {
  Buffer c{"C", kFloat32, {128}}, d{"D", kFloat32, {128}};
  Var i{"i"}, j{"j"}, k{"k"}, n{"n"}, x{"x"};

  Stmt store(const Expr& index) { return make_store(c, {index}, make_float(0, kFloat32)); }
  Stmt loop(const Var& var, const Expr& extent, const Stmt& body, LoopKind kind = LoopKind::kSerial) {
    return make_for(var, 0, extent, kind, body);
  }
  std::string text(const Stmt& s, const Ranges& ranges = {}) {
    const Stmt once = simplify(s, ranges);
    EXPECT_TRUE(simplify(once, ranges).same_as(once)) << to_string(once) << to_string(simplify(once, ranges));
    return to_string(once);
  }
};

TEST_F(SimplifyStmt, UnchangedIsTheSameHandle) {
  const Stmt s = loop(i, 8, loop(j, 16, make_if(likely(Expr(i) * 16 + j < 100), store(Expr(i) * 16 + j))));
  EXPECT_TRUE(simplify(s).same_as(s));
}

TEST_F(SimplifyStmt, EmptyAndSingleLoops) {
  EXPECT_EQ(text(loop(i, 0, store(i))), "");
  for (const auto kind : {LoopKind::kSerial, LoopKind::kParallel, LoopKind::kVectorized, LoopKind::kUnrolled}) {
    EXPECT_EQ(text(make_for(i, Expr(n) * 2, 1, kind, store(Expr(i) + 1))), "C[n*2 + 1] = 0.0\n");
  }
  EXPECT_EQ(text(loop(i, 1, store(Expr(i) + 1), LoopKind::kThreadX)), "threadIdx.x i in 0..1:\n  C[1] = 0.0\n");
  EXPECT_EQ(text(loop(i, 4, loop(j, min(Expr(i), 0), store(j)))), "");
}

TEST_F(SimplifyStmt, ProvenGuardsFallAway) {
  EXPECT_EQ(text(loop(i, 9, loop(j, 14, make_if(likely(Expr(i) * 14 + j < 127), store(Expr(i) * 14 + j))))),
            "for i in 0..9:\n  for j in 0..14:\n    C[i*14 + j] = 0.0\n");
  EXPECT_EQ(text(loop(i, 9, make_if(Expr(i) > 8, store(i), store(0)))), "for i in 0..9:\n  C[0] = 0.0\n");
}

TEST_F(SimplifyStmt, GuardsRefineTheirBranches) {
  const Stmt inner = make_if(Expr(i) < 6, store(min(Expr(i), 5)), store(max(Expr(i), 6)));
  EXPECT_EQ(text(loop(i, 8, inner)), "for i in 0..8:\n  if i < 6:\n    C[i] = 0.0\n  else:\n    C[i] = 0.0\n");
  EXPECT_EQ(text(loop(k, 8, make_if(Expr(k) == 0, store(k), store(max(k, 1))))),
            "for k in 0..8:\n  if k == 0:\n    C[0] = 0.0\n  else:\n    C[k] = 0.0\n");
}

TEST_F(SimplifyStmt, LoopsAreNarrowedByTheirGuard) {
  const Stmt body = make_if(likely(Expr(i) + 120 < 127), store(Expr(i) + 120));
  for (const auto kind : {LoopKind::kSerial, LoopKind::kParallel, LoopKind::kUnrolled}) {
    EXPECT_EQ(text(loop(i, 16, body, kind)), std::string(loop_kind_name(kind)) + " i in 0..7:\n  C[i + 120] = 0.0\n");
  }
  EXPECT_EQ(text(loop(i, 16, body, LoopKind::kVectorized)),
            "vectorized i in 0..16:\n  if likely(i < 7):\n    C[i + 120] = 0.0\n");
  EXPECT_EQ(text(loop(i, 16, make_if(Expr(i) >= 3 && Expr(i) < 9 && Expr(n) > i, store(i)))),
            "for i in 3..9:\n  if i < n:\n    C[i] = 0.0\n");
  EXPECT_EQ(text(loop(i, 16, make_if(Expr(i) == 5, store(Expr(i) * 2)))), "C[10] = 0.0\n");
  EXPECT_EQ(text(loop(i, 16, block({make_if(Expr(i) < 4, store(i)), store(i)}))),
            "for i in 0..16:\n  if i < 4:\n    C[i] = 0.0\n  C[i] = 0.0\n");
}

TEST_F(SimplifyStmt, InvariantGuardsLeaveTheLoopAndNarrowTheOneAround) {
  const Stmt inner = loop(j, 32, make_if(likely(Expr(i) + 120 < 127), store(Expr(i) + j)), LoopKind::kVectorized);
  EXPECT_EQ(text(loop(i, 14, inner, LoopKind::kUnrolled)),
            "unrolled i in 0..7:\n  vectorized j in 0..32:\n    C[i + j] = 0.0\n");
  EXPECT_EQ(text(loop(j, 32, make_if(likely(Expr(x) < n) && Expr(j) < n, store(j)))),
            "if likely(x < n):\n  for j in 0..32:\n    if j < n:\n      C[j] = 0.0\n");
  const Stmt bound = loop(j, 32, make_if(Expr(x) < n, store(j)), LoopKind::kThreadX);
  EXPECT_TRUE(simplify(bound).same_as(bound)) << "a bound loop stays uniform";
  const Stmt reading = loop(j, 32, make_if(make_load(c, {0}) < 1, store(j)));
  EXPECT_TRUE(simplify(reading).same_as(reading)) << "the body may change what the guard reads";
}

TEST_F(SimplifyStmt, NestedGuardsBecomeOne) {
  EXPECT_EQ(text(make_if(likely(Expr(i) < n), make_if(likely(Expr(j) < n), store(j)))),
            "if likely(i < n) && likely(j < n):\n  C[j] = 0.0\n");
  EXPECT_EQ(text(make_if(Expr(i) < n, store(0), make_if(Expr(i) >= n, {}, store(1)))), "if i < n:\n  C[0] = 0.0\n");
}

TEST_F(SimplifyStmt, Lets) {
  EXPECT_EQ(text(make_let(x, 3, store(Expr(x) + 1))), "C[4] = 0.0\n");
  EXPECT_EQ(text(make_let(x, n, store(Expr(x) + 1))), "C[n + 1] = 0.0\n");
  EXPECT_EQ(text(make_let(x, Expr(n) * 2, store(1))), "C[1] = 0.0\n");
  EXPECT_EQ(text(loop(i, 8, make_let(x, Expr(i) * 2, make_if(Expr(x) < 15, store(Expr(x) + x))))),
            "for i in 0..8:\n  let x = i*2\n  C[x*2] = 0.0\n");
  EXPECT_EQ(text(make_let(x, Expr(n) * 2, make_if(Expr(x) == Expr(n) * 2, store(x)))), "let x = n*2\nC[x] = 0.0\n");
}

TEST_F(SimplifyStmt, StoresAllocationsPrefetches) {
  EXPECT_EQ(text(make_store(c, {0}, make_float(1, kFloat32), make_bool(false))), "");
  EXPECT_EQ(text(make_store(c, {0}, make_float(1, kFloat32), Expr(1) < 2)), "C[0] = 1.0\n");
  EXPECT_EQ(text(make_allocate(d, loop(i, 1, make_prefetch(c, {Expr(i) + 1 - 1}, false, 3)))),
            "global D: float32[128]\nprefetch C[0]\n");
  EXPECT_EQ(text(make_allocate(d, loop(i, 0, store(i)))), "");
}

TEST_F(SimplifyStmt, StoresKeepTheirOtherFields) {
  const Buffer shared("S", kFloat32, {128}, Scope::kShared);
  const auto copy = [&](const Expr& mask) {
    return make_asynchronous({.buffer = shared, .indices = {Expr(i) + 1 - 1}, .value = make_load(c, {i}, mask)});
  };
  EXPECT_EQ(text(copy({})), "async S[i] = C[i]\n");
  EXPECT_EQ(text(copy(make_bool(false))), "S[i] = 0.0\n");
  EXPECT_EQ(text(make_store(
                {.buffer = c, .indices = {Expr(i) + 1 - 1}, .value = make_float(0, kFloat32), .non_temporal = true})),
            "stream C[i] = 0.0\n");
}

TEST_F(SimplifyStmt, OneVariableMayServeTwoLoops) {
  EXPECT_EQ(text(block({loop(i, 1, store(i)), loop(i, 4, store(Expr(i) % 4)), loop(i, 6, store(Expr(i) % 4))})),
            "C[0] = 0.0\nfor i in 0..4:\n  C[i] = 0.0\nfor i in 0..6:\n  C[i%4] = 0.0\n");
}

}  // namespace
}  // namespace nestwright::ir
