// Features of hand-written loop nests with known values.

#include "cost_model/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cost_model/loop_nest.h"
#include "tests/cost_model/product.h"

namespace nestwright {
namespace {

using namespace ir;  // NOLINT(google-build-using-namespace)

double feature(const Program& program, const std::string& name, const CacheCapacities& caches = {}) {
  Features features;
  program_features(program, caches, features);
  const auto names = program_feature_names();
  return features[std::find(names.begin(), names.end(), name) - names.begin()];
}

double unscaled(double value) { return std::exp2(value) - 1; }

TEST(Features, LengthIsFixedAndNamed) {
  Features features;
  program_features(Product().naive(), {}, features);
  EXPECT_EQ(features.size(), program_feature_count());
  EXPECT_EQ(program_feature_names().size(), program_feature_count());
}

TEST(Features, CountsTripsFlopsAndLanes) {
  const Program p = Product().naive(LoopKind::kVectorized);
  EXPECT_NEAR(unscaled(feature(p, "store0.trips")), 64 * 48 * 32, 1);
  EXPECT_NEAR(unscaled(feature(p, "store0.flops")), 2 * 64 * 48 * 32, 1);
  EXPECT_NEAR(unscaled(feature(p, "store0.lanes")), 48, 1e-3);
  EXPECT_NEAR(unscaled(feature(p, "store0.inner_extent")), 32, 1e-3);  // k, since j became a vector
  EXPECT_TRUE(std::isnan(feature(p, "store1.trips")));
}

TEST(Features, TellsContiguousInvariantAndStridedAccesses) {
  const Program p = Product().naive(LoopKind::kVectorized);  // C twice and B run along j, A does not
  EXPECT_EQ(feature(p, "store0.contiguous"), 3);
  EXPECT_EQ(feature(p, "store0.invariant"), 1);
  EXPECT_EQ(feature(p, "store0.strided"), 0);
}

TEST(Features, TrafficIsEachTensorOnceWhereAllFits) {
  const double all = 4.0 * (64 * 32 + 32 * 48 + 2 * 64 * 48);  // C is read and written
  EXPECT_NEAR(unscaled(feature(Product().naive(), "store0.l3_traffic")) / all, 1, 1e-3);
}

TEST(Features, TrafficGrowsWhenACacheIsTooSmallForTheReuse) {
  const CacheCapacities tiny{.l1_bytes = 1024, .l2_bytes = 4096, .l3_bytes = 1 << 20};
  const Program p = Product().naive();
  EXPECT_GT(feature(p, "store0.l1_traffic", tiny), feature(p, "store0.l3_traffic", tiny) + 1);
}

TEST(Features, BranchesShareTheIterations) {
  const Product m;
  const Stmt guarded = make_if(Expr(m.i) < Expr(16), m.update());
  Stmt s = make_for(m.k, 0, 32, LoopKind::kSerial, make_for(m.j, 0, 48, LoopKind::kSerial, guarded));
  s = make_for(m.i, 0, 64, LoopKind::kSerial, s);
  const FlatProgram flat = flatten(program_of(s, {{m.a, Role::kInput}, {m.b, Role::kInput}, {m.c, Role::kOutput}}));
  ASSERT_EQ(flat.stores.size(), 1u);
  EXPECT_DOUBLE_EQ(flat.stores[0].share, 0.25);
  EXPECT_DOUBLE_EQ(flat.stores[0].trips(), 16 * 48 * 32);
}

TEST(Features, CountsWhatIsStoredRoundTheCaches) {
  const Product m;
  const auto copy = [&](bool streams) {
    Stmt s = make_store(m.c, {m.i, m.j}, make_load(m.c, {m.i, m.j}), {}, streams);
    s = make_for(m.i, 0, 64, LoopKind::kSerial, make_for(m.j, 0, 48, LoopKind::kVectorized, s));
    return program_of(s, {{m.c, Role::kOutput}});
  };
  EXPECT_NEAR(unscaled(feature(copy(true), "non_temporal_bytes")), 64 * 48 * 4, 1);
  EXPECT_EQ(feature(copy(false), "non_temporal_bytes"), 0);
}

TEST(Features, TellsHowOftenAndHowFarAheadIsPrefetched) {
  const Product m;
  const auto ahead = [&](std::int64_t rows) {
    Stmt s = block({make_prefetch(m.b, {Expr(m.k) + rows, m.j}, false, 3), m.update()});
    s = make_for(m.k, 0, 32, LoopKind::kSerial, make_for(m.j, 0, 48, LoopKind::kSerial, s));
    s = make_for(m.i, 0, 64, LoopKind::kSerial, s);
    return program_of(s, {{m.a, Role::kInput}, {m.b, Role::kInput}, {m.c, Role::kOutput}});
  };
  EXPECT_NEAR(unscaled(feature(ahead(8), "prefetches")), 1, 1e-4);
  EXPECT_NEAR(unscaled(feature(ahead(8), "prefetch_trips")), 64 * 48 * 32, 1);
  EXPECT_NEAR(feature(ahead(8), "prefetch_distance"), std::log2(1 + 8 * 48 * 4), 1e-4);
  EXPECT_NEAR(feature(ahead(16), "prefetch_distance"), std::log2(1 + 16 * 48 * 4), 1e-4);
}

TEST(Features, CountsSpaceBetweenRows) {
  const Var i("i"), j("j");
  const auto padded = [&](std::int64_t stride) {
    const Buffer tile("tile", kFloat32, {16, 32}, Scope::kShared, {stride, 1});
    Stmt s = make_store(tile, {i, j}, make_load(tile, {i, j}));
    s = make_for(i, 0, 16, LoopKind::kSerial, make_for(j, 0, 32, LoopKind::kSerial, s));
    return program_of(make_allocate(tile, s), {});
  };
  EXPECT_EQ(feature(padded(32), "padding_bytes"), 0);
  EXPECT_NEAR(unscaled(feature(padded(36), "padding_bytes")), 15 * 4 * 4, 1e-2);  // none after the last row
}

TEST(Features, TellsWhatThreadsAndBlocksOfADeviceStepBy) {
  const Buffer from("from", kFloat32, {64, 64}), to("to", kFloat32, {64, 64});
  const Var block("block"), thread("thread");
  // Writes bind rows to blocks and columns to threads; reads do the reverse, by a quotient of a sum.
  const auto copy = [&](LoopKind outer, LoopKind inner) {
    const Expr flat = Expr(thread) * 64 + block;
    const Stmt s = make_store(to, {block, thread}, make_load(from, {flat / 64, flat % 64}));
    return program_of(make_for(block, 0, 64, outer, make_for(thread, 0, 64, inner, s)), {});
  };
  const Program rows = copy(LoopKind::kBlockX, LoopKind::kThreadX),
                columns = copy(LoopKind::kThreadX, LoopKind::kBlockX);
  const double near = std::log2(1 + 4), far = std::log2(1 + 64 * 4);
  EXPECT_NEAR(feature(rows, "thread_step"), 2 * near + far, 1e-4);
  EXPECT_NEAR(feature(rows, "block_step"), 2 * far + near, 1e-4);
  EXPECT_NEAR(feature(columns, "thread_step"), 2 * far + near, 1e-4);
  EXPECT_NEAR(feature(columns, "block_step"), 2 * near + far, 1e-4);
  EXPECT_NEAR(unscaled(feature(rows, "threads")), 64, 1e-3);
  EXPECT_NEAR(unscaled(feature(rows, "blocks")), 64, 1e-3);
  EXPECT_NEAR(unscaled(feature(rows, "virtual_threads")), 1, 1e-3);
  EXPECT_EQ(feature(Product().naive(), "thread_step"), 0);
}

TEST(Features, StoresWithoutColumnsOfTheirOwnAreCountedTogether) {
  const Var i("i"), j("j");
  const auto with_small = [&](LoopKind inner) {
    std::vector<Stmt> loops;
    for (const int rows : {64, 32, 16, 8}) {
      const Buffer b("b", kFloat32, {rows, 16});
      const Stmt s = make_store(b, {i, j}, make_load(b, {i, j}));
      loops.push_back(
          make_for(i, 0, rows, LoopKind::kSerial, make_for(j, 0, 16, rows == 8 ? inner : LoopKind::kSerial, s)));
    }
    return program_of(block(loops), {});
  };
  EXPECT_NEAR(unscaled(feature(with_small(LoopKind::kSerial), "other_trips")), 8 * 16, 1e-2);
  EXPECT_NEAR(unscaled(feature(with_small(LoopKind::kSerial), "other_vectors")), 8 * 16, 1e-2);
  EXPECT_NEAR(unscaled(feature(with_small(LoopKind::kVectorized), "other_vectors")), 8, 1e-3);
}

TEST(Features, LetBoundVariablesAreSeenThrough) {
  const Product m;
  const Var outer("outer"), inner("inner"), row("row");
  const Expr sum = make_load(m.c, {row, m.j}) + make_load(m.a, {row, m.k}) * make_load(m.b, {m.k, m.j});
  Stmt s = make_let(row, Expr(outer) * 8 + inner, make_store(m.c, {row, m.j}, sum));
  s = make_for(m.k, 0, 32, LoopKind::kSerial, make_for(m.j, 0, 48, LoopKind::kSerial, s));
  s = make_for(outer, 0, 8, LoopKind::kSerial, make_for(inner, 0, 8, LoopKind::kSerial, s));
  const FlatProgram flat = flatten(program_of(s, {{m.a, Role::kInput}, {m.b, Role::kInput}, {m.c, Role::kOutput}}));
  ASSERT_EQ(flat.stores.size(), 1u);
  const NestAccess& write = flat.stores[0].accesses.front();
  EXPECT_EQ(write.indices[0].coefficient(outer), 8);
  EXPECT_EQ(write.indices[0].coefficient(inner), 1);
}

}  // namespace
}  // namespace nestwright
