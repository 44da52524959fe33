// Hand-written loop nests with known least work.

#include "cost_model/least_time.h"

#include <gtest/gtest.h>

#include "nestwright/expr.h"
#include "tests/cost_model/product.h"

namespace nestwright {
namespace {

using namespace ir;  // NOLINT(google-build-using-namespace)

constexpr double kM = 64, kN = 48, kK = 32;

/// `store` in a loop over i of 100 iterations, with X and Y of 100 elements.
struct Elements {
  Buffer x{"X", kFloat32, {100}}, y{"Y", kFloat32, {100}};
  Var i{"i"};
  Expr load() const { return make_load(x, {i}); }
  LeastWork work(const Expr& value) const {
    const Stmt s = make_for(i, 0, 100, LoopKind::kSerial, make_store(y, {i}, value));
    return least_work(program_of(s, {{x, Role::kInput}, {y, Role::kOutput}}));
  }
};

TEST(LeastTime, CountsAProductOfMatrices) {
  const Product m;
  for (const LoopKind kind : {LoopKind::kSerial, LoopKind::kVectorized, LoopKind::kUnrolled, LoopKind::kParallel}) {
    EXPECT_EQ(least_work(m.program(m.update(), kind)), (LeastWork{kM * kN * kK, 4 * (kM * kK + kK * kN), 4 * kM * kN}));
  }
}

TEST(LeastTime, GuardedWorkCountsForTheIterationsThatAreLetThrough) {
  const Product m;
  const LeastWork guarded = least_work(m.program(make_if(likely(Expr(m.i) * 2 + m.k < Expr(20)), m.update())));
  int taken = 0;
  for (int i = 0; i < kM; ++i) {
    for (int k = 0; k < kK; ++k) taken += i * 2 + k < 20 ? 1 : 0;
  }
  EXPECT_NEAR(guarded.multiplications, taken * kN, 1e-6);
  EXPECT_NEAR(guarded.read_bytes, 4 * (taken + 20 * kN), 1e-6) << "each k below 20 is reached for some i";
  EXPECT_EQ(guarded.written_bytes, 4 * kM * kN);
}

TEST(LeastTime, AnElseCaseCountsForTheOthers) {
  const Product m;
  const Stmt halves = make_if(Expr(m.i) < Expr(16), make_store(m.c, {m.i, m.j}, Expr(0.0)), m.update());
  EXPECT_EQ(least_work(m.program(halves)).multiplications, 48 * kN * kK);
}

TEST(LeastTime, WhatDataOrSymbolsDecideCountsNothing) {
  const Product m;
  const Expr by_data = make_load(m.a, {m.i, m.k}) < Expr(0.5);
  EXPECT_EQ(least_work(m.program(make_if(by_data, m.update()))).multiplications, 0);
  const Expr by_symbol = Expr(m.i) < Expr(Var("n"));
  EXPECT_EQ(least_work(m.program(make_if(by_symbol, m.update()))).multiplications, 0);
  EXPECT_EQ(least_work(m.program(m.update(), LoopKind::kSerial, Var("n"))).multiplications, 0);
  for (const Expr& by_call : {abs(Expr(m.i) - m.k) < Expr(3), (Expr(m.k) & Expr(5)) == Expr(1)}) {
    EXPECT_EQ(least_work(m.program(make_if(by_call, m.update()))).multiplications, 0);
  }
}

TEST(LeastTime, GuardsOfTooManyIterationsCountNothing) {
  const Product m;  // 64 * 48 * 32 points
  const LeastWork work = least_work(m.program(make_if(Expr(m.i) + m.j + m.k < Expr(1000), m.update())));
  EXPECT_EQ(work.multiplications, 0);
  EXPECT_EQ(work.read_bytes, 0);
}

TEST(LeastTime, LoopsThatRunToAMinimumCountTheirFewestIterations) {
  const Product m;
  const Var outer("outer"), inner("inner");  // 100 rows in tiles of 32, the last one of 4
  const Stmt row = make_store(m.c, {Expr(outer) * 32 + inner, m.j},
                              make_load(m.a, {Expr(outer) * 32 + inner, m.k}) * make_load(m.b, {m.k, m.j}));
  Stmt s = make_for(m.j, 0, 48, LoopKind::kSerial, make_for(m.k, 0, 32, LoopKind::kSerial, row));
  s = make_for(outer, 0, 4, LoopKind::kSerial,
               make_for(inner, 0, min(Expr(32), Expr(100) - Expr(outer) * 32), LoopKind::kSerial, s));
  const Program p = program_of(s, {{m.a, Role::kInput}, {m.b, Role::kInput}, {m.c, Role::kOutput}});
  EXPECT_EQ(least_work(p).multiplications, 4 * 4 * kN * kK);
}

TEST(LeastTime, ProductsThatCouldBeHoistedCountOnce) {
  const Product m;
  const Expr square = make_load(m.a, {m.i, m.k}) * make_load(m.a, {m.i, m.k});  // the same for all j
  EXPECT_EQ(least_work(m.program(make_store(m.c, {m.i, m.j}, square))).multiplications, kM * kK);
}

TEST(LeastTime, EqualProductsCountOnce) {
  const Elements e;
  const Expr square = e.load() * e.load();
  EXPECT_EQ(e.work(square).multiplications, 100);
  EXPECT_EQ(e.work(square + square).multiplications, 100);
  EXPECT_EQ(e.work(square + square * e.load()).multiplications, 200);
}

TEST(LeastTime, OnlyProductsOfDataCount) {
  const Elements e;
  EXPECT_EQ(e.work(e.load() * Expr(2.0)).multiplications, 0) << "an addition does";
  EXPECT_EQ(e.work(e.load() + e.load()).multiplications, 0);
  EXPECT_EQ(e.work(e.load() / e.load()).multiplications, 0);
  EXPECT_EQ(e.work(e.load() * cast(kFloat32, Expr(e.i))).multiplications, 0);
  EXPECT_EQ(e.work(exp(e.load())).multiplications, 0);
  EXPECT_EQ(e.work(exp(e.load() * e.load())).multiplications, 100);
  EXPECT_EQ(e.work(make_call(Intrinsic::kFma, {e.load(), e.load(), e.load()}, kFloat32)).multiplications, 100);
  EXPECT_EQ(e.work(make_load(e.x, {Expr(e.i) * Expr(e.i)})).multiplications, 0) << "indices";
}

TEST(LeastTime, SelectsCountWhereTheyChoose) {
  const Elements e;
  const Expr inside = Expr(e.i) < Expr(30), square = e.load() * e.load();
  EXPECT_EQ(e.work(select(inside, square, e.load())), (LeastWork{30, 4 * 70, 400}));
  EXPECT_EQ(e.work(select(inside, Expr(0.0), square)).multiplications, 70);
  const LeastWork padded = e.work(select(inside, e.load(), Expr(0.0)) * e.load());
  EXPECT_EQ(padded.multiplications, 30) << "by 0 elsewhere";
  EXPECT_EQ(padded.read_bytes, 400) << "of the factor outside";
  EXPECT_EQ(e.work(select(inside, e.load(), Expr(0.0))).read_bytes, 4 * 30);
  const Expr by_data = e.load() < Expr(0.5);
  EXPECT_EQ(e.work(select(by_data, square, Expr(0.0))).multiplications, 0);
  EXPECT_EQ(e.work(select(by_data, e.load(), Expr(0.0)) * e.load()).multiplications, 0);
  EXPECT_EQ(e.work(select(by_data, e.load(), -e.load()) * e.load()).multiplications, 100) << "data either way";
  EXPECT_EQ(e.work(select(inside, Expr(0.0), e.load()) * e.load()).multiplications, 70);
  EXPECT_EQ(e.work(select(by_data, Expr(0.0), Expr(2.0)) * e.load()).multiplications, 0);
}

TEST(LeastTime, MasksCountWhereTheyHold) {
  const Elements e;
  const Expr masked = make_load(e.x, {e.i}, Expr(e.i) < Expr(30));
  EXPECT_EQ(e.work(masked * masked), (LeastWork{30, 4 * 30, 400}));
}

TEST(LeastTime, WhatABufferHoldsDependsOnWhatIsStoredThere) {
  const Product m;
  const Buffer packed("packed", kFloat32, {32}, Scope::kLocal);
  const Var p("p");
  const Expr product = make_load(packed, {m.k}) * make_load(m.b, {m.k, m.j});
  Stmt s = make_for(m.k, 0, 32, LoopKind::kSerial, make_store(m.c, {m.i, m.j}, make_load(m.c, {m.i, m.j}) + product));
  s = make_for(m.j, 0, 48, LoopKind::kSerial, s);
  const auto work = [&](const Expr& row) {
    const Stmt pack = make_for(p, 0, 32, LoopKind::kSerial, make_store(packed, {p}, make_load(m.a, {row, p})));
    const Stmt rows = make_for(m.i, 0, 64, LoopKind::kSerial, make_allocate(packed, block({pack, s})));
    return least_work(program_of(rows, {{m.a, Role::kInput}, {m.b, Role::kInput}, {m.c, Role::kOutput}}));
  };
  EXPECT_EQ(work(m.i).multiplications, kM * kN * kK);
  EXPECT_EQ(work(5).multiplications, kN * kK) << "the same for every i";
}

TEST(LeastTime, WordsAreSeveralProducts) {
  const Buffer x("X", kInt32, {100}), y("Y", kInt32, {100}), z("Z", kInt32, {100});
  const Var i("i");
  const auto work = [&](Intrinsic intrinsic) {
    const Expr value = make_call(intrinsic, {make_load(z, {i}), make_load(x, {i}), make_load(y, {i})}, kInt32);
    const Stmt s = make_for(i, 0, 100, LoopKind::kSerial, make_store(z, {i}, value));
    return least_work(program_of(s, {{x, Role::kInput}, {y, Role::kInput}, {z, Role::kOutput}})).multiplications;
  };
  EXPECT_EQ(work(Intrinsic::kDotU8S8), 400);
  EXPECT_EQ(work(Intrinsic::kDotS8S8), 400);
  EXPECT_EQ(work(Intrinsic::kDotS16), 200);
}

TEST(LeastTime, ReadsAreDifferentElements) {
  const Buffer x("X", kFloat32, {1000}), y("Y", kFloat32, {100, 10});
  const Var i("i"), r("r");
  const auto bytes = [&](const Expr& index, const Expr& min = 0) {
    const Stmt store = make_store(y, {i, r}, make_load(x, {index}));
    const Stmt s = make_for(i, 0, 100, LoopKind::kSerial, make_for(r, min, 10, LoopKind::kSerial, store));
    return least_work(program_of(s, {{x, Role::kInput}, {y, Role::kOutput}})).read_bytes;
  };
  EXPECT_EQ(bytes(Expr(i) * 10 + r), 4000);
  EXPECT_EQ(bytes(Expr(i) + r), 4 * 109) << "a convolution's window";
  EXPECT_EQ(bytes(Expr(109) - i - r), 4 * 109);
  EXPECT_EQ(bytes(Expr(i) * 5 + r), 4 * (99 * 5 + 10)) << "of stride 5";
  EXPECT_EQ(bytes(Expr(i) * 4 + Expr(r) * 4), 4 * 100) << "gaps: counts one of the loops";
  EXPECT_EQ(bytes(Expr(i) / 2), 4) << "no affine index: one element";
  EXPECT_EQ(bytes(Expr(i) - r, Expr(i)), 4) << "the loop over r begins at i";
  EXPECT_EQ(bytes(5), 4);
}

TEST(LeastTime, DiagonalsAreReadOnce) {
  const Buffer x("X", kFloat32, {100, 100}), y("Y", kFloat32, {100});
  const Var i("i");
  const Stmt s = make_for(i, 0, 100, LoopKind::kSerial, make_store(y, {i}, make_load(x, {i, i})));
  EXPECT_EQ(least_work(program_of(s, {{x, Role::kInput}, {y, Role::kOutput}})).read_bytes, 400);
}

TEST(LeastTime, LetBoundVariablesAreSeenThrough) {
  const Product m;
  const Var row("row"), outer("outer"), inner("inner");
  const Expr product = make_load(m.a, {row, m.k}) * make_load(m.b, {m.k, m.j});
  Stmt s = make_let(row, Expr(outer) * 8 + inner, make_if(Expr(row) < Expr(60), make_store(m.c, {row, m.j}, product)));
  s = make_for(m.k, 0, 32, LoopKind::kSerial, make_for(m.j, 0, 48, LoopKind::kSerial, s));
  s = make_for(outer, 0, 8, LoopKind::kSerial, make_for(inner, 0, 8, LoopKind::kSerial, s));
  const Program p = program_of(s, {{m.a, Role::kInput}, {m.b, Role::kInput}, {m.c, Role::kOutput}});
  EXPECT_EQ(least_work(p).multiplications, 60 * kN * kK);
}

TEST(LeastTime, OfADeviceNothingIsKnown) {
  const Product m;
  EXPECT_EQ(least_work(m.program(m.update(), LoopKind::kThreadX)), LeastWork{});
}

TEST(LeastTime, ThePreparationIsNoPartOfACall) {
  const Elements e;
  const Buffer packed("packed", kFloat32, {100});
  const Var i("i"), j("j");
  Program p = program_of(make_for(i, 0, 100, LoopKind::kSerial, make_store(e.y, {i}, make_load(packed, {i}))),
                         {{e.x, Role::kInput, -1, true}, {e.y, Role::kOutput}, {packed, Role::kPrepared}});
  p.kernels.push_back({"prepare", make_for(j, 0, 100, LoopKind::kSerial,
                                           make_store(packed, {j}, make_load(e.x, {j}) * make_load(e.x, {j})))});
  p.preparation = make_launch(1);
  EXPECT_EQ(least_work(p), (LeastWork{0, 400, 400}));
}

TEST(LeastTime, PaddingIsNotNeeded) {
  EXPECT_EQ(limit_work({1000, 600, 200}, 1500, 500), (LeastWork{750, 500, 200}));
  EXPECT_EQ(limit_work({1000, 600, 700}, 4000, 650), (LeastWork{1000, 600, 650}));
}

TEST(LeastTime, IsTheLongestOfThree) {
  const LeastWork work{1000, 600, 200};
  EXPECT_DOUBLE_EQ(least_time_ns(work, {.fma_gflops = 100}), 20);
  EXPECT_DOUBLE_EQ(least_time_ns(work, {.fma_gflops = 100, .product_scale = 4}), 5);
  EXPECT_DOUBLE_EQ(least_time_ns(work, {.fma_gflops = 100, .read_gb_s = 20}), 30);
  EXPECT_DOUBLE_EQ(least_time_ns({0, 200, 600}, {.fma_gflops = 100, .read_gb_s = 20}), 30);
  EXPECT_EQ(least_time_ns(work, {}), 0) << "no limit is known";
}

}  // namespace
}  // namespace nestwright
