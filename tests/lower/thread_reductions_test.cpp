// Reductions that several threads of a block share: a loop of the reduction is bound to threadIdx.
#include <gmock/gmock.h>

#include "devices.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
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

/// Sums along k of A[i, j, k], where i and j are fused: a block has a thread for each of `rows` rows and each of four
/// parts of k.
struct FusedRowSums {
  FusedRowSums(const Expr& height, const Expr& width, std::int64_t rows) {
    const IterVar k = reduce_axis(10, "k");
    A = placeholder({height, width, 10}, kFloat32, "A");
    B = compute({height, width}, [&](Expr i, Expr j) { return sum(A(i, j, k), k); }, "B");
    s = create_schedule(B);
    const auto [bx, ty] = s[B].split(s[B].fuse(s[B].axis(0), s[B].axis(1)), factor(rows));
    s[B].bind(bx, kBlockIdxX).bind(ty, kThreadIdxY).bind(s[B].split(k, factor(4)).second, kThreadIdxX);
  }
  ir::Program program() const { return lower(s, {A, B}, device_target(), "f"); }
  void expect_right(const std::vector<std::int64_t>& symbols = {}) const {
    const ir::Program lowered = program();
    EXPECT_THAT(ir::verify(lowered, ir::Form::kLoop), ::testing::IsEmpty()) << ir::to_string(lowered);
    for (const std::uint64_t seed : {1, 2}) {
      EXPECT_EQ(run_program(lowered, seed, symbols), run_unscheduled(B, {A, B}, symbols)) << ir::to_string(lowered);
    }
  }

  Tensor A, B;
  Schedule s = create_schedule(compute({1}, [](Expr) { return Expr(1.0); }, "none"));
};

TEST(ThreadReductions, FusedRowsAreBoundToTheOtherThreads) {
  const std::tuple<int, int, const char*> cases[] = {
      {8, 4, "shared B.rf: float32[4, 1, 4]\n"},     // half a row
      {4, 8, "shared B.rf: float32[4, 2, 4]\n"},     // two rows
      {10, 4, "shared B.rf: float32[4, 2, 10]\n"}};  // parts of one or two rows
  for (const auto& [width, rows, shared] : cases) {
    const FusedRowSums r(6, width, rows);
    EXPECT_THAT(ir::to_string(r.program()), HasSubstr(shared));
    EXPECT_THAT(ir::to_string(r.program()), HasSubstr("threadIdx.y i.j.inner in 0.." + std::to_string(rows) + ":\n"));
    r.expect_right();
  }
}

TEST(ThreadReductions, FusedRowsOfEveryExtent) {
  for (const int width : {1, 4, 6, 7, 12}) {
    for (const int rows : {1, 3, 4, 8, 24}) {
      SCOPED_TRACE(::testing::Message() << "rows of " << width << ", " << rows << " of them a block");
      FusedRowSums(5, width, rows).expect_right();
    }
  }
}

TEST(ThreadReductions, FusedRowsOfUnknownNumber) {
  const FusedRowSums r(var("n"), 8, 4);
  for (const std::int64_t height : {1, 3}) r.expect_right({height});
}

TEST(ThreadReductions, FusedRowsBesideOthers) {
  // i and l are fused, and the loop over j, which lies between them in the partial results, has threads of its own.
  const Tensor A = placeholder({3, 4, 5, 10}, kFloat32, "A");
  const IterVar k = reduce_axis(10, "k");
  const Tensor B = compute({3, 4, 5}, [&](Expr i, Expr j, Expr l) { return sum(A(i, j, l, k), k); }, "B");
  Schedule s = create_schedule(B);
  const IterVar i = s[B].axis(0), j = s[B].axis(1), l = s[B].axis(2);
  s[B].reorder({l, j});
  const auto [bx, ty] = s[B].split(s[B].fuse(i, l), factor(4));
  s[B].bind(bx, kBlockIdxX).bind(ty, kThreadIdxY).bind(j, kThreadIdxZ);
  s[B].bind(s[B].split(k, factor(2)).second, kThreadIdxX);
  const ir::Program program = lower(s, {A, B}, device_target(), "f");
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty()) << ir::to_string(program);
  EXPECT_EQ(run_program(program, 3), run_unscheduled(B, {A, B})) << ir::to_string(program);
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

