// The loop form of small schedules, as printed, and refusals.
#include <gmock/gmock.h>

#include "matmul_schedule.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "pass_list.h"
#include "run_program.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

Target target() {
  Target t;
  t.isa = CpuIsa::kAvx512;
  t.vector_bits = 512;
  return t;
}

/// The kernel's body as printed, without the lines before it.
std::string body_of(const Schedule& s, const std::vector<Tensor>& args) {
  return ir::to_string(lower(s, args, target(), "f").kernels[0].body);
}

std::string refusal(const Schedule& s, const std::vector<Tensor>& args) {
  return message<LowerError>([&] { lower(s, args, target(), "f"); });
}

struct Chain {
  Tensor A = placeholder({Expr(10)}, kFloat32, "A");
  Tensor B = compute({Expr(10)}, [&](Expr i) { return A(i) * Expr(2.0); }, "B");
  Tensor C = compute({Expr(8)}, [&](Expr i) { return B(i) + B(i + 2); }, "C");
};

TEST(Lower, PlainMatrixProduct) {
  const Matmul op = make_matmul(4, 5, 6);
  EXPECT_EQ(body_of(create_schedule(op.c), {op.a, op.b, op.c}),
            "for i in 0..4:\n"
            "  for j in 0..5:\n"
            "    C[i, j] = 0.0\n"
            "    for k in 0..6:\n"
            "      C[i, j] = C[i, j] + A[i, k]*B[k, j]\n");
}

TEST(Lower, GuardStandsWhereTheIndexIsKnown) {
  const Tensor A = placeholder({Expr(10), Expr(3)}, kFloat32, "A");
  const Tensor B = compute({Expr(10), Expr(3)}, [&](Expr i, Expr j) { return A(i, j); }, "B");
  Schedule s = create_schedule(B);
  const auto [io, ii] = s[B].split(s[B].axis(0), factor(4));
  s[B].parallel(io);
  s[B].unroll(ii);
  EXPECT_EQ(body_of(s, {A, B}),
            "parallel i.outer in 0..3:\n"
            "  unrolled i.inner in 0..4:\n"
            "    if likely(i.outer*4 + i.inner < 10):\n"
            "      for j in 0..3:\n"
            "        B[i.outer*4 + i.inner, j] = A[i.outer*4 + i.inner, j]\n");
}

TEST(Lower, PartitionPeelsTheTail) {
  Chain c;
  Schedule s = create_schedule(c.C);
  s[c.B].compute_inline();
  s[c.C].split(s[c.C].axis(0), factor(3), Tail::partition());
  EXPECT_EQ(body_of(s, {c.A, c.C}),
            "for i.outer in 0..2:\n"
            "  for i.inner in 0..3:\n"
            "    C[i.outer*3 + i.inner] = A[i.outer*3 + i.inner]*2.0 + A[i.outer*3 + i.inner + 2]*2.0\n"
            "for i.inner_1 in 0..2:\n"
            "  C[i.inner_1 + 6] = A[i.inner_1 + 6]*2.0 + A[i.inner_1 + 8]*2.0\n");
}

TEST(Lower, ComposedSplitHasABodyForEachSegment) {
  const Tensor A = placeholder({Expr(26)}, kFloat32, "A");
  const Tensor B = compute({Expr(26)}, [&](Expr i) { return A(i); }, "B");
  Schedule s = create_schedule(B);
  s[B].split(s[B].axis(0), factor(14), Tail::compose({14, 12}));
  EXPECT_EQ(body_of(s, {A, B}),
            "for i.inner in 0..14:\n"
            "  B[i.inner] = A[i.inner]\n"
            "for i.inner_1 in 0..12:\n"
            "  B[i.inner_1 + 14] = A[i.inner_1 + 14]\n");
}

TEST(Lower, AttachedStageComputesWhatAnIterationReads) {
  Chain c;
  Schedule s = create_schedule(c.C);
  const auto [io, ii] = s[c.C].split(s[c.C].axis(0), factor(4));
  s[c.B].compute_at(s[c.C], io).set_scope(ir::Scope::kLocal);
  EXPECT_EQ(body_of(s, {c.A, c.C}),
            "for i.outer in 0..2:\n"
            "  local B: float32[6]\n"
            "  for i in 0..6:\n"
            "    B[i] = A[i.outer*4 + i]*2.0\n"
            "  for i.inner in 0..4:\n"
            "    C[i.outer*4 + i.inner] = B[i.inner] + B[i.inner + 2]\n");
}

