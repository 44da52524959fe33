#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "nestwright/program.h"
#include "tests/ir/programs.h"
#include "tests/support/soak.h"

namespace nestwright::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// An input and an output of 8 rows and 32 columns.
class VerifyRaces : public ::testing::Test {
 protected:
  Buffer a_{"A", kFloat32, {8, 32}}, c_{"C", kFloat32, {8, 32}};
  Var f_{"f"}, i_{"i"}, j_{"j"}, k_{"k"}, n_{"n"};

  /// The violations of `body` after a statement that initialises the output.
  std::vector<std::string> check(const Stmt& body) const {
    const Var row("row"), column("column");
    const Stmt filled = loop(row, 8, loop(column, 32, make_store(c_, {row, column}, 0.0)));
    return verify(program_of({{a_}, {c_, Role::kOutput}}, block({filled, body}), {n_}), Form::kLoop);
  }
  Stmt store(std::vector<Expr> indices) const { return make_store(c_, std::move(indices), 0.0); }
  static Stmt parallel(const Var& var, Expr extent, Stmt body) {
    return loop(var, std::move(extent), std::move(body), LoopKind::kParallel);
  }
};

TEST_F(VerifyRaces, IterationsStoreToTheirOwnElements) {
  EXPECT_THAT(check(parallel(i_, 8, store({i_, 0}))), IsEmpty());
  EXPECT_THAT(check(parallel(i_, 8, store({0, 0}))),
              ElementsAre("two iterations of the parallel loop over i may touch one element of C: it is stored in "
                          "`C[0, 0] = 0.0`"));
  EXPECT_THAT(check(parallel(i_, 8, store({Expr(i_) / 2, 0}))), ::testing::SizeIs(1));
  EXPECT_THAT(check(parallel(i_, 8, store({7 - Expr(i_), Expr(i_) % 4}))), IsEmpty());
}

TEST_F(VerifyRaces, EveryConcurrentKindIsChecked) {
  for (const LoopKind kind :
       {LoopKind::kParallel, LoopKind::kVectorized, LoopKind::kBlockX, LoopKind::kBlockY, LoopKind::kBlockZ,
        LoopKind::kThreadX, LoopKind::kThreadY, LoopKind::kThreadZ, LoopKind::kVirtualThread}) {
    EXPECT_THAT(check(loop(i_, 8, store({i_, 0}), kind)), IsEmpty()) << loop_kind_name(kind);
    EXPECT_THAT(check(loop(i_, 8, store({0, 0}), kind)), ::testing::SizeIs(1)) << loop_kind_name(kind);
  }
  for (const LoopKind kind : {LoopKind::kSerial, LoopKind::kUnrolled})
    EXPECT_THAT(check(loop(i_, 8, store({0, 0}), kind)), IsEmpty()) << loop_kind_name(kind);
}

TEST_F(VerifyRaces, TilesMustNotOverlap) {
  const auto tiles = [&](int step, int width) {
    return check(parallel(i_, 4, loop(j_, width, store({0, Expr(i_) * step + j_}))));
  };
  EXPECT_THAT(tiles(8, 8), IsEmpty());
  EXPECT_THAT(tiles(8, 5), IsEmpty());
  EXPECT_THAT(tiles(7, 8), ElementsAre(HasSubstr("parallel loop over i may touch one element of C")));
  // Clipped tiles, and loops that start at the start of their tile.
  const Stmt clipped = loop(j_, min(8, 30 - Expr(i_) * 8), store({0, Expr(i_) * 8 + j_}));
  EXPECT_THAT(check(parallel(i_, 4, clipped)), IsEmpty());
  const Stmt placed = make_for(j_, Expr(i_) * 8, 8, LoopKind::kSerial, store({0, j_}));
  EXPECT_THAT(check(parallel(i_, 4, placed)), IsEmpty());
  const Stmt overlapping = make_for(j_, Expr(i_) * 7, 8, LoopKind::kSerial, store({0, j_}));
  EXPECT_THAT(check(parallel(i_, 4, overlapping)), ::testing::SizeIs(1));
}