TEST(ThreadReductionsRefuse, ThreadsWithoutBlocksAround) {
  const std::string expected =
      "loop k.inner of B belongs to its reduction and is bound to threadIdx.x, but no loop around the whole reduction "
      "and all threads is bound to blockIdx: bind one, or use rfactor and schedule the partial results";
  RowSums serial;
  serial.s[serial.B].bind(serial.ki, kThreadIdxX);
  EXPECT_EQ(serial.refusal(), expected);
  RowSums r;
  r.s[r.B].bind(r.s[r.B].axis(0), kThreadIdxY).bind(r.ki, kThreadIdxX);
  EXPECT_EQ(r.refusal(), expected);
}

TEST(ThreadReductionsRefuse, WhatIsComputedInsideTheReduction) {
  RowSums r;
  const Tensor cache = r.s.cache_read(r.A, ir::Scope::kLocal, {r.B});
  r.s[r.B].bind(r.s[r.B].axis(0), kBlockIdxX).bind(r.ki, kThreadIdxX);
  r.s[cache].compute_at(r.s[r.B], r.ki);
  EXPECT_EQ(r.refusal(),
            "loop k.inner of B belongs to its reduction and is bound to threadIdx.x, but A.cache, which B reads, is "
            "computed inside loop k.inner of B: keep A.cache in shared scope and attach it to loop i of B, or use "
            "rfactor and schedule the partial results");
}

TEST(ThreadReductionsRefuse, WhatIsComputedInsideTheThreadsOfTheRows) {
  RowSums r;
  const auto [by, ty] = r.s[r.B].split(r.s[r.B].axis(0), factor(3));
  r.s[r.B].bind(by, kBlockIdxX).bind(ty, kThreadIdxY).bind(r.ki, kThreadIdxX);
  const Tensor cache = r.s.cache_read(r.A, ir::Scope::kLocal, {r.B});
  r.s[cache].compute_at(r.s[r.B], ty);
  EXPECT_EQ(r.refusal(),
            "loop k.inner of B belongs to its reduction and is bound to threadIdx.x, but A.cache, which B reads, is "
            "computed inside loop i.inner of B: keep A.cache in shared scope and attach it to loop i.outer of B, or "
            "use rfactor and schedule the partial results");
  r.s[cache].compute_at(r.s[r.B], by);
  EXPECT_EQ(r.refusal(),
            "loop k.inner of B belongs to its reduction and is bound to threadIdx.x, but lies inside the storage of "
            "A.cache, which is private to a thread: keep A.cache in shared scope");
  r.s[cache].set_scope(ir::Scope::kShared);
  r.expect_right();
}

TEST(ThreadReductionsRefuse, RowsWhoseThreadsAreNotCounted) {
  EXPECT_EQ(message<LowerError>([&] { FusedRowSums(6, var("n"), 4).program(); }),
            "loop k.inner of B belongs to its reduction and is bound to threadIdx.x, but i.j.inner, which is bound to "
            "threadIdx.y, is part of a fused loop whose inner loop, j, has no constant extent: use rfactor and "
            "schedule the partial results");
  const FusedRowSums r(6, var("n"), 4);
  Schedule s = create_schedule(r.B);
  s[r.B].bind(s[r.B].axis(0), kBlockIdxX).bind(s[r.B].axis(1), kThreadIdxY).bind(s[r.B].reduce_axis(0), kThreadIdxX);
  EXPECT_EQ(message<LowerError>([&] { lower(s, {r.A, r.B}, device_target(), "f"); }),
            "loop k of B belongs to its reduction and is bound to threadIdx.x, but j, which is bound to threadIdx.y, "
            "has no constant extent: use rfactor and schedule the partial results");
}

TEST(ThreadReductionsRefuse, ThreadsOfTheConsumerWithoutTheIndex) {
  RowSums r;
  const Tensor C = compute({6}, [&](Expr i) { return r.B(i) * 2.0; }, "C");
  Schedule s = create_schedule(C);
  const auto [bx, tx] = s[C].split(s[C].axis(0), factor(3));
  s[C].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
  s[r.B].compute_at(s[C], tx).set_scope(ir::Scope::kShared);
  s[r.B].bind(s[r.B].split(r.k, factor(8)).second, kThreadIdxY);
  EXPECT_EQ(message<LowerError>([&] { lower(s, {r.A, C}, device_target(), "f"); }),
            "loop k.inner of B belongs to its reduction and is bound to threadIdx.y, but B is computed inside loop "
            "i.inner of C, which is bound to threadIdx.x, and no loop around it is bound to threadIdx.y: attach B "
            "outside of the threads of C, or use rfactor and schedule the partial results");
}

}  // namespace
}  // namespace nestwright::testing
