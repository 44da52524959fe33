// Uses before definition, scopes, and programs of several kernels: what the verifier reports, and what it accepts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/program.h"
#include "tests/ir/programs.h"

namespace nestwright::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Definitions : public ::testing::Test {
 protected:
  Buffer a{"A", kFloat32, {8}}, c{"C", kFloat32, {8}}, t{"T", kFloat32, {8}};
  Var i{"i"}, j{"j"}, k{"k"};
  std::vector<std::string> check(const Stmt& body, std::vector<Var> symbols = {}) const {
    return verify(program_of({{a}, {c, Role::kOutput}}, body, std::move(symbols)), Form::kLoop);
  }
};

TEST_F(Definitions, AnAllocationIsWrittenBeforeItIsRead) {
  const Stmt write = loop(i, 8, make_store(t, {i}, at(a, {i})));
  const Stmt read = loop(j, 8, make_store(c, {j}, at(t, {j})));
  EXPECT_THAT(check(make_allocate(t, block({write, read}))), IsEmpty());
  const std::string message =
      "what T is read for in `C[j] = T[j]` was not written before: no statement ahead of it stores to that element";
  EXPECT_THAT(check(make_allocate(t, block({read, write}))), ElementsAre(message));
  EXPECT_THAT(check(make_allocate(t, read)), ElementsAre(message));
}

TEST_F(Definitions, AReductionIsInitialised) {
  const Stmt update = loop(k, 8, make_store(c, {0}, at(c, {0}) + at(a, {k})));
  EXPECT_THAT(check(block({make_store(c, {0}, 0.0), update})), IsEmpty());
  EXPECT_THAT(check(update), ElementsAre("what C is read for in `C[0] = C[0] + A[k]` was not written before: no "
                                         "statement ahead of it stores to that element"));
}

TEST_F(Definitions, OtherElementsDoNotCount) {
  const Stmt first_half = loop(i, 4, make_store(t, {i}, at(a, {i})));
  const Stmt second_half = loop(j, 4, make_store(c, {j}, at(t, {j + 4})));
  EXPECT_THAT(check(make_allocate(t, block({first_half, second_half}))),
              ElementsAre("what T is read for in `C[j] = T[j + 4]` was not written before: no statement ahead of it "
                          "stores to that element"));
}

TEST_F(Definitions, AnEarlierIterationCounts) {
  // C[i] = T of the iteration before, which only the first one does not have.
  const Buffer last("L", kFloat32, {1});
  const Stmt read = make_store(c, {i}, at(last, {0})), write = make_store(last, {0}, at(a, {i}));
  EXPECT_THAT(check(make_allocate(last, loop(i, 8, block({make_if(Expr(i) > 0, read), write})))), IsEmpty());
  EXPECT_THAT(check(make_allocate(last, loop(i, 8, block({read, write})))),
              ElementsAre("what L is read for in `C[i] = L[0]` was not written before: no statement ahead of it stores "
                          "to that element"));
  EXPECT_THAT(check(loop(i, 8, make_allocate(last, block({make_if(Expr(i) > 0, read), write})))),
              ElementsAre("what L is read for in `C[i] = L[0]` was not written before: no statement ahead of it stores "
                          "to that element"))
      << "each iteration has a buffer of its own";
}

TEST_F(Definitions, RowsOfAScan) {
  // S[0] = A[0]; for t in 1..8: S[t] = S[t - 1] + A[t]
  const Stmt init = make_store(c, {0}, at(a, {0}));
  const Stmt step = make_for(i, 1, 7, LoopKind::kSerial, make_store(c, {i}, at(c, {Expr(i) - 1}) + at(a, {i})));
  EXPECT_THAT(check(block({init, step})), IsEmpty());
  EXPECT_THAT(check(step), ElementsAre("what C is read for in `C[i] = C[i - 1] + A[i]` was not written before: no "
                                       "statement ahead of it stores to that element"));
}

class Scopes : public Definitions {};

TEST_F(Scopes, PrivateBuffersBelongToOneThread) {
  const Buffer own("t", kFloat32, {8}, Scope::kLocal), tile("r", kFloat32, {1}, Scope::kRegister);
  const auto body = [&](const Buffer& buffer, const Expr& index) {
    return block({make_store(buffer, {index}, at(a, {i})), make_store(c, {i}, at(buffer, {index}))});
  };
  for (const LoopKind kind : {LoopKind::kParallel, LoopKind::kBlockX, LoopKind::kThreadX}) {
    EXPECT_THAT(check(loop(i, 8, make_allocate(own, body(own, 0)), kind)), IsEmpty());
    const std::string loop_name = std::string(loop_kind_name(kind)) + " loop over i: it is allocated outside of it";
    EXPECT_THAT(check(make_allocate(own, loop(i, 8, body(own, i), kind))),
                ElementsAre("local buffer t is shared by the iterations of the " + loop_name + ", in `t[i] = A[i]`",
                            "local buffer t is shared by the iterations of the " + loop_name + ", in `C[i] = t[i]`"));
  }
  EXPECT_THAT(check(make_allocate(own, loop(i, 8, body(own, i), LoopKind::kVectorized))), IsEmpty());
  EXPECT_THAT(check(make_allocate(tile, loop(i, 8, body(tile, 0)))), IsEmpty());
}