TEST_F(VerifyRaces, OuterLoopsStandStill) {
  EXPECT_THAT(check(loop(i_, 2, parallel(j_, 4, loop(k_, 4, store({0, Expr(i_) * 16 + Expr(j_) * 4 + k_}))))),
              IsEmpty());
  EXPECT_THAT(check(loop(i_, 2, parallel(j_, 4, store({i_, 0})))), ::testing::SizeIs(1));
}

TEST_F(VerifyRaces, TheLoopsPartIsADigitBetweenOthers) {
  // k * large + i * step + j: threads that distribute the elements of a tile, some of them in each round.
  const auto digits = [&](int large, int step, int smaller) {
    const Expr index = Expr(k_) * large + Expr(i_) * step + j_;
    return check(parallel(i_, 4, loop(k_, 2, loop(j_, smaller, store({0, index})))));
  };
  EXPECT_THAT(digits(8, 2, 2), IsEmpty());
  EXPECT_THAT(digits(12, 3, 2), IsEmpty());
  EXPECT_THAT(digits(8, 2, 3), ::testing::SizeIs(1));   // the terms below carry over
  EXPECT_THAT(digits(6, 2, 2), ::testing::SizeIs(1));   // the part of the loop carries over
  EXPECT_THAT(digits(10, 3, 2), ::testing::SizeIs(1));  // both together carry over: 3*3 + 1 is 10
}

TEST_F(VerifyRaces, FusedLoopsAreTakenApart) {
  const Expr row = Expr(f_) / 4, tile = Expr(f_) % 4;
  EXPECT_THAT(check(parallel(f_, 32, loop(j_, 8, store({row, tile * 8 + j_})))), IsEmpty());
  EXPECT_THAT(check(parallel(f_, 32, loop(j_, 8, store({row, j_})))), ::testing::SizeIs(1));
  EXPECT_THAT(check(parallel(f_, 32, loop(j_, 8, store({tile, j_})))), ::testing::SizeIs(1));
  EXPECT_THAT(check(parallel(f_, 32, loop(j_, 9, store({row, tile * 7 + j_})))), ::testing::SizeIs(1));
  // Through lets, three loops fused into one, and all in one dimension.
  EXPECT_THAT(check(parallel(f_, 32, make_let(i_, row, make_let(k_, tile, store({i_, k_}))))), IsEmpty());
  const Buffer x("X", kFloat32, {2, 3, 5}), y("Y", kFloat32, {32});
  const auto on = [&](const Buffer& out, const Stmt& body) {
    return verify(program_of({{out, Role::kOutput}}, body), Form::kLoop);
  };
  EXPECT_THAT(on(x, parallel(f_, 30, make_store(x, {Expr(f_) / 15, Expr(f_) / 5 % 3, Expr(f_) % 5}, 0.0))), IsEmpty());
  EXPECT_THAT(on(x, parallel(f_, 30, make_store(x, {Expr(f_) / 15, Expr(f_) / 5 % 3, Expr(f_) % 4}, 0.0))),
              ::testing::SizeIs(1));
  EXPECT_THAT(on(y, parallel(f_, 32, make_store(y, {Expr(f_) / 4 + Expr(f_) % 4 * 8}, 0.0))), IsEmpty());
}

TEST_F(VerifyRaces, FusedLoopsOverVectors) {
  // Two loops over the fused one of rows and vectors of `lanes` elements, in rows of 6 vectors.
  const auto vectors = [&](int length, int lanes) {
    const Expr fused = Expr(i_) * 16 + f_;
    const Stmt body = make_if(fused < 48, loop(j_, lanes, store({fused / length, fused % length * 4 + j_})));
    return check(parallel(i_, 3, parallel(f_, 16, body)));
  };
  EXPECT_THAT(vectors(6, 4), IsEmpty());
  EXPECT_THAT(vectors(6, 5), ::testing::Not(IsEmpty()));
  EXPECT_THAT(vectors(7, 4), IsEmpty());
}

