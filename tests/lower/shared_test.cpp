// Stages in shared scope: threads share the work, the region is the union over all threads, and barriers.
#include <gmock/gmock.h>

#include "devices.h"
#include "ir/traversal/rewrite.h"
#include "matmul_schedule.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

/// C in tiles of 8x8 for each block of 4x2 threads, with slices of 5 steps of A and B in shared memory.
struct Blocked {
  Matmul op = make_matmul(16, 24, 20);
  Schedule s = create_schedule(op.c);
  Tensor tile = s.cache_write(op.c, ir::Scope::kLocal);
  Tensor a = s.cache_read(op.a, ir::Scope::kShared, {tile}), b = s.cache_read(op.b, ir::Scope::kShared, {tile});

  explicit Blocked(bool cooperate = true) {
    const auto [by, bx, yi, xi] = s[op.c].tile(s[op.c].axis(0), s[op.c].axis(1), 8, 8);
    const auto [ty, i] = s[op.c].split(yi, nparts(4));
    const auto [tx, j] = s[op.c].split(xi, nparts(2));
    s[op.c].reorder({by, bx, ty, tx, i, j});
    s[op.c].bind(by, kBlockIdxY).bind(bx, kBlockIdxX).bind(ty, kThreadIdxY).bind(tx, kThreadIdxX);
    s[tile].compute_at(s[op.c], tx);
    const auto [ko, ki] = s[tile].split(s[tile].reduce_axis(0), factor(5));
    s[tile].reorder({ko, ki, s[tile].axis(0), s[tile].axis(1)});
    for (const Tensor& cache : {a, b}) {
      s[cache].compute_at(s[tile], ko);
      if (!cooperate) continue;
      const auto [y, x] = std::pair(s[cache].axis(0), s[cache].axis(1));
      const auto [yo, yt] = s[cache].split(y, factor(4));
      const auto [xo, xt] = s[cache].split(x, factor(2));
      s[cache].reorder({yo, xo, yt, xt}).bind(yt, kThreadIdxY).bind(xt, kThreadIdxX);
    }
  }
  ir::Program program() const { return lower(s, {op.a, op.b, op.c}, device_target(), "f"); }
  std::vector<std::vector<float>> expected() const { return run_unscheduled(op.c, {op.a, op.b, op.c}); }
};

TEST(Shared, ThreadsLoadTilesTogether) {
  const Blocked blocked;
  const ir::Program program = blocked.program();
  const std::string text = ir::to_string(program);
  EXPECT_THAT(text, ::testing::HasSubstr("    blockIdx.y i.outer in 0..2:\n"
                                         "      blockIdx.x j.outer in 0..3:\n"
                                         "        shared B.cache: float32[5, 8]\n"
                                         "        shared A.cache: float32[8, 5]\n"
                                         "        threadIdx.y i.inner.outer in 0..4:\n"
                                         "          threadIdx.x j.inner.outer in 0..2:\n"
                                         "            local C.tile: float32[2, 4]\n"));
  EXPECT_EQ(count_barriers(program.kernels[0].body), 2) << text;
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
  for (const std::uint64_t seed : {1, 2, 3}) EXPECT_EQ(run_program(program, seed), blocked.expected()) << text;
}

TEST(Shared, OneThreadLoadsWhereNoneIsNamed) {
  const Blocked blocked(false);
  const ir::Program program = blocked.program();
  EXPECT_THAT(ir::to_string(program), ::testing::HasSubstr("if i.inner.outer < 1 && j.inner.outer < 1:\n"));
  EXPECT_EQ(run_program(program, 4), blocked.expected());
}

TEST(Shared, EveryBarrierIsNeeded) { expect_every_barrier_needed(Blocked().program(), 2); }

/// B[i] = A[i] + A[i+1] by 8 threads a block, which read A through shared memory.
struct Stencil {
  Tensor A = placeholder({33}, kFloat32, "A");
  Tensor B = compute({32}, [&](Expr i) { return A(i) + A(i + 1); }, "B");
  Schedule s = create_schedule(B);
  IterVar bx, tx;
  Tensor cache = s.cache_read(A, ir::Scope::kShared, {B});
  Stencil() {
    std::tie(bx, tx) = s[B].split(s[B].axis(0), factor(8));
    s[B].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
    s[cache].compute_at(s[B], tx);
  }
};

