// rfactor in loop form, and its results against the unscheduled ones.
#include <gmock/gmock.h>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "tests/support/cpu_target.h"

namespace nestwright::testing {
namespace {

ir::Program lowered(const Schedule& s, const std::vector<Tensor>& args) {
  return lower(s, args, cpu_target(CpuIsa::kAvx512), "f");
}

TEST(Rfactor, PartialResultsWithATail) {
  const Tensor A = placeholder({5, 10}, kFloat32, "A");
  const IterVar k = reduce_axis(10, "k");
  const Tensor B = compute({5}, [&](Expr i) { return sum(A(i, k), k); }, "B");
  Schedule s = create_schedule(B);
  const auto [ko, ki] = s[B].split(k, factor(4));
  const Tensor P = s.rfactor(B, ki);
  s[P].vectorize(s[P].axis(0)).parallel(s[P].axis(1)).reorder({s[P].axis(1), s[P].reduce_axis(0), s[P].axis(0)});
  EXPECT_EQ(ir::to_string(lowered(s, {A, B}).kernels[0].body),
            "global B.rf: float32[4, 5]\n"
            "parallel i in 0..5:\n"
            "  vectorized k.inner in 0..4:\n"
            "    B.rf[k.inner, i] = 0.0\n"
            "  for k.outer in 0..3:\n"
            "    vectorized k.inner_1 in 0..4:\n"
            "      B.rf[k.inner_1, i] = B.rf[k.inner_1, i] + (A[i, k.outer*4 + k.inner_1] if k.outer*4 + k.inner_1 < "
            "10)\n"
            "for i_1 in 0..5:\n"
            "  B[i_1] = 0.0\n"
            "  for k.inner.v in 0..4:\n"
            "    B[i_1] = B[i_1] + B.rf[k.inner.v, i_1]\n");
  expect_same_results(s, {B}, {A, B});
}

TEST(Rfactor, EveryReducerAndEveryLoop) {
  using ir::ReducerKind;
  for (const ReducerKind kind : {ReducerKind::kSum, ReducerKind::kProd, ReducerKind::kMin, ReducerKind::kMax}) {
    for (const int which : {0, 1, 2}) {
      const Tensor A = placeholder({3, 7, 4}, kFloat32, "A");
      const IterVar k = reduce_axis(1, 6, "k"), l = reduce_axis(3, "l");
      const Tensor B = compute({3}, [&](Expr i) { return reduce(kind, A(i, k, l), {k, l}); }, "B");
      Schedule s = create_schedule(B);
      const auto [ko, ki] = s[B].split(k, factor(4));
      const Tensor P = s.rfactor(B, which == 0 ? ko : which == 1 ? ki : l, which % 2);
      s[P].compute_at(s[B], s[B].axis(0));
      expect_same_results(s, {B}, {A, B});
    }
  }
}

TEST(Rfactor, FusedLoopsAndAReductionThatIsAllPartial) {
  const Tensor A = placeholder({4, 3, 5}, kFloat32, "A");
  const IterVar k = reduce_axis(3, "k"), l = reduce_axis(5, "l");
  const Tensor B = compute({4}, [&](Expr i) { return sum(A(i, k, l), {k, l}); }, "B");
  Schedule s = create_schedule(B);
  const IterVar both = s[B].fuse(k, l);
  const Tensor P = s.rfactor(B, both);
  EXPECT_EQ(P.op().compute()->reduction(), nullptr);
  s[P].parallel(s[P].axis(0));
  expect_same_results(s, {B}, {A, B});
}

/// Splits and fuses the loops of a reduction over k and l, k by the factor `by`. Returns the loop that makes the
/// partial results.
using LoopOfPartialResults = IterVar (*)(Stage, const IterVar& k, const IterVar& l, std::int64_t by);

TEST(Rfactor, ASplitByMoreThanTheExtent) {
  const LoopOfPartialResults loops[] = {
      [](Stage b, const IterVar& k, const IterVar&, std::int64_t by) { return b.split(k, factor(by)).second; },
      [](Stage b, const IterVar& k, const IterVar&, std::int64_t by) { return b.split(k, factor(by)).first; },
      [](Stage b, const IterVar& k, const IterVar& l, std::int64_t by) {
        b.split(k, factor(by));
        return l;
      },
      [](Stage b, const IterVar& k, const IterVar&, std::int64_t by) {
        return b.split(b.split(k, factor(by)).second, factor(5)).second;
      },
      [](Stage b, const IterVar& k, const IterVar&, std::int64_t by) {
        return b.split(b.split(k, factor(by)).second, nparts(5)).first;
      },
      [](Stage b, const IterVar& k, const IterVar& l, std::int64_t by) {
        return b.fuse(b.split(k, factor(by)).second, l);
      },
  };
  for (const LoopOfPartialResults loop_of : loops) {
    for (const std::int64_t by : {std::int64_t{14}, std::int64_t{100}, std::int64_t{1} << 40}) {
      const Tensor A = placeholder({3, 12, 2}, kFloat32, "A");
      const IterVar k = reduce_axis(12, "k"), l = reduce_axis(2, "l");
      const Tensor B = compute({3}, [&](Expr i) { return sum(A(i, k, l), {k, l}); }, "B");
      Schedule s = create_schedule(B);
      const Tensor P = s.rfactor(B, loop_of(s[B], k, l, by));
      EXPECT_LE(*ir::as_const_int(s[P].axis(0).extent()), 24);
      expect_same_results(s, {B}, {A, B});
    }
  }
}

TEST(Rfactor, TuplesOfAUserMadeReducer) {
  const Tensor A = placeholder({6, 9}, kFloat32, "A");
  const IterVar k = reduce_axis(9, "k");
  const Reducer argmax("argmax", {Expr(-1.0), min_value(kFloat32)},
                       [](std::span<const Expr> x, std::span<const Expr> y) {
                         const Expr first = x[1] > y[1] || (x[1] == y[1] && x[0] <= y[0] && x[0] >= Expr(0.0));
                         return std::vector<Expr>{select(first, x[0], y[0]), max(x[1], y[1])};
                       });
  const std::vector<Tensor> best =
      compute_tuple({6}, [&](std::span<const Expr> i) { return argmax({cast(kFloat32, k), A(i[0], k)}, {k}); }, "best");
  Schedule s = create_schedule(best);
  const auto [ko, ki] = s[best[0]].split(k, factor(4));
  const Tensor P = s.rfactor(best[0], ki);
  s[P].parallel(s[P].axis(0));
  expect_same_results(s, best, {A, best[0], best[1]});
}

}  // namespace
}  // namespace nestwright::testing