TEST_F(VerifyRaces, FusedLoopsShiftedByAnOuterOne) {
  const Expr fused = Expr(i_) * 16 + f_;
  EXPECT_THAT(check(loop(i_, 2, parallel(f_, 16, store({fused / 4, fused % 4})))), IsEmpty());
  EXPECT_THAT(check(loop(i_, 2, parallel(f_, 16, store({fused / 4, fused % 2})))), ::testing::SizeIs(1));
}

TEST_F(VerifyRaces, TilesOfAFusedLoop) {
  const auto tiles = [&](int width, int divisor, int modulus) {
    const Expr fused = Expr(f_) * 5 + j_;
    const Stmt store = make_if(fused < 24, this->store({fused / divisor, fused % modulus}));
    return check(parallel(f_, 5, loop(j_, width, store)));
  };
  EXPECT_THAT(tiles(5, 3, 3), IsEmpty());
  EXPECT_THAT(tiles(6, 3, 3), ::testing::SizeIs(1));
  EXPECT_THAT(tiles(5, 3, 2), ::testing::SizeIs(1));
  EXPECT_THAT(tiles(5, 4, 3), ::testing::SizeIs(1));
  const Buffer x("X", kFloat32, {2, 3, 4});  // of three loops fused into one
  const Expr fused = Expr(f_) * 5 + j_;
  const auto three = [&](const Expr& middle) {
    const Stmt store = make_if(fused < 24, make_store(x, {fused / 12, middle, fused % 4}, 0.0));
    return verify(program_of({{x, Role::kOutput}}, parallel(f_, 5, loop(j_, 5, store))), Form::kLoop);
  };
  EXPECT_THAT(three(fused / 4 % 3), IsEmpty());
  EXPECT_THAT(three(fused / 3 % 3), ::testing::SizeIs(1));
}

// Threads copy a tile in rounds: neither their number nor the weights of the digits are multiples of each other.
TEST_F(VerifyRaces, RoundsThroughAFusedLoop) {
  const auto rounds = [&](int threads, const std::vector<std::int64_t>& divisors, bool in_turns = false) {
    const Buffer x("X", kFloat32, {2, 3, 7, 6});
    const Expr fused = Expr(j_) * 21 + f_;
    std::vector<Expr> indices{in_turns ? Expr(i_) % 2 : Expr(0), fused / divisors[0], fused / divisors[1] % 7,
                              fused % divisors[2]};
    const Stmt body = make_if(fused < 126, make_store(x, std::move(indices), 0.0));
    const Stmt threads_body = loop(i_, 4, loop(j_, 6, body));
    return verify(program_of({{x, Role::kOutput}}, parallel(f_, threads, threads_body)), Form::kLoop);
  };
  EXPECT_THAT(rounds(21, {42, 6, 6}), IsEmpty());
  EXPECT_THAT(rounds(22, {42, 6, 6}), ::testing::SizeIs(1));
  EXPECT_THAT(rounds(21, {42, 7, 6}), ::testing::SizeIs(1));
  EXPECT_THAT(rounds(21, {42, 6, 5}), ::testing::SizeIs(1));
  // The index of the half of a buffer that the rounds fill is not one of their digits.
  EXPECT_THAT(rounds(21, {42, 6, 6}, true), IsEmpty());

  const auto permuted = [&](int threads) {
    const Buffer x("X", kFloat32, {6, 3, 7});
    const Expr fused = Expr(j_) * 21 + f_;
    const Stmt body = make_if(fused < 126, make_store(x, {fused % 6, fused / 42, fused / 6 % 7}, 0.0));
    return verify(program_of({{x, Role::kOutput}}, parallel(f_, threads, loop(j_, 6, body))), Form::kLoop);
  };
  EXPECT_THAT(permuted(21), IsEmpty());
  EXPECT_THAT(permuted(24), ::testing::SizeIs(1));
}