TEST(Shared, TheRegionIsThatOfAllThreads) {
  Stencil t;
  const auto [o, i] = t.s[t.cache].split(t.s[t.cache].axis(0), factor(8));
  t.s[t.cache].bind(i, kThreadIdxX);
  const ir::Program program = lower(t.s, {t.A, t.B}, device_target(DeviceKind::kOpenCl), "f");
  EXPECT_THAT(ir::to_string(program), ::testing::HasSubstr("shared A.cache: float32[9]\n"));
  EXPECT_EQ(count_barriers(program.kernels[0].body), 1);
  EXPECT_EQ(run_program(program, 3), run_unscheduled(t.B, {t.A, t.B}));
}

TEST(Shared, ALoopShorterThanTheThreadsIsGuarded) {
  Stencil t;
  const auto [i, o] = t.s[t.cache].split(t.s[t.cache].axis(0), nparts(3));
  t.s[t.cache].bind(i, kThreadIdxX);
  const ir::Program program = lower(t.s, {t.A, t.B}, device_target(), "f");
  EXPECT_EQ(run_program(program, 3), run_unscheduled(t.B, {t.A, t.B}));
}

TEST(Shared, ABlockHasItsThreadsHoweverFewElementsThereAre) {
  // 16 threads a block for tiles of 8 of the 5 elements: all threads fetch, and 5 of them use the elements.
  const Tensor A = placeholder({5}, kFloat32, "A");
  const Tensor B = compute({5}, [&](Expr i) { return A(4 - i) * 2.0; }, "B");
  Schedule s = create_schedule(B);
  const auto [bx, rest] = s[B].split(s[B].axis(0), factor(8));
  const auto [i, tx] = s[B].split(rest, factor(16));
  s[B].reorder({bx, tx, i}).bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
  const Tensor cache = s.cache_read(A, ir::Scope::kShared, {B});
  s[cache].compute_at(s[B], tx);
  s[cache].bind(s[cache].split(s[cache].axis(0), factor(16)).second, kThreadIdxX);
  const ir::Program program = lower(s, {A, B}, device_target(), "f");
  EXPECT_EQ(ir::to_string(program.kernels[0].body),
            "blockIdx.x i.outer in 0..1:\n"
            "  shared A.cache: float32[5]\n"
            "  threadIdx.x i.inner.inner in 0..16:\n"
            "    if likely(i.inner.inner < 5):\n"
            "      A.cache[i.inner.inner] = A[i.inner.inner]\n"
            "    barrier\n"
            "    if likely(i.inner.inner < 5):\n"
            "      B[i.inner.inner] = A.cache[4 - i.inner.inner]*2.0\n");
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
  for (const std::uint64_t seed : {1, 2}) EXPECT_EQ(run_program(program, seed), run_unscheduled(B, {A, B}));
}

TEST(Shared, TheThreadThatFillsAnElementOfAPartialTileCopiesToIt) {
  // 20 rows in tiles of 16, of which the threads have a column and a row each: the last tile has 4 rows.
  const Tensor A = placeholder({20, 8}, kFloat32, "A"), B = placeholder({128, 8}, kFloat32, "B");
  const IterVar i = reduce_axis(20, "i"), j = reduce_axis(8, "j");
  const Tensor C = compute({128}, [&](Expr x) { return sum(A(i, j) * B(x, j), {i, j}); }, "C");
  Schedule s = create_schedule(C);
  const IterVar thread = s[C].axis(0);
  s[C].bind(thread, kThreadIdxX);
  const Tensor cache = s.cache_read(A, ir::Scope::kShared, {C});
  const std::vector<IterVar> tiles =
      s.transform_layout(cache, [](std::span<const Expr> x) { return std::vector<Expr>{x[0] / 16, x[1], x[0] % 16}; });
  s[cache].compute_at(s[C], thread);
  s[cache].bind(s[cache].fuse(tiles[1], tiles[2]), kThreadIdxX);
  const ir::Program program = lower(s, {A, B, C}, device_target(), "f");
  const ir::Program expanded = expand(program, device_target());
  EXPECT_EQ(count_barriers(program.kernels[0].body), 1) << ir::to_string(program);
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty()) << ir::to_string(program);
  EXPECT_THAT(ir::verify(expanded, ir::Form::kDeviceVector), ::testing::IsEmpty()) << ir::to_string(expanded);
  const auto expected = run_unscheduled(C, {A, B, C});
  for (const std::uint64_t seed : {1, 2, 3}) EXPECT_EQ(run_program(program, seed), expected) << ir::to_string(program);
  EXPECT_EQ(run_program(expanded, 4), expected) << ir::to_string(expanded);
}