TEST(Lower, AttachedStageThatSticksOutIsGuarded) {
  Chain c;
  Schedule s = create_schedule(c.C);
  const auto [io, ii] = s[c.C].split(s[c.C].axis(0), factor(5));
  s[c.B].compute_at(s[c.C], io);
  const ir::Program program = lower(s, {c.A, c.C}, target(), "f");
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
  EXPECT_THAT(ir::to_string(program), HasSubstr("B: float32[7]"));
  const std::vector<float> result = run_program(program)[0];
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(result[i], 2 * input_value(0, i) + 2 * input_value(0, i + 2));
}

TEST(Lower, RootStagesLieInTheWorkspace) {
  Chain c;
  const Schedule s = create_schedule(c.C);
  EXPECT_THAT(body_of(s, {c.A, c.C}), HasSubstr("global B: float32[10]\n"));
}

TEST(Lower, LayoutIsPaddedAndReadByTilesAndPositions) {
  const Tensor A = placeholder({Expr(2), Expr(5)}, kFloat32, "A");
  const Tensor B = compute({Expr(2), Expr(5)}, [&](Expr i, Expr j) { return A(i, j); }, "B");
  Schedule s = create_schedule(B);
  s[B].split(s[B].axis(1), factor(4), Tail::partition());
  const Tensor P = s.cache_read(A, ir::Scope::kGlobal, {B});
  s.transform_layout(P, [](std::span<const Expr> x) { return std::vector{x[1] / Expr(4), x[0], x[1] % Expr(4)}; });
  const std::string text = body_of(s, {A, B});
  EXPECT_THAT(text, HasSubstr("A.cache: float32[2, 2, 4]"));
  EXPECT_THAT(text, HasSubstr("B[i, j.inner] = A.cache[0, i, j.inner]"));
  EXPECT_THAT(text, HasSubstr("B[i, 4] = A.cache[1, i, 0]"));
}

TEST(Lower, PrefetchIsSoManyIterationsAhead) {
  const Matmul op = make_matmul(8, 32, 64);
  Schedule s = create_schedule(op.c);
  s[op.c].reorder({s[op.c].axis(0), s[op.c].reduce_axis(0), s[op.c].axis(1)});
  s[op.c].prefetch(op.b, s[op.c].reduce_axis(0), 4);
  const std::string text = body_of(s, {op.a, op.b, op.c});
  EXPECT_THAT(text, HasSubstr("prefetch B[k + 4, 0]"));
  EXPECT_THAT(text, HasSubstr("prefetch B[k + 4, 16]"));
}

TEST(Lower, PrefetchesTheLastLineOfRowsThatBeginInsideOne) {
  // Rows of 100 elements are 6.25 lines apart: 32 elements lie in three lines, except in every fourth row.
  const Matmul op = make_matmul(8, 100, 64);
  Schedule s = create_schedule(op.c);
  const auto [outer, inner] = s[op.c].split(s[op.c].axis(1), factor(32), Tail::partition());
  s[op.c].reorder({outer, s[op.c].axis(0), s[op.c].reduce_axis(0), inner});
  s[op.c].prefetch(op.b, s[op.c].reduce_axis(0), 4);
  const std::string text = body_of(s, {op.a, op.b, op.c});
  EXPECT_THAT(text, HasSubstr("prefetch B[k + 4, j.outer*32]"));
  EXPECT_THAT(text, HasSubstr("prefetch B[k + 4, j.outer*32 + 16]"));
  EXPECT_THAT(text, HasSubstr("prefetch B[k + 4, j.outer*32 + 31]"));
}

TEST(Lower, PrefetchesWhereTheNextTileWillBeWritten) {
  const Matmul op = make_matmul(8, 32, 64);
  Schedule s = create_schedule(op.c);
  const auto [outer, inner] = s[op.c].split(s[op.c].axis(0), factor(2));
  s[op.c].prefetch(op.c, outer, 1);
  const std::string text = body_of(s, {op.a, op.b, op.c});
  EXPECT_THAT(text, HasSubstr("prefetch C[i.outer*2 + 2, 16] for write\n"));
  EXPECT_THAT(text, HasSubstr("prefetch C[i.outer*2 + 3, 0] for write\n"));
  EXPECT_THAT(text, Not(HasSubstr("prefetch C[i.outer*2 + 4")));
}