TEST_F(VerifyRaces, TilesOfSymbolicNumber) {
  const Buffer x("X", kFloat32, {n_});
  const auto tiles = [&](int width) {
    const Expr index = Expr(j_) * 4 + f_;
    const Stmt store = make_if(index < n_, make_store(x, {index}, 0.0));
    return verify(program_of({{x, Role::kOutput}}, parallel(f_, width, loop(j_, (Expr(n_) + 3) / 4, store)), {n_}),
                  Form::kLoop);
  };
  EXPECT_THAT(tiles(4), IsEmpty());
  EXPECT_THAT(tiles(5), ::testing::SizeIs(1));
}

TEST_F(VerifyRaces, FusedLoopsOfSymbolicExtent) {
  const Buffer x("X", kFloat32, {4, n_});
  const auto on = [&](const Expr& row, const Expr& column) {
    const Stmt guarded = make_if(row < 4 && column < n_ && column >= 0 && row >= 0, make_store(x, {row, column}, 0.0));
    return verify(program_of({{x, Role::kOutput}}, parallel(f_, Expr(n_) * 4, guarded), {n_}), Form::kLoop);
  };
  EXPECT_THAT(on(Expr(f_) / n_, Expr(f_) % n_), IsEmpty());
  EXPECT_THAT(on(Expr(f_) / n_, Expr(f_) % (Expr(n_) + 1)), ::testing::SizeIs(1));
}

TEST_F(VerifyRaces, ReadersMustStayWithTheirIteration) {
  const auto shifted = [&](const Expr& row) {
    return check(parallel(i_, 7, make_store(c_, {i_, 0}, at(c_, {row, 0}) + 1.0)));
  };
  EXPECT_THAT(shifted(i_), IsEmpty());
  EXPECT_THAT(shifted(Expr(i_) + 1), ElementsAre(HasSubstr("it is stored in `C[i, 0] = C[i + 1, 0] + 1.0` and loaded "
                                                           "in `C[i, 0] = C[i + 1, 0] + 1.0`")));
  EXPECT_THAT(shifted(7), IsEmpty());  // a row that none of them stores to
  EXPECT_THAT(check(parallel(i_, 4, make_store(c_, {Expr(i_) * 2, 0}, at(c_, {Expr(i_) * 2 + 1, 0})))), IsEmpty());
  EXPECT_THAT(check(parallel(i_, 8, make_store(c_, {i_, 0}, at(a_, {0, 0})))), IsEmpty());
}

TEST_F(VerifyRaces, ParallelReductionsAreRaces) {
  const Stmt sum = make_store(c_, {i_, 0}, at(c_, {i_, 0}) + at(a_, {i_, k_}));
  EXPECT_THAT(check(parallel(i_, 8, loop(k_, 32, sum))), IsEmpty());
  EXPECT_THAT(check(loop(i_, 8, parallel(k_, 32, sum))), ElementsAre(HasSubstr("parallel loop over k")));
  EXPECT_THAT(check(loop(i_, 8, loop(k_, 32, sum, LoopKind::kVectorized))),
              ElementsAre(HasSubstr("vectorized loop over k")));
}

TEST_F(VerifyRaces, WhatAnIterationAllocatesIsItsOwn) {
  const Buffer t("t", kFloat32, {4}, Scope::kLocal);
  const Stmt use = block({make_store(t, {0}, 0.0), make_store(c_, {i_, 0}, at(t, {0}))});
  EXPECT_THAT(check(parallel(i_, 8, make_allocate(t, use))), IsEmpty());
  const Buffer g("g", kFloat32, {4});
  const Stmt together = block({make_store(g, {0}, 0.0), make_store(c_, {i_, 0}, at(g, {0}))});
  EXPECT_THAT(check(make_allocate(g, parallel(i_, 8, together))), ElementsAre(HasSubstr("one element of g")));
}