std::string refusal(const Schedule& s, const std::vector<Tensor>& args) {
  return message<LowerError>([&] { lower(s, args, device_target(), "f"); });
}

/// Like Stencil, but without a loop over blocks.
struct OneBlock : Stencil {
  OneBlock() {
    s = create_schedule(B);
    cache = s.cache_read(A, ir::Scope::kShared, {B});
    std::tie(bx, tx) = s[B].split(s[B].axis(0), factor(8));
    s[B].bind(tx, kThreadIdxX);
  }
};

TEST(Shared, ThreadsWithoutBlocksAreOneBlock) {
  OneBlock t;
  t.s[t.cache].compute_at(t.s[t.B], t.tx);
  const auto [o, i] = t.s[t.cache].split(t.s[t.cache].axis(0), factor(8));
  t.s[t.cache].bind(i, kThreadIdxX);
  const ir::Program program = lower(t.s, {t.A, t.B}, device_target(), "f");
  EXPECT_EQ(ir::to_string(program.host) + ir::to_string(program.kernels[0].body),
            "for i.outer in 0..4:\n"
            "  launch 0\n"
            "shared A.cache: float32[9]\n"
            "threadIdx.x i.inner in 0..8:\n"
            "  for ax0.outer in 0..2:\n"
            "    if likely(ax0.outer*8 + i.inner < 9):\n"
            "      A.cache[ax0.outer*8 + i.inner] = A[i.outer*8 + ax0.outer*8 + i.inner]\n"
            "  barrier\n"
            "  B[i.outer*8 + i.inner] = A.cache[i.inner] + A.cache[i.inner + 1]\n");
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
  EXPECT_EQ(run_program(program, 3), run_unscheduled(t.B, {t.A, t.B}));
}

TEST(Shared, AReductionOfTuplesWaitsForWhatItReads) {
  const Tensor A = placeholder({8, 3}, kFloat32, "A");
  const IterVar r = reduce_axis(3, "r");
  const Reducer both("both", {Expr(0.0), min_value(kFloat32)}, [](std::span<const Expr> a, std::span<const Expr> b) {
    return std::vector<Expr>{a[0] + b[0], max(a[1], b[1])};
  });
  const std::vector<Tensor> B =
      compute_tuple({8}, [&](std::span<const Expr> i) { return both({A(i[0], r), A(i[0], r)}, {r}); }, "B");
  Schedule s = create_schedule(B);
  s[B[0]].bind(s[B[0]].axis(0), kThreadIdxX);
  const Tensor cache = s.cache_read(A, ir::Scope::kShared, {B[0]});
  s[cache].compute_at(s[B[0]], s[B[0]].axis(0));
  const ir::Program program = lower(s, {A, B[0], B[1]}, device_target(), "f");
  EXPECT_EQ(count_barriers(program.kernels[0].body), 1) << ir::to_string(program);
  EXPECT_EQ(run_program(program, 3), run_program(lower(create_schedule(B), {A, B[0], B[1]}, Target(), "f")));
}

TEST(SharedRefuses, StorageBetweenLaunches) {
  OneBlock t;
  t.s[t.cache].compute_at(t.s[t.B], t.bx);
  const auto [o, i] = t.s[t.cache].split(t.s[t.cache].axis(0), factor(8));
  t.s[t.cache].reorder({i, o}).bind(i, kThreadIdxX);
  EXPECT_EQ(refusal(t.s, {t.A, t.B}),
            "A.cache is kept in shared scope but computed outside of all bound loops: attach it to a loop inside those "
            "of its consumer");
}

TEST(SharedRefuses, MoreIterationsThanThreads) {
  Stencil t;
  t.s[t.cache].bind(t.s[t.cache].axis(0), kThreadIdxX);
  EXPECT_EQ(refusal(t.s, {t.A, t.B}),
            "loop ax0 of A.cache is bound to threadIdx.x, of which loop i.inner of B has 8 threads, fewer than its 9: "
            "split it by this number");
}

