#include "nestwright/program.h"

#include <gtest/gtest.h>

namespace nestwright::ir {
namespace {

TEST(Stmts, DeadCodeDisappears) {
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

}  // namespace
}  // namespace nestwright::ir