TEST_F(VerifyRaces, AGuardMayLeaveOneIteration) {
  const Stmt first = make_if(Expr(i_) == 0, store({0, 31}));
  EXPECT_THAT(check(parallel(i_, 8, first)), IsEmpty());
  EXPECT_THAT(check(parallel(i_, 8, make_if(Expr(i_) <= 1, store({0, 31})))), ::testing::SizeIs(1));
}

TEST_F(VerifyRaces, BranchesShareOutTheIterations) {
  // Tiles of 4, and from the fifth on of 3: the fifth starts at 12 + shift.
  const auto tiles = [&](const Expr& condition, int shift) {
    const Stmt wide = loop(j_, 4, store({0, Expr(i_) * 4 + j_}));
    const Stmt narrow = loop(k_, 3, store({0, Expr(i_) * 3 + k_ + shift}));
    return check(parallel(i_, 8, make_if(condition, wide, narrow)));
  };
  EXPECT_THAT(tiles(Expr(i_) < 4, 4), IsEmpty());
  EXPECT_THAT(tiles(Expr(i_) <= 3, 6), IsEmpty());
  EXPECT_THAT(tiles(Expr(i_) < 4, 3), ElementsAre(HasSubstr("parallel loop over i may touch one element of C")));
  EXPECT_THAT(tiles(Expr(i_) < 5, 4), ElementsAre(HasSubstr("parallel loop over i may touch one element of C")));
  // A fused loop, whose quotient chooses the branch.
  const auto fused = [&](int shift) {
    const Expr row = Expr(f_) / 4, tile = Expr(f_) % 4;
    const Stmt wide = loop(j_, 4, store({tile, row * 4 + j_})), narrow = loop(k_, 3, store({tile, k_ + shift}));
    return check(parallel(f_, 16, make_if(row < 3, wide, make_if(row == 3, narrow))));
  };
  EXPECT_THAT(fused(12), IsEmpty());
  EXPECT_THAT(fused(11), ElementsAre(HasSubstr("parallel loop over f may touch one element of C")));
}

TEST_F(VerifyRaces, ArmsOfAConditionOnTheLane) {
  const auto arms = [&](const Expr& other) {
    const Expr column = Expr(j_) * 4 + k_;
    const Stmt choice = make_if(column < 10, make_store(c_, {0, column}, at(a_, {0, column})), store({0, other}));
    return check(loop(j_, 3, loop(k_, 4, choice, LoopKind::kVectorized)));
  };
  EXPECT_THAT(arms(Expr(j_) * 4 + k_), IsEmpty());
  EXPECT_THAT(arms(Expr(j_) * 4 + k_ - 1), ElementsAre(HasSubstr("vectorized loop over k")));
  EXPECT_THAT(arms(Expr(j_) * 4 - k_ + 4), ElementsAre(HasSubstr("vectorized loop over k")));
}

TEST_F(VerifyRaces, ConditionsOnInnerLoopsAndElementsDoNotDistinguishIterations) {
  // Each iteration executes both branches, with an inner variable of its own.
  const Stmt both = make_if(Expr(j_) < 2, store({0, j_}), store({1, Expr(j_) - 2}));
  EXPECT_THAT(check(parallel(i_, 2, loop(j_, 4, both))), ::testing::SizeIs(1));
  const Stmt crossing = make_if(Expr(j_) < 2, store({Expr(i_) + 1, j_}), store({Expr(i_) + 2, Expr(j_) - 2}));
  EXPECT_THAT(check(parallel(i_, 2, loop(j_, 4, crossing))), ::testing::SizeIs(1));
  // A loaded element may change between the two iterations.
  const Buffer p("P", kInt64, {1});
  const Stmt chosen = make_if(at(p, {0}) == Expr(i_), store({0, 0}));
  EXPECT_THAT(verify(program_of({{p}, {c_, Role::kOutput}}, parallel(i_, 8, chosen)), Form::kLoop),
              ::testing::SizeIs(1));
}

