#include "nestwright/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ir/programs.h"

namespace nestwright::ir {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// An input and an output of 8 rows and 32 columns, for all tests.
class Verify : public ::testing::Test {
 protected:
  Buffer a_{"A", kFloat32, {8, 32}}, c_{"C", kFloat32, {8, 32}};
  Var i_{"i"}, j_{"j"}, k_{"k"}, n_{"n"};

  std::vector<std::string> check(const Stmt& body, Form form = Form::kLoop) const {
    return verify(program_of({{a_}, {c_, Role::kOutput}}, body, {n_}), form);
  }
};

TEST_F(Verify, AcceptsATiledMatmul) { EXPECT_THAT(verify(TiledMatmul().program(), Form::kLoop), IsEmpty()); }

// --- Definitions -----------------------------------------------------------------------------------------------------

TEST_F(Verify, VariablesAreDefinedOnceAndBeforeUse) {
  const Stmt store = make_store(c_, {i_, 0}, 0.0);
  EXPECT_THAT(check(loop(i_, 8, store)), IsEmpty());
  EXPECT_THAT(check(store), ElementsAre("variable i is used outside of its definition, in `C[i, 0] = 0.0`"));
  EXPECT_THAT(check(block({loop(i_, 8, store), loop(i_, 8, store)})),
              ElementsAre(HasSubstr("variable i is defined again as a loop")));
  EXPECT_THAT(check(loop(n_, 8, make_store(c_, {n_, 0}, 0.0))), ElementsAre(HasSubstr("variable n is defined again")));
  EXPECT_THAT(check(block({make_let(i_, 3, store), make_store(c_, {0, i_}, 0.0)})),
              ElementsAre(HasSubstr("variable i is used outside")));
}

TEST_F(Verify, BuffersAreParametersOrAllocatedAroundTheirUse) {
  const Buffer t("t", kFloat32, {4}, Scope::kLocal);
  const Stmt use = make_store(t, {0}, 0.0);
  EXPECT_THAT(check(make_allocate(t, use)), IsEmpty());
  EXPECT_THAT(check(use), ElementsAre("buffer t is neither a parameter nor allocated here, in `t[0] = 0.0`"));
  EXPECT_THAT(check(block({make_allocate(t, use), make_allocate(t, use)})),
              ElementsAre(HasSubstr("buffer t is allocated twice")));
}

TEST_F(Verify, ParametersArePassedInShapesThatHoldTheirElements) {
  const auto check_shape = [&](std::vector<std::int64_t> shape, const Buffer& buffer) {
    return verify(program_of({{buffer, Role::kInput, -1, false, std::move(shape)}}, {}, {n_}), Form::kLoop);
  };
  const auto refused = ElementsAre("parameter A is passed in a shape that does not hold its elements");
  EXPECT_THAT(check_shape({2, 4, 32}, a_), IsEmpty());
  EXPECT_THAT(check_shape({8, 31}, a_), refused);
  EXPECT_THAT(check_shape({-8, -32}, a_), refused);
  EXPECT_THAT(check_shape({32}, {"A", kFloat32, {n_}}), refused);
  EXPECT_THAT(check_shape({16}, {"A", kFloat32, {4, 4}, Scope::kGlobal, {8, 1}}), refused);
}

TEST_F(Verify, NothingStoresToAnInput) {
  EXPECT_THAT(check(make_store(a_, {0, 0}, 0.0)), ElementsAre("input A is stored to, in `A[0, 0] = 0.0`"));
}

TEST_F(Verify, ValuesAgreeInTypeAndLanes) {
  const Expr lanes = make_ramp(0, 1, 4);
  const auto zeros = [](int n) { return make_float(0, kFloat32.with_lanes(n)); };
  EXPECT_THAT(check(make_store(c_, {0, lanes}, zeros(4)), Form::kVector), IsEmpty());
  EXPECT_THAT(check(make_store(c_, {0, lanes}, 0.0), Form::kVector),
              ElementsAre(HasSubstr("a value of type float32 is stored to float32x4 of C")));
  EXPECT_THAT(check(make_store(c_, {0, lanes}, zeros(4), make_bool(true, 8)), Form::kVector),
              ElementsAre(HasSubstr("the mask of C is boolx8, its access has 4 lanes")));
  EXPECT_THAT(check(make_store(c_, {make_ramp(0, 1, 8), lanes}, zeros(8)), Form::kVector),
              ElementsAre(HasSubstr("the indices of C differ in lanes")));
  // The make functions refuse the others; a pass that builds nodes by hand bypasses them.
  const Expr mixed(std::make_shared<const ExprNode>(ExprNode{kFloat32, Binary{BinaryOp::kAdd, 0.0, Expr(1)}}));
  EXPECT_THAT(check(make_store(c_, {0, 0}, mixed)),
              ElementsAre(HasSubstr("operator + is applied to float32 and int64")));
  const Expr rank(std::make_shared<const ExprNode>(ExprNode{kFloat32, Load{a_, {Expr(0)}, {}}}));
  EXPECT_THAT(check(make_store(c_, {0, 0}, rank)), ElementsAre(HasSubstr("1 indices are given to A of rank 2")));
}

TEST_F(Verify, ReductionsAreLowered) {
  const Expr sum = make_reduce(ReducerKind::kSum, at(a_, {0, 0}), {{k_, 0, 32}});
  EXPECT_THAT(check(make_store(c_, {0, 0}, sum)), ElementsAre(HasSubstr("a reduction was left unlowered")));
}

TEST_F(Verify, KernelsExistAndDoNotLaunch) {
  Program program = program_of({{c_, Role::kOutput}}, make_launch(0));
  EXPECT_THAT(verify(program, Form::kLoop), ElementsAre(HasSubstr("a kernel launches a kernel")));
  program = program_of({{c_, Role::kOutput}}, make_store(c_, {0, 0}, 0.0));
  program.host = make_launch(2);
  EXPECT_THAT(verify(program, Form::kLoop), ElementsAre(HasSubstr("kernel 2 does not exist")));
}

TEST_F(Verify, KernelsSeeWhatTheHostAllocates) {
  const Buffer t("t", kFloat32, {8, 32});
  Program program = program_of({{c_, Role::kOutput}}, make_store(t, {0, 0}, 0.0));
  EXPECT_THAT(verify(program, Form::kLoop), ElementsAre(HasSubstr("buffer t is neither")));
  program.host = make_allocate(t, make_launch(0));
  EXPECT_THAT(verify(program, Form::kLoop), IsEmpty());
}

TEST_F(Verify, PreparationAndCallsKeepToTheirParameters) {
  const Buffer packed("packed", kFloat32, {8, 16});
  const auto with = [&](const Stmt& preparation, const Stmt& call) {
    Program program = program_of({{a_, Role::kInput, -1, true}, {c_, Role::kOutput}, {packed, Role::kPrepared}}, call);
    program.preparation = make_launch(1);
    program.kernels.push_back({"prepare", preparation});
    return verify(program, Form::kLoop);
  };
  const Stmt pack = make_store(packed, {0, 0}, at(a_, {0, 0})), use = make_store(c_, {0, 0}, at(packed, {0, 0}));
  EXPECT_THAT(with(pack, use), IsEmpty());
  EXPECT_THAT(with(pack, make_store(c_, {0, 0}, at(a_, {0, 0}))),
              ElementsAre(HasSubstr("buffer A is neither a parameter nor allocated here")));
  EXPECT_THAT(with(pack, make_store(packed, {0, 0}, at(packed, {0, 0}))),
              ElementsAre(HasSubstr("input packed is stored to")));
  EXPECT_THAT(with(make_store(c_, {0, 0}, at(a_, {0, 0})), use), ::testing::Contains(HasSubstr("buffer C is neither")));
  EXPECT_THAT(with(Stmt(), use), ElementsAre(HasSubstr("what packed is read for in")));
}

// --- Forms -----------------------------------------------------------------------------------------------------------

TEST_F(Verify, TheLoopFormHasNoVectors) {
  const Stmt store = make_store(c_, {0, make_ramp(0, 1, 4)}, make_float(0, kFloat32.with_lanes(4)));
  EXPECT_THAT(check(store, Form::kVector), IsEmpty());
  EXPECT_THAT(check(store, Form::kLoop),
              ::testing::Contains(HasSubstr("the loop form has the vector value ramp(0, 1, 4)")));
}

TEST_F(Verify, TheVectorFormHasNoLoopsLeftToExpand) {
  for (const LoopKind kind : {LoopKind::kVectorized, LoopKind::kUnrolled}) {
    const Stmt nest = loop(i_, 8, make_store(c_, {i_, 0}, 0.0), kind);
    EXPECT_THAT(check(nest, Form::kLoop), IsEmpty());
    EXPECT_THAT(check(nest, Form::kVector), ElementsAre(HasSubstr("the vector form has a")));
    EXPECT_THAT(check(loop(i_, min(8, n_), make_store(c_, {i_, 0}, 0.0), kind), Form::kLoop),
                ElementsAre(HasSubstr("loop over i has no constant extent")));
  }
}

TEST_F(Verify, RegistersHaveConstantIndicesInTheVectorForm) {
  const Buffer r("r", kFloat32, {2, 16}, Scope::kRegister);
  const Expr zeros = make_float(0, kFloat32.with_lanes(16));
  EXPECT_THAT(check(make_allocate(r, make_store(r, {1, make_ramp(0, 1, 16)}, zeros)), Form::kVector), IsEmpty());
  EXPECT_THAT(check(make_allocate(r, loop(i_, 2, make_store(r, {i_, make_ramp(0, 1, 16)}, zeros))), Form::kVector),
              ElementsAre(HasSubstr("register buffer r has the index i, which is not constant in the vector form")));
}

TEST_F(Verify, PlannedStorageLiesInTheWorkspace) {
  const Buffer t("t", kFloat32, {64});
  const auto placed = [&](std::int64_t offset, bool per_thread) {
    const Stmt use = loop(i_, 8, make_allocate(t, make_store(t, {0}, 0.0), offset, per_thread), LoopKind::kParallel);
    Program program = program_of({}, use);
    program.workspace = {1024, 1024};
    return verify(program, Form::kLoop);
  };
  EXPECT_THAT(placed(768, true), IsEmpty());
  EXPECT_THAT(placed(-1, false), IsEmpty());
  EXPECT_THAT(placed(832, true), ElementsAre(HasSubstr("buffer t ends at byte 1088 of a workspace of 1024")));
  EXPECT_THAT(placed(0, false),
              ElementsAre(HasSubstr("in the parallel loop over i but lies where all threads share it")));
}

TEST_F(Verify, BuffersInUseShareNoStorage) {
  // a is written before and read after b: b must not overlap it.
  const auto places = [&](const Expr& extent, std::int64_t at_b, const Expr& symbolic_b, bool a_is_read_later) {
    const Buffer a("a", kFloat32, {extent}), b("b", kFloat32, {extent}), c("c", kFloat32, {1});
    Stmt uses = block({make_store(a, {0}, 1.0), make_store(c, {0}, at(a, {0})), make_store(b, {0}, 2.0),
                       make_store(c_, {0, 0}, a_is_read_later ? at(a, {0}) + at(b, {0}) : at(b, {0}))});
    const Stmt with_b = make_allocate(b, uses, at_b, false, symbolic_b);
    Program program = program_of({{c_, Role::kOutput}}, make_allocate(a, make_allocate(c, with_b), 64), {n_});
    program.workspace = {1024, 0, n_ * 1024, {}};
    return verify(program, Form::kLoop);
  };
  EXPECT_THAT(places(16, 128, {}, true), IsEmpty());
  EXPECT_THAT(places(16, 0, {}, true), IsEmpty());
  EXPECT_THAT(places(16, 64, {}, false), IsEmpty());  // disjoint live ranges share storage
  EXPECT_THAT(places(16, 64, {}, true),
              ElementsAre("buffer b lies at bytes 64 to 128 of the workspace, where a, at bytes 64 to 128, is still in "
                          "use"));
  EXPECT_THAT(places(17, 128, {}, true), ElementsAre(HasSubstr("a, at bytes 64 to 132, is still in use")));
  EXPECT_THAT(places(n_, 64, (n_ * 4 + 63) / 64 * 64, true), IsEmpty());
  EXPECT_THAT(places(n_, 64, n_ * 2, true), ElementsAre(HasSubstr("is still in use")));
}

TEST_F(Verify, ALoopKeepsTheStorageOfWhatIsAllocatedAroundIt) {
  // Each iteration reads a before it writes b, and the next one reads a again.
  const Buffer a("a", kFloat32, {16}), b("b", kFloat32, {16});
  const auto placed = [&](bool b_is_inside) {
    const Stmt read = make_store(c_, {i_, 0}, at(a, {0}));
    const Stmt use = block({make_store(b, {0}, 2.0), make_store(c_, {i_, 1}, at(b, {0}))});
    const Stmt body = b_is_inside
                          ? loop(i_, 8, block({read, make_allocate(b, use, 0)}))
                          : block({loop(i_, 8, read), loop(j_, 8, make_allocate(b, make_store(b, {0}, 2.0), 0))});
    Program program =
        program_of({{c_, Role::kOutput}}, make_allocate(a, block({make_store(a, {0}, 1.0), body}), 0), {});
    program.workspace = {64, 0, {}, {}};
    return verify(program, Form::kLoop);
  };
  EXPECT_THAT(placed(true), ElementsAre(HasSubstr("buffer b lies at bytes 0 to 64 of the workspace, where a, at")));
  EXPECT_THAT(placed(false), IsEmpty());
}

TEST_F(Verify, SymbolicPlacesAreMadeOfSymbols) {
  const Buffer t("t", kFloat32, {n_});
  const auto placed = [&](const Expr& offset, const Expr& size) {
    const Stmt use = loop(i_, 8, make_allocate(t, make_store(t, {0}, 0.0), 64, false, offset));
    Program program = program_of({}, use, {n_});
    program.workspace = {64, 0, size, {}};
    return verify(program, Form::kLoop);
  };
  EXPECT_THAT(placed(n_ * 4, n_ * 8), IsEmpty());
  EXPECT_THAT(placed(i_ * 4, n_ * 8), ElementsAre(HasSubstr("the place of buffer t depends on i, which is no symbol")));
  EXPECT_THAT(placed(n_ * 4, {}), ElementsAre(HasSubstr("but the size of the workspace does not")));
  EXPECT_THAT(placed(n_ * 4, i_ * 8), ElementsAre("the size of the workspace depends on i, which is no symbol"));
  EXPECT_THAT(placed(n_ * 4, make_int(8, kInt32)), ElementsAre("the size of the workspace is int32, not int64"));
}

// --- Bounds ----------------------------------------------------------------------------------------------------------

TEST_F(Verify, AccessesAreWithinBounds) {
  const Stmt copy = make_store(c_, {i_, j_}, at(a_, {i_, j_}));
  EXPECT_THAT(check(loop(i_, 8, loop(j_, 32, copy))), IsEmpty());
  EXPECT_THAT(
      check(loop(i_, 9, loop(j_, 32, copy))),
      ElementsAre("the load from A in `C[i, j] = A[i, j]` is not proved to be within bounds: index 0 is i, which "
                  "may be at or above 8",
                  HasSubstr("the store to C in")));
  EXPECT_THAT(check(loop(i_, 8, make_store(c_, {i_, 0}, at(a_, {Expr(i_) - 1, 0})))),
              ElementsAre(HasSubstr("index 0 is i - 1, which may be negative")));
}

TEST_F(Verify, SplitLoopsStayWithinBounds) {
  const auto nest = [&](int outer, int inner, Expr guard) {
    const Expr row = Expr(i_) * inner + j_;
    Stmt store = make_store(c_, {row, 0}, at(a_, {row, 31}));
    if (guard.defined()) store = make_if(guard, store);
    return check(loop(i_, outer, loop(j_, inner, store)));
  };
  EXPECT_THAT(nest(2, 4, {}), IsEmpty());
  EXPECT_THAT(nest(3, 3, {}), ::testing::SizeIs(2));
  EXPECT_THAT(nest(3, 3, likely(Expr(i_) * 3 + j_ < 8)), IsEmpty());
  EXPECT_THAT(nest(3, 3, likely(Expr(i_) * 3 + j_ < 9)), ::testing::SizeIs(2));
}

TEST_F(Verify, GuardsHoldInTheirBranchOnly) {
  const Stmt store = make_store(c_, {i_, 0}, 0.0);
  const auto guarded = [&](const Expr& condition, const Stmt& then_case, const Stmt& else_case = {}) {
    return check(loop(i_, 20, make_if(condition, then_case, else_case)));
  };
  const Stmt other = make_store(c_, {0, 0}, 0.0);
  EXPECT_THAT(guarded(Expr(i_) < 8, store), IsEmpty());
  EXPECT_THAT(guarded(Expr(i_) < 8, other, store), ::testing::SizeIs(1));
  EXPECT_THAT(guarded(Expr(i_) >= 8, other, store), IsEmpty());
  EXPECT_THAT(guarded(Expr(i_) >= 8 || Expr(i_) == 3, other, store), IsEmpty());
  EXPECT_THAT(guarded(Expr(i_) < 8 && Expr(j_) < 3, store), ::testing::Not(IsEmpty()));
}

TEST_F(Verify, WhatNeverHappensIsWithinBounds) {
  const auto masked = [&](const Expr& row, const Expr& mask) {
    return check(loop(i_, 8, make_store(c_, {i_, 0}, make_load(a_, {row, 0}, mask))));
  };
  EXPECT_THAT(masked(-1, Expr(0) - 1 >= 0), IsEmpty());
  EXPECT_THAT(masked(-1, Expr(0) - 1 < 0), ::testing::SizeIs(1));
  EXPECT_THAT(masked(Expr(i_) + 8, Expr(i_) * 2 >= 16), IsEmpty());
  EXPECT_THAT(masked(Expr(i_) + 8, Expr(i_) * 2 >= 14), ::testing::SizeIs(1));
  const Stmt outside = make_store(c_, {8, 0}, 0.0), other = make_store(c_, {0, 0}, 0.0);
  EXPECT_THAT(check(loop(i_, 8, make_if(Expr(i_) < 8, other, outside))), IsEmpty());
  EXPECT_THAT(check(loop(i_, 8, make_if(Expr(i_) < 7, other, outside))), ::testing::SizeIs(1));
}

TEST_F(Verify, GuardsOnPartsOfAFusedLoop) {
  const auto fused = [&](int tiles) {
    const Var outer("outer"), inner("inner");
    const Stmt store = make_store(c_, {Expr(outer) * 3 + inner, 0}, 0.0);
    return check(
        loop(k_, 30, make_let(outer, Expr(k_) / 3, make_let(inner, Expr(k_) % 3, make_if(outer < tiles, store)))));
  };
  EXPECT_THAT(fused(2), IsEmpty());
  EXPECT_THAT(fused(3), ElementsAre(HasSubstr("index 0 is k/3*3 + k%3, which may be at or above 8")));
}

TEST_F(Verify, GuardsOnOneDigitOfAnIndex) {
  const Buffer p("P", kFloat32, {20});
  const auto guarded = [&](int tiles) {
    const Expr tile = Expr(k_) / 4 % 2;  // with k % 4 the digits of k % 8
    const Stmt store = make_store(p, {Expr(j_) * 8 + tile * 4 + Expr(k_) % 4}, 0.0);
    const Stmt body = loop(j_, 4, loop(k_, 100, make_if(Expr(j_) * 2 + tile < tiles, store)));
    return verify(program_of({{p, Role::kOutput}}, body), Form::kLoop);
  };
  EXPECT_THAT(guarded(5), IsEmpty());
  EXPECT_THAT(guarded(6), ::testing::SizeIs(1));
}

TEST_F(Verify, BoundsThatAreMinimaOrSymbols) {
  const Buffer x("X", kFloat32, {n_});
  const auto with_x = [&](const Stmt& body) {
    return verify(program_of({{x, Role::kOutput}}, body, {n_}), Form::kLoop);
  };
  EXPECT_THAT(with_x(loop(i_, n_, make_store(x, {i_}, 0.0))), IsEmpty());
  EXPECT_THAT(with_x(loop(i_, Expr(n_) + 1, make_store(x, {i_}, 0.0))), ::testing::SizeIs(1));
  const Expr row = Expr(i_) * 16 + j_;
  const Stmt store = make_store(x, {row}, 0.0);
  const auto tail = [&](const Expr& extent) { return loop(i_, (Expr(n_) + 15) / 16, loop(j_, extent, store)); };
  EXPECT_THAT(with_x(tail(min(16, Expr(n_) - Expr(i_) * 16))), IsEmpty());
  EXPECT_THAT(with_x(tail(16)), ::testing::SizeIs(1));
  EXPECT_THAT(with_x(loop(i_, Expr(n_) / 16, loop(j_, 16, store))), IsEmpty());
  EXPECT_THAT(with_x(loop(i_, (Expr(n_) + 15) / 16, loop(j_, 16, make_if(row < n_, store)))), IsEmpty());
}

TEST_F(Verify, LoopsThatDoNotStartAtZeroAndLets) {
  const Stmt inner = make_for(j_, Expr(i_) * 4, 4, LoopKind::kSerial, make_store(c_, {j_, 0}, 0.0));
  EXPECT_THAT(check(loop(i_, 2, inner)), IsEmpty());
  EXPECT_THAT(check(loop(i_, 3, inner)), ::testing::SizeIs(1));
  const Stmt let = make_let(k_, Expr(i_) + 1, make_store(c_, {k_, 0}, 0.0));
  EXPECT_THAT(check(loop(i_, 7, let)), IsEmpty());
  EXPECT_THAT(check(loop(i_, 8, let)), ::testing::SizeIs(1));
}

TEST_F(Verify, DivisionsStayWithinBounds) {
  const Buffer p("P", kFloat32, {3, 4, 3});
  const auto packed = [&](int extent, Expr guard) {
    Stmt store = make_store(p, {Expr(i_) / 4, Expr(i_) % 4, Expr(i_) / 4 * 4 / 4}, 0.0);
    return verify(program_of({{p, Role::kOutput}}, loop(i_, extent, make_if(guard, store))), Form::kLoop);
  };
  EXPECT_THAT(packed(100, Expr(i_) < 12), IsEmpty());
  EXPECT_THAT(packed(100, Expr(i_) < 13), ::testing::Not(IsEmpty()));
}

TEST_F(Verify, MasksGuardLanes) {
  const Expr lanes = make_ramp(Expr(i_) * 16, 1, 16), zeros = make_float(0, kFloat32.with_lanes(16));
  const auto store = [&](int outer, Expr mask) {
    return check(loop(i_, outer, make_store(c_, {0, lanes}, zeros, std::move(mask))), Form::kVector);
  };
  EXPECT_THAT(store(2, {}), IsEmpty());
  EXPECT_THAT(store(3, {}), ::testing::SizeIs(1));
  EXPECT_THAT(store(3, lanes < make_broadcast(32, 16)), IsEmpty());
  EXPECT_THAT(store(3, lanes < make_broadcast(33, 16)), ::testing::SizeIs(1));
  const Expr loaded = make_load(a_, {0, lanes}, lanes < make_broadcast(32, 16));
  EXPECT_THAT(check(loop(i_, 3, make_store(c_, {0, make_ramp(0, 1, 16)}, loaded)), Form::kVector), IsEmpty());
  EXPECT_THAT(
      check(loop(i_, 3, make_if(lanes < make_broadcast(32, 16), make_store(c_, {0, lanes}, zeros))), Form::kVector),
      IsEmpty());
}

TEST_F(Verify, GathersCannotBeProved) {
  const Buffer p("P", kInt64, {8});
  const Stmt gather = make_store(c_, {0, 0}, at(a_, {at(p, {3}), 0}));
  EXPECT_THAT(verify(program_of({{a_}, {p}, {c_, Role::kOutput}}, gather), Form::kLoop),
              ElementsAre(HasSubstr("index 0 is P[3], which may be negative")));
  const Expr clamped = max(0, min(at(p, {3}), 7));
  EXPECT_THAT(
      verify(program_of({{a_}, {p}, {c_, Role::kOutput}}, make_store(c_, {0, 0}, at(a_, {clamped, 0}))), Form::kLoop),
      IsEmpty());
}

TEST_F(Verify, PrefetchesMayPointAnywhere) { EXPECT_THAT(check(make_prefetch(a_, {1000, -1}, false, 2)), IsEmpty()); }

}  // namespace
}  // namespace nestwright::ir
