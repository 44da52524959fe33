// Kernels whose output may share the memory of an input: which kernels these are, and that such a call gives the same
// result as any other.
#include <gtest/gtest.h>

#include "matrix.h"
#include "nestwright/build.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"

namespace nestwright {
namespace {

constexpr std::int64_t kM = 9, kN = 37, kK = 5, kPitch = 40;

struct Accumulation {
  Tensor a, b, before, c;
};

/// C = A B + 0.5 C_in.
Accumulation accumulation() {
  Accumulation p;
  p.a = placeholder({kM, kK}, kFloat32, "A");
  p.b = placeholder({kK, kN}, kFloat32, "B");
  p.before = placeholder({kM, kN}, kFloat32, "C_in", {kPitch, 1});
  const IterVar r = reduce_axis(kK, "r");
  const Tensor ab = compute({kM, kN}, [&](Expr i, Expr j) { return sum(p.a(i, r) * p.b(r, j), r); }, "AB");
  p.c = compute({kM, kN}, [&](Expr i, Expr j) { return ab(i, j) + p.before(i, j) * 0.5; }, "C", {kPitch, 1});
  return p;
}

/// Tiles of rows and vectors with sums in registers; rows of tiles in parallel.
Schedule tiled(const Accumulation& p) {
  Schedule s = create_schedule(p.c);
  const Tensor ab(p.c.op()->inputs.at(0));
  auto [row_tile, row] = s[p.c].split(s[p.c].axis(0), factor(4), Tail::partition());
  auto [column_tile, column] = s[p.c].split(s[p.c].axis(1), factor(16), Tail::predicate());
  s[p.c].reorder({row_tile, column_tile, row, column}).unroll(row).vectorize(column).parallel(row_tile);
  s[ab].set_scope(ir::Scope::kRegister).compute_at(s[p.c], column_tile);
  const std::vector<IterVar> loops = s[ab].loops();
  s[ab].reorder({loops[2], loops[0], loops[1]}).unroll(loops[0]).vectorize(loops[1]);
  return s;
}

int in_place_of(const Schedule& schedule, const std::vector<Tensor>& args) {
  return lower(schedule, args, Target::parse("cpu"), "kernel").parameters.back().in_place_of;
}

TEST(InPlace, AnAccumulationIs) {
  const Accumulation p = accumulation();
  EXPECT_EQ(in_place_of(create_schedule(p.c), {p.a, p.b, p.before, p.c}), 2);
  EXPECT_EQ(in_place_of(tiled(p), {p.a, p.b, p.before, p.c}), 2);
}

TEST(InPlace, WhatIsReadElsewhereOrAgainIsNot) {
  const Tensor x = placeholder({8, 8}, kFloat32, "X"), y = placeholder({8, 8}, kFloat32, "Y");
  const Tensor transposed = compute({8, 8}, [&](Expr i, Expr j) { return x(j, i) + x(i, j); }, "T");
  EXPECT_EQ(in_place_of(create_schedule(transposed), {x, transposed}), -1);
  const Tensor second = compute({8, 8}, [&](Expr i, Expr j) { return x(j, i) + y(i, j); }, "U");
  EXPECT_EQ(in_place_of(create_schedule(second), {x, y, second}), 1);
  // The reduction adds to its output, so an element is stored more than once.
  const IterVar r = reduce_axis(8, "r");
  const Tensor product = compute({8, 8}, [&](Expr i, Expr j) { return sum(x(i, j) * y(r, j), r); }, "V");
  EXPECT_EQ(in_place_of(create_schedule(product), {x, y, product}), -1);
}

TEST(InPlace, WhatLiesOtherwiseIsNot) {
  const Tensor x = placeholder({8, 8}, kFloat32, "X", {9, 1});
  const Tensor doubled = compute({8, 8}, [&](Expr i, Expr j) { return x(i, j) * 2; }, "D");
  EXPECT_EQ(in_place_of(create_schedule(doubled), {x, doubled}), -1);
}

TEST(InPlace, ACallOnTheSameMemoryGivesTheSame) {
  const Accumulation p = accumulation();
  const Function accumulate = build(tiled(p), {p.a, p.b, p.before, p.c}, Target::host(), "accumulate");
  Matrix a(kM, kK, kK), b(kK, kN, kN), before(kM, kN, kPitch), c(kM, kN, kPitch);
  a.fill([](auto i, auto j) { return static_cast<float>(i - j); });
  b.fill([](auto i, auto j) { return static_cast<float>(i + 2 * j); });
  before.fill([](auto i, auto j) { return static_cast<float>(i * 3 + j); });
  accumulate(a.view(), b.view(), before.view(), c.view());
  EXPECT_NE(c.at(1, 1), before.at(1, 1));
  accumulate(a.view(), b.view(), before.view(), before.view());
  EXPECT_TRUE(before.gaps_intact());
  EXPECT_EQ(before.data, c.data);
}

TEST(InPlace, MemoryThatOverlapsOtherwiseIsRefused) {
  const Accumulation p = accumulation();
  const Function accumulate = build(tiled(p), {p.a, p.b, p.before, p.c}, Target::host(), "accumulate");
  Matrix a(kM, kK, kK), b(kK, kN, kN), c(kM + 1, kN, kPitch);
  const ArrayView first(c.data.data(), kFloat32, {kM, kN}, {kPitch, 1});
  const ArrayView shifted(c.data.data() + kPitch, kFloat32, {kM, kN}, {kPitch, 1});
  try {
    accumulate(a.view(), b.view(), first, shifted);
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "accumulate: argument C: expected memory of its own, got some that argument C_in uses too");
  }
}

}  // namespace
}  // namespace nestwright
