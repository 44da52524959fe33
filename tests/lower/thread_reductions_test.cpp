// Reductions that several threads of a block share: a loop of the reduction is bound to threadIdx.
#include <gmock/gmock.h>

#include "devices.h"
#include "ir/core/print.h"
#include "ir/verify/verify.h"
#include "lower/lower.h"
#include "run_program.h"
#include "support/error.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

/// Sums of rows, each by a block of `threads` threads.
struct RowSums {
  explicit RowSums(std::int64_t columns = 32, std::int64_t threads = 8)
      : A(placeholder({6, columns}, kFloat32, "A")), k(reduce_axis(columns, "k")) {
    B = compute({6}, [&](Expr i) { return sum(A(i, k), k); }, "B");
    s = create_schedule(B);
    std::tie(ko, ki) = s[B].split(k, factor(threads));
  }
  ir::Program program() const { return lower(s, {A, B}, device_target(), "f"); }
  void expect_right() const {
    EXPECT_THAT(ir::verify(program(), ir::Form::kLoop), ::testing::IsEmpty());
    for (const std::uint64_t seed : {1, 2, 3}) EXPECT_EQ(run_program(program(), seed), run_unscheduled(B, {A, B}));
  }
  std::string refusal() const {
    return message<LowerError>([&] { program(); });
  }

  Tensor A;
  IterVar k, ko, ki;
  Tensor B = compute({1}, [](Expr) { return Expr(1.0); }, "none");
  Schedule s = create_schedule(B);
};

TEST(ThreadReductions, EachThreadSumsUpAPartOfARow) {
  RowSums r;
  r.s[r.B].bind(r.s[r.B].axis(0), kBlockIdxX).bind(r.ki, kThreadIdxX);
  EXPECT_EQ(ir::to_string(r.program().kernels[0].body),
            "blockIdx.x i in 0..6:\n"
            "  shared B.rf: float32[8, 1]\n"
            "  threadIdx.x k.inner in 0..8:\n"
            "    B.rf[k.inner, 0] = 0.0\n"
            "    for k.outer in 0..4:\n"
            "      B.rf[k.inner, 0] = B.rf[k.inner, 0] + A[i, k.outer*8 + k.inner]\n"
            "    barrier\n"
            "    if k.inner < 1:\n"
            "      B[i] = 0.0\n"
            "      for k.inner.v in 0..8:\n"
            "        B[i] = B[i] + B.rf[k.inner.v, 0]\n");
  r.expect_right();
  expect_every_barrier_needed(r.program(), 1);
}

TEST(ThreadReductions, RowsAreBoundToTheOtherThreads) {
  RowSums r(30, 4);
  const auto [by, ty] = r.s[r.B].split(r.s[r.B].axis(0), factor(3));
  r.s[r.B].bind(by, kBlockIdxX).bind(ty, kThreadIdxY).bind(r.ki, kThreadIdxX);
  EXPECT_THAT(ir::to_string(r.program()), HasSubstr("shared B.rf: float32[4, 3]\n"));
  EXPECT_THAT(ir::to_string(r.program()), HasSubstr("threadIdx.y i.inner in 0..3:\n"));
  r.expect_right();
}

TEST(ThreadReductions, ABlockHasTheThreadsThatTheSplitSays) {
  RowSums r(20, 64);
  r.s[r.B].bind(r.s[r.B].axis(0), kBlockIdxX).bind(r.ki, kThreadIdxX);
  EXPECT_THAT(ir::to_string(r.program()), HasSubstr("threadIdx.x k.inner in 0..64:\n"));
  EXPECT_THAT(ir::to_string(r.program()), HasSubstr("shared B.rf: float32[64, 1]\n"));
  r.expect_right();
}

TEST(ThreadReductions, RowsThatABlockDoesOneAfterTheOther) {
  RowSums r;
  const auto [bx, row] = r.s[r.B].split(r.s[r.B].axis(0), factor(3));
  r.s[r.B].bind(bx, kBlockIdxX).bind(r.ki, kThreadIdxX);
  EXPECT_EQ(count_barriers(r.program().kernels[0].body), 2) << "before and after the parts are added";
  r.expect_right();
}

TEST(ThreadReductions, AllReducersAndTuples) {
  using ir::ReducerKind;
  for (const ReducerKind kind : {ReducerKind::kSum, ReducerKind::kMin, ReducerKind::kMax}) {
    const Tensor A = placeholder({5, 20}, kFloat32, "A");
    const IterVar k = reduce_axis(20, "k");
    const Tensor B = compute({5}, [&](Expr i) { return reduce(kind, A(i, k), {k}); }, "B");
    Schedule s = create_schedule(B);
    s[B].bind(s[B].axis(0), kBlockIdxX).bind(k, kThreadIdxX);
    EXPECT_EQ(run_program(lower(s, {A, B}, device_target(), "f"), 2), run_unscheduled(B, {A, B}));
  }
  const Tensor A = placeholder({4, 9}, kFloat32, "A");
  const IterVar k = reduce_axis(9, "k");
  const Reducer both("both", {Expr(0.0), min_value(kFloat32)}, [](std::span<const Expr> a, std::span<const Expr> b) {
    return std::vector<Expr>{a[0] + b[0], max(a[1], b[1])};
  });
  const std::vector<Tensor> B =
      compute_tuple({4}, [&](std::span<const Expr> i) { return both({A(i[0], k), A(i[0], k)}, {k}); }, "B");
  Schedule s = create_schedule(B);
  s[B[0]].bind(s[B[0]].axis(0), kBlockIdxX).bind(s[B[0]].split(k, factor(4)).second, kThreadIdxX);
  EXPECT_EQ(run_program(lower(s, {A, B[0], B[1]}, device_target(), "f"), 3),
            run_program(lower(create_schedule(B), {A, B[0], B[1]}, Target(), "f")));
}

TEST(ThreadReductionsRefuse, ThreadsWithoutALoopAround) {
  RowSums r;
  r.s[r.B].bind(r.s[r.B].axis(0), kThreadIdxY).bind(r.ki, kThreadIdxX);
  EXPECT_EQ(r.refusal(),
            "loop k.inner of B belongs to its reduction and is bound to threadIdx.x, but no loop lies around the "
            "threads, such as one bound to blockIdx: use rfactor, and schedule the partial results");
}

TEST(ThreadReductionsRefuse, WhatIsComputedAtTheLoop) {
  RowSums r;
  const Tensor cache = r.s.cache_read(r.A, ir::Scope::kLocal, {r.B});
  r.s[r.B].bind(r.s[r.B].axis(0), kBlockIdxX).bind(r.ki, kThreadIdxX);
  r.s[cache].compute_at(r.s[r.B], r.ki);
  EXPECT_EQ(r.refusal(),
            "loop k.inner of B belongs to its reduction and is bound to threads: rfactor of k.inner: A.cache is "
            "computed there: attach it afterwards");
}

}  // namespace
}  // namespace nestwright::testing