TEST_F(Scopes, SharedBuffersBelongToOneBlock) {
  const Buffer shared("s", kFloat32, {8}, Scope::kShared);
  const Stmt copy = loop(j, 8, make_store(shared, {j}, at(a, {j})), LoopKind::kThreadX);
  const Stmt use = loop(k, 8, make_store(c, {k}, at(shared, {7 - Expr(k)})), LoopKind::kThreadX);
  const Stmt body = block({copy, make_barrier(), use});
  EXPECT_THAT(check(make_allocate(shared, body)), IsEmpty()) << "a launch of one block";
  EXPECT_THAT(check(loop(i, 1, make_allocate(shared, body), LoopKind::kBlockX)), IsEmpty());
  EXPECT_THAT(
      check(make_allocate(shared, loop(i, 1, body, LoopKind::kBlockX))),
      ElementsAre(::testing::StartsWith("shared buffer s is allocated outside of the loops over blocks, in `")));
  const Stmt serial = loop(j, 8, make_store(shared, {j}, at(a, {j})));
  EXPECT_THAT(
      check(make_allocate(shared, serial)),
      ElementsAre(::testing::StartsWith("shared buffer s is allocated outside of the loops over blocks, in `")));
}

/// The cumulative sum over rows as two kernels: one launch for the first row, one for each other row. Extents and
/// strides are symbolic; columns run in blocks of 256 threads.
struct ScanProgram {
  Var m{"m"}, n{"n"}, s0{"s0"}, s1{"s1"}, t{"t"};
  Buffer x{"X", kFloat32, {m, n}, Scope::kGlobal, {s0, s1}}, s{"S", kFloat32, {m, n}};

  Stmt columns(const Expr& row, const Expr& previous, const Var& block_index, const Var& thread, bool guarded) const {
    const Expr column = Expr(block_index) * 256 + thread;
    const Expr before = previous.defined() ? at(s, {previous, column}) + at(x, {row, column}) : at(x, {row, column});
    const Stmt store = make_store(s, {row, column}, before);
    return loop(block_index, (Expr(n) + 255) / 256,
                loop(thread, 256, guarded ? make_if(likely(column < n), store) : store, LoopKind::kThreadX),
                LoopKind::kBlockX);
  }
  Program program(const Expr& previous, bool guarded = true) const {
    Program result;
    result.name = "scan";
    result.parameters = {{x}, {s, Role::kOutput}};
    result.symbols = {m, n, s0, s1};
    result.kernels = {{"init", columns(0, {}, Var("b0"), Var("t0"), true)},
                      {"update", columns(t, previous, Var("b1"), Var("t1"), guarded)}};
    result.host = block({make_launch(0), make_for(t, 1, Expr(m) - 1, LoopKind::kSerial, make_launch(1))});
    return result;
  }
};

TEST(SeveralKernels, SeeTheVariableOfTheHostLoop) {
  const ScanProgram scan;
  EXPECT_THAT(verify(scan.program(Expr(scan.t) - 1), Form::kLoop), IsEmpty());
}

TEST(SeveralKernels, AreHeldToTheirBounds) {
  const ScanProgram scan;
  EXPECT_THAT(verify(scan.program(Expr(scan.t) + 1), Form::kLoop),
              ::testing::Contains(::testing::HasSubstr("index 0 is t + 1, which may be at or above m")));
  EXPECT_THAT(verify(scan.program(Expr(scan.t) - 1, false), Form::kLoop),
              ::testing::Contains(::testing::HasSubstr("which may be at or above n")));
}

TEST(SeveralKernels, AVariableOfNoLoopAroundIsReported) {
  const ScanProgram scan;
  Program program = scan.program(Expr(scan.t) - 1);
  program.host = block({make_launch(0), make_launch(1)});
  EXPECT_THAT(verify(program, Form::kLoop),
              ::testing::Contains(::testing::HasSubstr("variable t is used outside of its definition")));
}

TEST(SeveralKernels, TheOneThatInitialisesComesFirst) {
  const ScanProgram scan;
  Program program = scan.program(Expr(scan.t) - 1);
  program.kernels.erase(program.kernels.begin());
  program.host = make_for(scan.t, 1, Expr(scan.m) - 1, LoopKind::kSerial, make_launch(0));
  EXPECT_THAT(verify(program, Form::kLoop),
              ElementsAre(::testing::StartsWith("what S is read for in `S[t, b1*256 + t1]")));
}

}  // namespace
}  // namespace nestwright::ir