TEST(SharedRefuses, AnIndexThatTheThreadsHaveNot) {
  Stencil t;
  t.s[t.cache].bind(t.s[t.cache].axis(0), kThreadIdxY);
  EXPECT_EQ(refusal(t.s, {t.A, t.B}),
            "loop ax0 of A.cache is bound to threadIdx.y, which no loop around A.cache is: bind it to an index of its "
            "consumer's threads, or leave it serial");
}

TEST(SharedRefuses, StorageOutsideAllBlocks) {
  Stencil t;
  t.s[t.cache].compute_root();
  EXPECT_EQ(refusal(t.s, {t.A, t.B}),
            "A.cache is kept in shared scope but computed at root: attach it to a loop of its consumer");
}

TEST(SharedRefuses, BlocksInsideTheThreadsThatShare) {
  OneBlock t;
  t.s[t.B].bind(t.bx, kBlockIdxX).reorder({t.tx, t.bx});
  t.s[t.cache].compute_at(t.s[t.B], t.bx);
  EXPECT_EQ(
      refusal(t.s, {t.A, t.B}),
      "loop i.outer is bound to blockIdx.x inside a loop over threads, which share A.cache: reorder the loops over "
      "blocks outermost");
}

TEST(Shared, TilesAreComputedWhereverTheirStageCopiesThem) {
  // The second block needs no row of T, but computes the whole of it, as the threads have a row each.
  const Tensor A = placeholder({7, 4}, kFloat32, "A"), B = placeholder({11}, kFloat32, "B");
  const IterVar k = reduce_axis(4, "k");
  const Tensor U = compute({7, 4}, [&](Expr i, Expr j) { return A(i, j) * 2.0; }, "U");
  const Tensor T = compute({7}, [&](Expr i) { return max(U(i, k), k); }, "T");
  const Tensor C = compute({11}, [&](Expr i) { return B(i) + select(i < 7, T(i), 0.0F); }, "C");
  Schedule s = create_schedule(C);
  const Tensor tile = s.cache_write(T, ir::Scope::kLocal);
  const auto [block, row] = s[C].split(s[C].axis(0), factor(8));
  const auto [thread, element] = s[C].split(row, factor(1));  // whose guard lies inside of what the threads wait for
  s[C].bind(block, kBlockIdxX).bind(thread, kThreadIdxX);
  for (const Tensor& shared : {U, T}) {
    s[shared].set_scope(ir::Scope::kShared).compute_at(s[C], thread);
    s[shared].bind(s[shared].axis(0), kThreadIdxX);
  }
  s[tile].compute_at(s[T], s[T].axis(0));
  const ir::Program program = lower(s, {A, B, C}, device_target(), "f");
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
  EXPECT_EQ(run_program(program, 5), run_unscheduled(C, {A, B, C})) << ir::to_string(program);
}

TEST(SharedRefuses, BarriersThatSomeThreadsWouldMiss) {
  const Tensor A = placeholder({30}, kFloat32, "A");
  const Tensor B = compute({30}, [&](Expr i) { return A(i) * 2.0; }, "B");
  Schedule s = create_schedule(B);
  const auto [bx, tx] = s[B].split(s[B].axis(0), factor(8));
  s[B].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
  const Tensor cache = s.cache_read(A, ir::Scope::kShared, {B});
  s[cache].compute_at(s[B], tx);
  EXPECT_THAT(refusal(s, {A, B}), ::testing::HasSubstr("differs between the threads of a block"));
}

TEST(SharedRefuses, WhatOneThreadKeepsForItself) {
  const Tensor A = placeholder({32}, kFloat32, "A");
  const Tensor B = compute({32}, [&](Expr i) { return A(i) * 2.0; }, "B");
  const Tensor C = compute({32}, [&](Expr i) { return B(i) + 1.0; }, "C");
  Schedule s = create_schedule(C);
  const auto [bx, tx] = s[C].split(s[C].axis(0), factor(8));
  s[C].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
  s[B].compute_at(s[C], tx);
  s[B].set_scope(ir::Scope::kRegister);
  const Tensor cache = s.cache_read(B, ir::Scope::kShared, {C});
  s[cache].compute_at(s[C], tx);
  EXPECT_EQ(refusal(s, {A, C}),
            "B.cache is computed by all threads of a block together, but reads B, which each thread keeps for itself: "
            "keep that in shared scope, too");
}

}  // namespace
}  // namespace nestwright::testing