TEST(Lower, RefusesToPrefetchRegisters) {
  const Matmul op = make_matmul(8, 32, 64);
  Schedule s = create_schedule(op.c);
  const Tensor tile = s.cache_write(op.c, ir::Scope::kRegister);
  s[tile].compute_at(s[op.c], s[op.c].axis(0));
  s[op.c].prefetch(tile, s[op.c].axis(1), 1);
  try {
    body_of(s, {op.a, op.b, op.c});
    FAIL() << "was lowered";
  } catch (const LowerError& e) {
    EXPECT_STREQ(e.what(), "C prefetches C.tile at loop j, which is kept in registers: there is nothing to wait for");
  }
}

TEST(Lower, SymbolicExtentsAreGuarded) {
  const Var n = var("n");
  const Tensor A = placeholder({n}, kFloat32, "A");
  const Tensor B = compute({n}, [&](Expr i) { return A(i) + Expr(1.0); }, "B");
  Schedule s = create_schedule(B);
  const auto [io, ii] = s[B].split(s[B].axis(0), factor(16), Tail::predicate());
  s[B].vectorize(ii);
  s[B].parallel(io);
  const ir::Program program = lower(s, {A, B}, target(), "f");
  ASSERT_EQ(program.symbols.size(), 1u);
  EXPECT_TRUE(program.symbols[0] == n);
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
  EXPECT_THAT(ir::to_string(program), HasSubstr("if likely(i.outer*16 + i.inner < n)"));
}

TEST(Lower, VectorsOfASplitByMoreThanTheExtent) {
  const Tensor T = compute({64}, [](Expr i) { return cast(kFloat32, i); }, "T");
  const Tensor C = compute({3, 64}, [&](Expr i, Expr j) { return T(j) + cast(kFloat32, i); }, "C");
  Schedule s = create_schedule(C);
  s[T].set_scope(ir::Scope::kLocal);
  s[T].compute_at(s[C], s[C].axis(0));
  s[T].vectorize(s[T].split(s[T].axis(0), factor(std::int64_t{1} << 40)).second);
  s[C].vectorize(s[C].split(s[C].axis(1), factor(1 << 20)).second);
  const std::string text = ir::to_string(lower(s, {C}, target(), "f"));
  EXPECT_THAT(text, HasSubstr("local T: float32[64]\n")) << "whole vectors are no longer than the axis";
  EXPECT_THAT(text, HasSubstr("vectorized i.inner in 0..64:\n"));
  EXPECT_THAT(text, HasSubstr("vectorized j.inner in 0..64:\n"));
  expect_same_results(s, {C}, {C});
}

TEST(Lower, NoParameterHasANegativeExtent) {
  const Var n = var("n");
  const Tensor A = placeholder({n, n}, kFloat32, "A");
  const Tensor C = compute({n - 5, n - 5}, [&](Expr i, Expr j) { return A(i, j); }, "C");
  Schedule s = create_schedule(C);
  s[C].fuse(s[C].axis(0), s[C].axis(1));
  EXPECT_NO_THROW(lower(s, {A, C}, target(), "f", {.after_pass = {}, .verify = true}));
}

TEST(Lower, ReportsEveryPassWithItsTime) {
  Chain c;
  std::vector<std::string> seen;
  LowerOptions options;
  options.after_pass = [&](std::string_view pass, const ir::Program& program, std::int64_t ns) {
    seen.emplace_back(pass);
    EXPECT_GE(ns, 0);
    EXPECT_EQ(program.name, "f");
  };
  lower(create_schedule(c.C), {c.A, c.C}, target(), "f", options);
  EXPECT_EQ(seen, names_of_passes(LoweringStage::kLoops, DeviceKind::kCpu));
}

TEST(LowerRefuses, PrivateStorageAroundAParallelLoop) {
  const Matmul op = make_matmul(8, 8, 8);
  Schedule s = create_schedule(op.c);
  const Tensor T = s.cache_write(op.c, ir::Scope::kRegister);
  s[T].compute_at(s[op.c], s[op.c].axis(0));
  s[op.c].parallel(s[op.c].axis(1));
  EXPECT_THAT(refusal(s, {op.a, op.b, op.c}), HasSubstr("which is private to a thread"));
}

