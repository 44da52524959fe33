// Features of hand-written loop nests, where the right numbers are known.

#include "cost_model/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cost_model/loop_nest.h"

namespace nestwright {
namespace {

using namespace ir;  // NOLINT(google-build-using-namespace)

Program program_of(Stmt body, std::vector<Parameter> parameters) {
  Program p;
  p.name = "test";
  p.parameters = std::move(parameters);
  p.host = make_launch(0);
  p.kernels.push_back({"test", std::move(body)});
  return p;
}

struct Product {
  Buffer a{"A", kFloat32, {64, 32}}, b{"B", kFloat32, {32, 48}}, c{"C", kFloat32, {64, 48}};
  Var i{"i"}, j{"j"}, k{"k"};

  Stmt update() const {
    const Expr sum = make_load(c, {i, j}) + make_load(a, {i, k}) * make_load(b, {k, j});
    return make_store(c, {i, j}, sum);
  }
  Program naive(LoopKind inner = LoopKind::kSerial) const {
    Stmt s = make_for(j, 0, 48, inner, update());
    s = make_for(k, 0, 32, LoopKind::kSerial, s);
    s = make_for(i, 0, 64, LoopKind::kSerial, s);
    return program_of(s, {{a, Role::kInput}, {b, Role::kInput}, {c, Role::kOutput}});
  }
};

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
  EXPECT_NEAR(unscaled(feature(p, "store0.inner_extent")), 32, 1e-3);  // k, as j became a vector
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