TEST_F(VerifyRaces, ScattersCannotBeProved) {
  const Buffer p("P", kInt64, {8});
  const Expr row = max(0, min(at(p, {i_}), 7));
  EXPECT_THAT(verify(program_of({{p}, {c_, Role::kOutput}}, parallel(i_, 8, store({row, 0}))), Form::kLoop),
              ElementsAre(HasSubstr("may touch one element of C")));
}

TEST_F(VerifyRaces, VectorsCoverTheirLanes) {
  const auto rows = [&](int step, int lanes) {
    const Stmt body =
        make_store(c_, {0, make_ramp(Expr(i_) * step, 1, lanes)}, make_float(0, kFloat32.with_lanes(lanes)));
    return verify(program_of({{c_, Role::kOutput}}, parallel(i_, 2, body)), Form::kVector);
  };
  EXPECT_THAT(rows(16, 16), IsEmpty());
  EXPECT_THAT(rows(15, 16), ::testing::SizeIs(1));
}

TEST_F(VerifyRaces, BarriersSeparateThreads) {
  const Buffer s("s", kFloat32, {8}, Scope::kShared);
  const auto kernel = [&](const Stmt& between, const Stmt& after) {
    const Stmt body = loop(k_, 4,
                           block({make_store(s, {i_}, at(a_, {i_, k_})), between,
                                  make_store(c_, {i_, k_}, at(s, {7 - Expr(i_)})), after}));
    return check(make_allocate(s, loop(i_, 8, body, LoopKind::kThreadX)));
  };
  EXPECT_THAT(kernel(make_barrier(), make_barrier()), IsEmpty());
  const auto race = ElementsAre(HasSubstr("threadIdx.x loop over i may touch one element of s"));
  EXPECT_THAT(kernel({}, make_barrier()), race);
  EXPECT_THAT(kernel(make_barrier(), {}), race);
  // What is not always executed separates nothing.
  const Expr k(k_);
  EXPECT_THAT(kernel(make_if(k < 2, make_barrier()), make_barrier()), race);
  EXPECT_THAT(kernel(make_barrier(), make_if(k < 2, make_barrier())), race);
  EXPECT_THAT(kernel(make_if(k < 2, make_barrier(), make_barrier()), make_barrier()), IsEmpty());
  EXPECT_THAT(kernel(make_if(k < 4, make_barrier()), make_barrier()), IsEmpty());
  EXPECT_THAT(kernel(loop(j_, k, make_barrier()), make_barrier()), race);
  EXPECT_THAT(kernel(loop(j_, k + 1, make_barrier()), make_barrier()), IsEmpty());
}

TEST_F(VerifyRaces, ThreadsStoreEachAnotherOfEverySoManyElements) {
  const auto strided = [&](int threads, int stride) {
    return check(loop(i_, threads, loop(j_, 3, store({0, Expr(j_) * stride + i_})), LoopKind::kThreadX));
  };
  EXPECT_THAT(strided(8, 8), IsEmpty());
  EXPECT_THAT(strided(7, 8), IsEmpty());
  EXPECT_THAT(strided(8, 7), ElementsAre(HasSubstr("threadIdx.x loop over i may touch one element of C")));
}