TEST(LowerRefuses, PrivateStorageAtRoot) {
  const Matmul op = make_matmul(8, 8, 8);
  Schedule s = create_schedule(op.c);
  s.cache_write(op.c, ir::Scope::kRegister);
  EXPECT_EQ(refusal(s, {op.a, op.b, op.c}),
            "C.tile is kept in register scope but computed at root: attach it to a loop of its consumer");
}

TEST(LowerRefuses, AStageReadOutsideTheLoopItIsComputedIn) {
  const Tensor A = placeholder({Expr(8)}, kFloat32, "A");
  const Tensor B = compute({Expr(8)}, [&](Expr i) { return A(i); }, "B");
  const Tensor C = compute({Expr(8)}, [&](Expr i) { return B(i); }, "C");
  const Tensor D = compute({Expr(8)}, [&](Expr i) { return B(i) + C(i); }, "D");
  Schedule s = create_schedule(D);
  s[B].compute_at(s[D], s[D].axis(0));
  EXPECT_THAT(refusal(s, {A, D}), HasSubstr("but C reads it outside"));
}

TEST(LowerRefuses, ATileThatIsNotInsideItsBlocks) {
  const Matmul op = make_matmul(8, 8, 8);
  Schedule s = create_schedule(op.c);
  const auto [ko, ki] = s[op.c].split(s[op.c].reduce_axis(0), factor(4));
  s.cache_write(op.c, ir::Scope::kGlobal, ko);
  EXPECT_THAT(refusal(s, {op.a, op.b, op.c}), HasSubstr("whose blocks it sums up"));
}

TEST(LowerRefuses, ToVerifyWhatNoScheduleMakesSafe) {
  const Tensor I = placeholder({Expr(10)}, kInt64, "I"), A = placeholder({Expr(10)}, kFloat32, "A");
  const auto refusal_of = [&](const Expr& index) -> std::string {
    const Tensor C = compute({Expr(1)}, [&](Expr) { return A(index); }, "C");
    return message<LowerError>([&] { lower(create_schedule(C), {I, A, C}, target(), "gather", {.verify = true}); });
  };
  EXPECT_EQ(
      refusal_of(I(3)),
      "gather: the load from A in `C[0] = A[I[3]]` is not proved to be within bounds: index 0 is I[3], which may be "
      "negative: clamp the index, or select what lies inside");
  EXPECT_EQ(refusal_of(clamp(I(3), 0, 9)), "accepted");
}

TEST(LowerRefuses, WrongArguments) {
  Chain c;
  const Schedule s = create_schedule(c.C);
  EXPECT_THAT(refusal(s, {c.C}), HasSubstr("tensor A of the schedule is no argument"));
  EXPECT_THAT(refusal(s, {c.A, c.B, c.C}), HasSubstr("B is neither an input nor an output"));
  EXPECT_THAT(refusal(s, {c.A, c.A, c.C}), HasSubstr("A is handed over twice"));
}

TEST(Lower, CombinesAllMembersOfATupleBeforeItStoresOne) {
  const Tensor a = placeholder({2, 6}, kFloat32, "A");
  const IterVar k = reduce_axis(6, "k");
  const Reducer argmax("argmax", {Expr(-1), min_value(kFloat32)}, [](std::span<const Expr> x, std::span<const Expr> y) {
    return std::vector<Expr>{select(x[1] >= y[1], x[0], y[0]), max(x[1], y[1])};
  });
  const std::vector<Tensor> best =
      compute_tuple({2}, [&](std::span<const Expr> i) { return argmax({k, a(i[0], k)}, {k}); }, "best");
  Schedule s = create_schedule(best);
  const ir::Program program = lower(s, {a, best[0], best[1]}, target(), "argmax");
  float data[] = {3, 1, 4, 1, 5, 2, 7, 7, 1, 8, 2, 8};
  std::int64_t index[2];
  float value[2];
  const ir::Memory memory[] = {std::as_writable_bytes(std::span(data)), std::as_writable_bytes(std::span(index)),
                               std::as_writable_bytes(std::span(value))};
  ir::interpret(program, memory);
  EXPECT_EQ(index[0], 4);
  EXPECT_EQ(value[0], 5);
  EXPECT_EQ(index[1], 3);
  EXPECT_EQ(value[1], 8);
}

}  // namespace
}  // namespace nestwright::testing
