#include "ir/core/rewrite.h"

#include <gtest/gtest.h>

#include "ir/core/equal.h"
#include "ir/core/linear.h"

namespace nestwright::ir {
namespace {

struct Nest {
  Buffer a{"A", kFloat32, {8, 8}}, c{"C", kFloat32, {8}}, local{"t", kFloat32, {1}, Scope::kLocal};
  Var i{"i"}, j{"j"}, t{"t"};
  Expr value = make_select(Expr(i) < 4, make_load(a, {i, j}) * 2, cast(kFloat32, Expr(j) % 3));
  Stmt store = make_store(c, {i}, make_load(c, {i}) + value);
  Stmt body = make_if(likely(Expr(i) + j < 9), store, make_prefetch(a, {i, j}, false, 3));
  Stmt whole = make_for(i, 0, 8, LoopKind::kParallel,
                        make_allocate(local, make_for(j, 0, 8, LoopKind::kSerial,
                                                      block({make_let(t, Expr(i) * 2, body), make_barrier()}))));
};

class Identity : public Mutator {};

TEST(Mutator, UnchangedInputIsTheSameHandle) {
  const Nest nest;
  EXPECT_TRUE(Identity().mutate(nest.whole).same_as(nest.whole));
  EXPECT_TRUE(substitute(nest.whole, {{Var("absent"), Expr(1)}}).same_as(nest.whole));
}

TEST(Mutator, RebuildsOnlyThePathToAChange) {
  const Nest nest;
  const Stmt changed = substitute(nest.body, {{nest.j, Expr(3)}});
  EXPECT_FALSE(changed.same_as(nest.body));
  const Expr index = changed.as<IfThenElse>()->then_case.as<Store>()->indices[0];
  EXPECT_TRUE(index.same_as(nest.store.as<Store>()->indices[0]));
  int left = 0;
  for_each_expr(changed, [&](const Expr& e) { left += e.as<VarRef>() && e.as<VarRef>()->var == nest.j; });
  EXPECT_EQ(left, 0);
}

TEST(Visitor, SeesEveryStatementOnceInOrder) {
  const Nest nest;
  std::vector<std::size_t> kinds;
  for_each_stmt(nest.whole, [&](const Stmt& s) { kinds.push_back(s.node().value.index()); });
  const std::vector<std::size_t> expected{0 /*for*/, 5 /*alloc*/, 0, 1 /*block*/, 2 /*let*/, 3 /*if*/, 4, 6, 8};
  EXPECT_EQ(kinds, expected);
}

TEST(Stmts, DeadCodeFallsAway) {
  const Var i("i");
  EXPECT_FALSE(make_for(i, 0, 8, LoopKind::kSerial, {}).defined());
  EXPECT_FALSE(make_if(Expr(i) < 1, {}).defined());
  EXPECT_FALSE(block({}).defined());
  const Stmt barrier = make_barrier();
  EXPECT_TRUE(block({{}, barrier, {}}).same_as(barrier));
  EXPECT_EQ(block({block({barrier, barrier}), barrier}).as<Block>()->stmts.size(), 3u);
  const Stmt inverted = make_if(Expr(i) < 1, {}, barrier);
  EXPECT_TRUE(inverted.as<IfThenElse>()->condition.as<Not>());
}

TEST(Equal, ComparesUpToBoundNames) {
  const Nest nest;
  const Var k("k");
  const auto loop = [&](const Var& v, int extent) {
    return make_for(v, 0, extent, LoopKind::kSerial, make_store(nest.c, {v}, make_load(nest.a, {v, nest.i})));
  };
  EXPECT_TRUE(equal(loop(nest.j, 8), loop(k, 8)));
  EXPECT_FALSE(equal(loop(nest.j, 8), loop(k, 7)));
  EXPECT_FALSE(equal(loop(nest.j, 8), loop(nest.i, 8))) << "i is free in one and bound in the other";
  EXPECT_TRUE(equal(Expr(k) + 1, Expr(k) + 1));
  EXPECT_FALSE(equal(Expr(k) + 1, Expr(nest.j) + 1));
  EXPECT_FALSE(equal(make_float(0.0, kFloat32), make_float(-0.0, kFloat32)));
}

TEST(Equal, ProgramsMatchTheirParametersInOrder) {
  const auto program = [](const char* name, int extent, bool swap) {
    const Buffer a(std::string(name) + "a", kFloat32, {extent}), b(std::string(name) + "b", kFloat32, {extent});
    const Var i(name);
    Program p;
    p.name = "copy";
    p.parameters = {{a, Role::kInput}, {b, Role::kOutput}};
    p.host = make_launch(0);
    p.kernels = {{"k", make_for(i, 0, extent, LoopKind::kSerial, make_store(swap ? a : b, {i}, make_load(a, {i})))}};
    return p;
  };
  EXPECT_TRUE(equal(program("x", 8, false), program("y", 8, false)));
  EXPECT_FALSE(equal(program("x", 8, false), program("y", 9, false)));
  EXPECT_FALSE(equal(program("x", 8, false), program("y", 8, true)));
}

TEST(Linear, CollectsAndPrintsCanonically) {
  const Var x("x"), y("y");
  const Expr q = Expr(x) / 3;
  const Linear sum = to_linear((Expr(x) + 2) * 3 - (Expr(y) - q) + q - 4 * (Expr(x) - Expr(x) + 1));
  EXPECT_EQ(sum.constant, 2);
  EXPECT_EQ(sum.coefficient(x), 3);
  EXPECT_EQ(sum.coefficient(y), -1);
  ASSERT_EQ(sum.terms.size(), 3u);
  EXPECT_EQ(sum.terms[2].coefficient, 2);
  EXPECT_TRUE(sum.hides(x));
  EXPECT_FALSE(sum.hides(y));
  EXPECT_TRUE(equal(to_linear(-Expr(x) + Expr(y)).expr(), Expr(y) - Expr(x)));
  EXPECT_TRUE(equal(to_linear(Expr(5) - Expr(x)).expr(), Expr(5) - Expr(x)));
  EXPECT_TRUE(equal(to_linear(Expr(x) + Expr(-5)).expr(), Expr(x) - 5));
  EXPECT_TRUE(to_linear(Expr(x) + Expr(y) - Expr(x) - Expr(y)).is_constant());
  EXPECT_TRUE(is_const_int(to_linear((Expr(x) + 2) - Expr(x)).expr(), 2));
}

TEST(Linear, ProductsOfVariablesAreAtoms) {
  const Var x("x"), n("n");
  const Linear sum = to_linear(Expr(x) * n + Expr(x) * n + 1);
  ASSERT_EQ(sum.terms.size(), 1u);
  EXPECT_EQ(sum.terms[0].coefficient, 2);
  EXPECT_TRUE(sum.hides(n));
}

TEST(Linear, IndicesThatAreNeverEqual) {
  const Var x("x"), y("y");
  EXPECT_TRUE(never_equal(Expr(x) + 1, x));
  EXPECT_TRUE(never_equal(Expr(x) * 2 + y, Expr(y) - 3 + Expr(x) * 2));
  EXPECT_TRUE(never_equal(Expr(x) % 2, (Expr(x) + 1) % 2));
  EXPECT_TRUE(never_equal((Expr(x) - y) % 3, (Expr(x) - y + 4) % 3));
  EXPECT_FALSE(never_equal(x, x));
  EXPECT_FALSE(never_equal(x, y));
  EXPECT_FALSE(never_equal(Expr(x) % 2, (Expr(x) + 2) % 2));
  EXPECT_FALSE(never_equal(Expr(x) % 2, (Expr(y) + 1) % 2));
  EXPECT_FALSE(never_equal(Expr(x) % 2, (Expr(x) + 1) % 3));
  EXPECT_FALSE(never_equal(Expr(x) / 2, (Expr(x) + 1) / 2));
  EXPECT_FALSE(never_equal(Expr(x) % y, (Expr(x) + 1) % y));
}

}  // namespace
}  // namespace nestwright::ir
