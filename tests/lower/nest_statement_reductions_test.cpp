// Reductions with where and init, under every primitive that treats reductions: same results as plain loops.
#include <gtest/gtest.h>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

/// C[i, j] = B[i, j] + the sum of A[i, k] * A[j, k] over the k of 0..12 with k <= i.
struct Op {
  Tensor a = placeholder({8, 12}, kFloat32, "A");
  Tensor b = placeholder({8, 8}, kFloat32, "B");
  IterVar k = reduce_axis(12, "k");
  Tensor c = compute(
      {8, 8}, [this](Expr i, Expr j) { return sum(a(i, k) * a(j, k), k, {.where = k <= i, .init = b(i, j)}); }, "C");
  Args args{a, b, c};
};

TEST(ReduceOptions, AreLowered) {
  const Op op;
  EXPECT_EQ(ir::to_string(lower(create_schedule(op.c), op.args, Target(), "f").kernels[0].body),
            "for i in 0..8:\n"
            "  for j in 0..8:\n"
            "    C[i, j] = B[i, j]\n"
            "    for k in 0..12:\n"
            "      C[i, j] = C[i, j] + select(k < i + 1, A[i, k]*A[j, k], 0.0)\n");
}

TEST(ReduceOptions, GiveWhatPlainLoopsGive) {
  const Op op;
  const std::vector<float> result = run_unscheduled(op.c, op.args)[0];
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      float expected = input_value(1, i * 8 + j);
      for (std::size_t k = 0; k <= i; ++k) expected += input_value(0, i * 12 + k) * input_value(0, j * 12 + k);
      EXPECT_EQ(result[i * 8 + j], expected) << i << ", " << j;
    }
  }
}

TEST(ReduceOptions, ReadNothingWhereTheConditionFails) {
  const Tensor a = placeholder({8}, kFloat32, "A");
  const IterVar k = reduce_axis(3, "k");
  const Tensor c = compute({8}, [&](Expr i) { return sum(a(i + k - 1), k, {.where = i + k >= 1 && i + k <= 8}); }, "C");
  const std::vector<float> result = run_unscheduled(c, {a, c})[0];
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(result[i], (i > 0 ? input_value(0, i - 1) : 0) + input_value(0, i) + (i < 7 ? input_value(0, i + 1) : 0));
  }
}

TEST(ReduceOptions, SurviveSplitsAndVectors) {
  const Op op;
  Schedule s = create_schedule(op.c);
  const auto [ko, ki] = s[op.c].split(op.k, factor(5), Tail::partition());
  const auto [jo, ji] = s[op.c].split(s[op.c].axis(1), factor(3));
  s[op.c].reorder({jo, ko, s[op.c].axis(0), ki, ji}).vectorize(ji);
  expect_same_results(s, {op.c}, op.args);
}

TEST(ReduceOptions, StartTheTilesOfCacheWrite) {
  const Op op;
  Schedule s = create_schedule(op.c);
  const Tensor tile = s.cache_write(op.c, kRegister);
  const auto [jo, ji] = s[op.c].split(s[op.c].axis(1), factor(8));
  s[op.c].vectorize(ji);
  s[tile].compute_at(s[op.c], jo).vectorize(s[tile].axis(1));
  expect_same_results(s, {op.c}, op.args);
}

TEST(ReduceOptions, StartTheFirstBlockOfABlockedReduction) {
  const Op op;
  Schedule s = create_schedule(op.c);
  const auto [ko, ki] = s[op.c].split(op.k, factor(4));
  s[op.c].reorder({ko, s[op.c].axis(0), s[op.c].axis(1)});
  const Tensor tile = s.cache_write(op.c, kLocal, ko);
  s[tile].compute_at(s[op.c], s[op.c].axis(0));
  expect_same_results(s, {op.c}, op.args);
}

TEST(ReduceOptions, StartTheLastStageOfRfactor) {
  const Op op;
  Schedule s = create_schedule(op.c);
  const auto [ko, ki] = s[op.c].split(op.k, factor(5));
  const Tensor partial = s.rfactor(op.c, ki);
  expect_same_results(s, {op.c}, op.args);
  EXPECT_TRUE(partial.op().compute()->reduction()->init.empty());
}

TEST(ReduceOptions, ReadOtherStages) {
  const Tensor x = placeholder({8}, kFloat32, "X");
  const IterVar k = reduce_axis(8, "k");
  const Tensor start = compute({8}, [&](Expr i) { return x(i) * 2.0; }, "start");
  const Tensor c = compute({8}, [&](Expr i) { return sum(x(k), k, {.init = start(i)}); }, "C");
  Schedule s = create_schedule(c);
  s[start].compute_at(s[c], s[c].axis(0));
  expect_same_results(s, {c}, {x, c});
  EXPECT_EQ(message<ScheduleError>([&] { s[start].compute_at(s[c], k); }),
            "compute_at of k: C starts its reduction from start, before this loop: attach it outside the reduction");
  s = create_schedule(c);
  s[start].compute_inline();
  expect_same_results(s, {c}, {x, c});
  // What moves the reduction around it is refused by the primitive, or where the schedule is lowered.
  s = create_schedule(c);
  const auto [outer, inner] = s[c].split(s[c].axis(0), factor(4));
  s[start].compute_at(s[c], inner);
  EXPECT_EQ(message<ScheduleError>([&] { s[c].tile(outer, k, 2, 4); }),
            "tile of i.inner: C starts its reduction from start, before this loop: attach it outside the reduction");
  const Tensor base = compute({8}, [&](Expr i) { return x(i) + 1.0; }, "base");
  const Tensor first = compute({8}, [&](Expr i) { return base(i) * 2.0; }, "first");
  const Tensor d = compute({8}, [&](Expr i) { return sum(x(k), k, {.init = first(i)}); }, "D");
  s = create_schedule(d);
  s[base].compute_at(s[d], k);
  s[first].compute_inline();
  EXPECT_EQ(message<LowerError>([&] { lower(s, {x, d}, Target::parse("cpu"), "late"); }),
            "D starts its reduction from base, before this loop: attach it outside the reduction");
}

}  // namespace
}  // namespace nestwright::testing