// One half is filled while the other one is read: barriers keep all threads in the same iteration.
TEST_F(VerifyRaces, HalvesOfADoubleBuffer) {
  const Buffer s("s", kFloat32, {2, 8}, Scope::kShared);
  const auto kernel = [&](const Expr& filled, const Expr& read, const Stmt& first, const Stmt& last) {
    const Stmt fill = make_if(Expr(k_) < 3, make_store(s, {filled, i_}, at(a_, {i_, Expr(k_) + 1})));
    const Stmt use = make_store(c_, {i_, k_}, at(s, {read, 7 - Expr(i_)}));
    const Stmt body = block({make_store(s, {0, i_}, at(a_, {i_, 0})), first, loop(k_, 4, block({fill, use, last}))});
    return check(make_allocate(s, loop(i_, 8, body, LoopKind::kThreadX)));
  };
  const Expr k(k_), one = (k + 1) % 2, other = k % 2;
  const auto race = ElementsAre(HasSubstr("threadIdx.x loop over i may touch one element of s"));
  EXPECT_THAT(kernel(one, other, make_barrier(), make_barrier()), IsEmpty());
  EXPECT_THAT(kernel(one, other, {}, make_barrier()), race);
  EXPECT_THAT(kernel(one, other, make_barrier(), {}), race);
  EXPECT_THAT(kernel(other, other, make_barrier(), make_barrier()), race);
  EXPECT_THAT(kernel((k + 2) % 2, other, make_barrier(), make_barrier()), race);
  // Only some iterations execute the barrier, so that threads may be in different ones.
  EXPECT_THAT(kernel(one, other, make_barrier(), make_if(k < 2, make_barrier())), race);
  // Blocks do not wait for each other.
  const Buffer global("g", kFloat32, {2, 8});
  const Stmt turns =
      loop(k_, 4, block({make_store(global, {one, 0}, 1.0), make_store(global, {other, 0}, 1.0), make_barrier()}));
  EXPECT_THAT(check(make_allocate(global, loop(i_, 8, turns, LoopKind::kBlockX))),
              ElementsAre(HasSubstr("blockIdx.x loop over i may touch one element of g")));
}

// Accesses after a barrier do not race with accesses before it in the same loop over threads.
TEST_F(VerifyRaces, AnIterationOfThreadsFollowsNoOther) {
  const Buffer s("s", kFloat32, {8}, Scope::kShared);
  const Stmt body =
      block({make_store(s, {i_}, at(a_, {i_, 0})), make_barrier(), make_store(c_, {i_, 0}, at(s, {7 - Expr(i_)}))});
  EXPECT_THAT(check(make_allocate(s, loop(i_, 8, body, LoopKind::kThreadX))), IsEmpty());
}

// Random affine nests: the interpreter runs every nest that the verifier accepts without a race or an access out of
// bounds, and both agree nearly always.
TEST_F(VerifyRaces, AgreesWithTheInterpreter) {
  std::uint64_t state = 0;
  const auto pick = [&](int below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(below));
  };
  int accepted = 0, sound = 0;
  const testing::CaseRange rounds = testing::cases_of_run(800, 4);
  for (int round = rounds.first; round < rounds.end; ++round) {
    state = static_cast<std::uint64_t>(round) * 0x9E3779B97F4A7C15u;
    const Var p("p"), s("s");
    const Buffer out("O", kInt32, {4, 8});
    const auto index = [&] {
      const Expr x = pick(3) == 0 ? Expr(p) / (1 + pick(3)) : pick(2) == 0 ? Expr(p) % (1 + pick(4)) : Expr(p);
      return x * pick(4) + Expr(s) * pick(3) + pick(2);
    };
    Stmt body = make_store(out, {index(), index()}, make_int(1, kInt32));
    if (pick(3) == 0) {
      const Stmt otherwise = pick(2) == 0 ? Stmt() : Stmt(make_store(out, {index(), index()}, make_int(2, kInt32)));
      body = make_if(Expr(p) * (1 + pick(2)) + s * pick(2) < 1 + pick(5), body, otherwise);
    }
    const Program program = program_of({{out, Role::kOutput}}, parallel(p, 1 + pick(8), loop(s, 1 + pick(4), body)));
    std::vector<std::int32_t> memory_of_out(32);
    const Memory arguments[] = {memory(memory_of_out)};
    bool runs = true;
    try {
      interpret(program, arguments);
    } catch (const Error&) {
      runs = false;
    }
    const bool proved = verify(program, Form::kLoop).empty();
    EXPECT_TRUE(runs || !proved) << round;
    accepted += proved;
    sound += runs;
  }
  EXPECT_GT(accepted, 30);
  EXPECT_GT(accepted * 10, sound * 8);
}

}  // namespace
}  // namespace nestwright::ir
