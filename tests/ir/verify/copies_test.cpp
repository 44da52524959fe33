// Copies in flight: the accesses that the verifier reports, in loops of any length.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/program.h"
#include "tests/ir/programs.h"

namespace nestwright::ir {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// 8 threads that copy rows of A, which has kRows, to shared memory and store to C what each reads of its neighbour.
class Copies : public ::testing::Test {
 protected:
  static constexpr std::int64_t kRows = 40;

  Stmt fill(const Expr& slot, const Expr& row) const { return make_store(s_, {slot, x_}, make_load(a_, {row, x_})); }
  Stmt use(const Expr& slot, const Expr& row) const {
    return make_store(c_, {row, x_}, make_load(s_, {slot, 7 - Expr(x_)}));
  }
  static Stmt commit() { return make_commit_copies(1); }

  /// Three slots; copies run `ahead` iterations ahead, and barriers leave `pending` groups in flight.
  Stmt pipeline(const Expr& rows, std::int64_t pending, std::int64_t ahead = 2) const {
    const Expr v(v_);
    std::vector<Stmt> stmts;
    for (std::int64_t i = 0; i < ahead; ++i) stmts.insert(stmts.end(), {make_if(i < rows, fill(i, i)), commit()});
    stmts.push_back(make_barrier(static_cast<int>(pending)));
    stmts.push_back(make_for(v_, 0, rows, LoopKind::kSerial,
                             block({make_if(likely(v + ahead < rows), fill((v + ahead) % 3, v + ahead)), commit(),
                                    use(v % 3, v), make_barrier(static_cast<int>(pending))})));
    return block(std::move(stmts));
  }
  Program program(const Stmt& body, std::vector<Var> symbols = {}) const {
    return program_of({{a_}, {c_, Role::kOutput}}, make_allocate(s_, loop(x_, 8, body, LoopKind::kThreadX)),
                      std::move(symbols));
  }
  std::vector<std::string> check(const Stmt& body, std::vector<Var> symbols = {}) const {
    std::vector<std::string> all = verify(program(body, std::move(symbols)), Form::kLoop);
    std::erase_if(all, [](const std::string& v) { return v.find("in flight") == std::string::npos; });
    return all;
  }

  Var x_{"x"}, v_{"v"};
  Buffer s_{"s", kFloat32, {3, 8}, Scope::kShared}, a_{"A", kFloat32, {kRows, 8}}, c_{"C", kFloat32, {kRows, 8}};
};

TEST_F(Copies, AreWaitedForInTime) {
  for (const std::int64_t rows : {1, 2, 3, 4, 8, 9, 40}) {
    EXPECT_THAT(check(pipeline(rows, 1)), IsEmpty()) << rows;
    EXPECT_THAT(check(pipeline(rows, 0)), IsEmpty()) << rows;
  }
  const Var n("n");
  EXPECT_THAT(check(pipeline(n, 1), {n}), IsEmpty());
}

TEST_F(Copies, OneGroupTooFew) {
  for (const std::int64_t rows : {2, 3, 8, 40}) EXPECT_THAT(check(pipeline(rows, 2)), Not(IsEmpty())) << rows;
  EXPECT_THAT(check(pipeline(40, 2)), Contains(HasSubstr("an element of s may be read while its copy is in flight")));
  const Var n("n");
  EXPECT_THAT(check(pipeline(n, 2), {n}), Not(IsEmpty()));
  // After the loop, too: its last iterations begin no copies.
  EXPECT_THAT(check(block({pipeline(8, 1), fill(0, 0), make_barrier(), use(0, 0)})), IsEmpty());
  EXPECT_THAT(check(block({fill(0, 0), commit(), make_barrier(1), use(0, 0)})), Not(IsEmpty()));
  EXPECT_THAT(check(block({fill(0, 0), commit(), make_barrier(1), use(1, 0)})), IsEmpty());
  EXPECT_THAT(check(block({fill(0, 0), commit(), make_barrier(1), make_barrier(), use(0, 0)})), IsEmpty());
}

TEST_F(Copies, WhatIsInNoGroupHasHappened) {
  EXPECT_THAT(check(block({fill(0, 0), make_barrier(1), use(0, 0), make_commit_copies(1)})), IsEmpty());
}

TEST_F(Copies, AreNotOverwritten) {
  EXPECT_THAT(check(block({fill(0, 0), commit(), fill(0, 1)})),
              Contains(HasSubstr("an element of s may be written while its copy is in flight")));
  EXPECT_THAT(check(block({fill(0, 0), commit(), fill(1, 1)})), IsEmpty());
}

TEST_F(Copies, OtherThreadsFromTheBarrierOn) {
  const Stmt own = make_store(c_, {0, x_}, make_load(s_, {0, Expr(x_) + 8 - 8}));
  const Stmt next = make_store(s_, {0, (Expr(x_) + 1) % 8}, 1.0);
  // Before the barrier the check for races reports them.
  EXPECT_THAT(check(block({fill(0, 0), commit(), make_barrier(1), next})), Not(IsEmpty()));
  EXPECT_THAT(check(block({fill(0, 0), commit(), own})), Not(IsEmpty()));
}

TEST_F(Copies, GroupsAreCountedOnBothWaysOfABranch) {
  const Var n("n");
  const auto body = [&](const Stmt& group) {
    return block({fill(0, 0), commit(), make_if(Expr(n) < 3, group), make_barrier(1), use(0, 0)});
  };
  EXPECT_THAT(check(body(commit()), {n}), Not(IsEmpty()));  // for n >= 3 its group is the last one
  EXPECT_THAT(check(block({body(commit()).as<Block>()->stmts[0], commit(), commit(), make_barrier(1), use(0, 0)}), {n}),
              IsEmpty());
}

}  // namespace
}  // namespace nestwright::ir
