#include "ir/traversal/rewrite.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace nestwright::ir
