// double_buffer with two slots: the loop form, its results, and stages that cannot be computed ahead.
#include <gmock/gmock.h>

#include "blocked_product.h"
#include "devices.h"
#include "ir/traversal/rewrite.h"
#include "lower/nest/staged_fill.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/tensor.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

int count_halved(const ir::Program& program) {
  int count = 0;
  for (const ir::Kernel& kernel : program.kernels) {
    ir::for_each_stmt(kernel.body, [&](const ir::Stmt& s) {
      const auto* allocate = s.as<ir::Allocate>();
      if (allocate != nullptr && ir::is_const_int(allocate->buffer->shape.front(), 2)) ++count;
    });
  }
  return count;
}

/// T[i] = A[i] + 1, C[i] = T[i] * T[i], with T computed in tiles of C.
struct Chain {
  explicit Chain(const Expr& length, std::int64_t tile = 8, const Tail& tail = Tail::guard())
      : A(placeholder({length}, kFloat32, "A")),
        T(compute(
            {length}, [&](Expr i) { return A(i) + 1.0; }, "T")),
        C(compute(
            {length}, [&](Expr i) { return T(i) * T(i); }, "C")),
        s(create_schedule(C)) {
    std::tie(outer, inner) = s[C].split(s[C].axis(0), factor(tile), tail);
    s[T].compute_at(s[C], outer);
    s[T].double_buffer();
  }
  Args args() const { return {A, C}; }
  ir::Program program() const { return lower(s, args(), Target(), "f", {.after_pass = {}, .verify = true}); }
  std::string text() const { return ir::to_string(program().kernels[0].body); }

  Tensor A, T, C;
  Schedule s;
  IterVar outer, inner;
};

TEST(DoubleBuffer, IsFilledOneIterationAhead) {
  const Chain chain(32);
  EXPECT_EQ(chain.text(),
            "global T: float32[2, 8]\n"
            "for i in 0..8:\n"
            "  T[0, i] = A[i] + 1.0\n"
            "for i.outer in 0..4:\n"
            "  if likely(i.outer < 3):\n"
            "    for i_1 in 0..8:\n"
            "      T[(i.outer + 1)%2, i_1] = A[i.outer*8 + i_1 + 8] + 1.0\n"
            "  for i.inner in 0..8:\n"
            "    C[i.outer*8 + i.inner] = T[i.outer%2, i.inner]*T[i.outer%2, i.inner]\n");
  EXPECT_EQ(run_program(chain.program()), run_unscheduled(chain.C, chain.args()));
}

TEST(DoubleBuffer, TheOrderIsFillUseFill) {
  // A half keeps its elements until after the next store to the other half.
  const ir::Program program = Chain(32).program();
  const auto* allocate = program.kernels[0].body.as<ir::Allocate>();
  ASSERT_NE(allocate, nullptr);
  const auto* parts = allocate->body.as<ir::Block>();
  ASSERT_NE(parts, nullptr);
  ASSERT_EQ(parts->stmts.size(), 2u);
  const auto* iteration = parts->stmts[1].as<ir::For>()->body.as<ir::Block>();
  ASSERT_NE(iteration, nullptr);
  EXPECT_NE(iteration->stmts[0].as<ir::IfThenElse>(), nullptr);
  EXPECT_NE(iteration->stmts[1].as<ir::For>(), nullptr);
}

TEST(DoubleBuffer, OddExtentsAndTailsOfEveryKind) {
  for (const int length : {1, 2, 7, 8, 9, 16, 17, 31, 38}) {
    for (const Tail& tail : {Tail::guard(), Tail::partition()}) {
      const Chain chain(length, 8, tail);
      EXPECT_EQ(run_program(chain.program()), run_unscheduled(chain.C, chain.args())) << length << "\n" << chain.text();
    }
    Chain vectors(length, 8, Tail::predicate());
    vectors.s[vectors.C].vectorize(vectors.inner);
    vectors.s[vectors.T].vectorize(vectors.s[vectors.T].axis(0));
    EXPECT_EQ(run_program(vectors.program()), run_unscheduled(vectors.C, vectors.args())) << length << "\n"
                                                                                          << vectors.text();
  }
}

TEST(DoubleBuffer, OfASingleIterationNothingIsDoneAhead) {
  const Chain chain(8);
  EXPECT_EQ(chain.text(),
            "global T: float32[8]\n"
            "for i in 0..8:\n"
            "  T[i] = A[i] + 1.0\n"
            "for i.inner in 0..8:\n"
            "  C[i.inner] = T[i.inner]*T[i.inner]\n");
}

TEST(DoubleBuffer, EachSegmentOfASplitIsBufferedByItself) {
  const Chain chain(34, 8, Tail::compose({8, 5}));  // 3 tiles of 8, 2 of 5
  EXPECT_EQ(count_halved(chain.program()), 2) << chain.text();
  EXPECT_EQ(run_program(chain.program()), run_unscheduled(chain.C, chain.args()));
  const Chain tail(35, 8, Tail::partition());  // 4 tiles of 8, and one iteration
  EXPECT_EQ(count_halved(tail.program()), 1) << tail.text();
  EXPECT_THAT(tail.text(), HasSubstr("global T_1: float32[3]\n"));
}

TEST(DoubleBuffer, SymbolicExtents) {
  const Var n = var("n");
  const Chain chain(n);
  EXPECT_THAT(chain.text(), HasSubstr("if likely(i.outer < (n + 7)/8 - 1):\n"));
  for (const std::int64_t length : {1, 5, 8, 9, 16, 23, 40}) {
    EXPECT_EQ(run_program(chain.program(), 1, {length}), run_unscheduled(chain.C, chain.args(), {length})) << length;
  }
}

TEST(DoubleBuffer, InsideAParallelLoopEachThreadHasItsHalves) {
  ScheduledProduct p;
  Schedule& s = *p.s;
  const Tensor cache = s.cache_read(p.B, ir::Scope::kLocal, {p.C});
  const auto [ko, ki] = s[p.C].split(p.k, factor(4));
  const IterVar i = s[p.C].axis(0), j = s[p.C].axis(1);
  s[p.C].reorder({i, ko, j, ki}).parallel(i);
  s[cache].compute_at(s[p.C], ko);
  s[cache].double_buffer();
  s[cache].vectorize(s[cache].axis(1));
  const ir::Program program = p.program();
  EXPECT_EQ(count_halved(program), 1);
  EXPECT_THAT(ir::to_string(program), HasSubstr("      local B.cache: float32[2, 4, 10]\n"));
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_EQ(run_program(program, seed), run_unscheduled(p.C, p.args())) << ir::to_string(program);
  }
}

TEST(DoubleBuffer, OfBothOperandsAtOneLoop) {
  ScheduledProduct p;
  Schedule& s = *p.s;
  const Tensor a = s.cache_read(p.A, ir::Scope::kGlobal, {p.C}), b = s.cache_read(p.B, ir::Scope::kGlobal, {p.C});
  const auto [ko, ki] = s[p.C].split(p.k, factor(5), Tail::partition());
  s[p.C].reorder({s[p.C].axis(0), ko, s[p.C].axis(1)});
  for (const Tensor& cache : {a, b}) {
    s[cache].compute_at(s[p.C], ko);
    s[cache].double_buffer();
  }
  s[b].storage_align(s[b].axis(0), 8, 3);
  const ir::Program program = p.program();
  EXPECT_THAT(ir::to_string(program), HasSubstr("global B.cache: float32[2, 5, 10] strides [55, 11, 1]\n"));
  EXPECT_EQ(run_program(program), run_unscheduled(p.C, p.args())) << ir::to_string(program);
}

TEST(DoubleBuffer, InsideOneThatIsDoubleBuffered) {
  const Tensor A = placeholder({6, 30}, kFloat32, "A");
  const auto copy = [](const Tensor& t, const char* name) {
    return compute({6, 30}, [&](Expr i, Expr j) { return t(i, j) + 1.0; }, name);
  };
  const Tensor R = copy(A, "R"), S = copy(R, "S"), T = copy(S, "T"), C = copy(T, "C");
  Schedule s = create_schedule(C);
  const auto [o, i] = s[C].split(s[C].axis(1), factor(7));
  s[T].compute_at(s[C], s[C].axis(0)).double_buffer();
  s[S].compute_at(s[C], o).double_buffer();
  s[R].compute_at(s[S], s[S].axis(1)).double_buffer();
  // S is to be computed inside the loop of C, but T, which reads it, at a loop around that.
  s[S].compute_at(s[T], s[T].axis(1));
  const ir::Program program = lower(s, {A, C}, Target(), "f", {.after_pass = {}, .verify = true});
  EXPECT_EQ(run_program(program), run_unscheduled(C, {A, C})) << ir::to_string(program);
}

TEST(DoubleBuffer, StagesThatReadEachOtherMoveTogether) {
  const Tensor A = placeholder({20}, kFloat32, "A");
  const Tensor S = compute({20}, [&](Expr i) { return A(i) + 1.0; }, "S");
  const Tensor T = compute({20}, [&](Expr i) { return S(i) * 2.0; }, "T");
  const Tensor C = compute({20}, [&](Expr i) { return T(i) + S(i); }, "C");
  Schedule s = create_schedule(C);
  const auto [o, i] = s[C].split(s[C].axis(0), factor(5));
  s[T].compute_at(s[C], o).double_buffer();
  s[S].compute_at(s[C], o);
  try {
    lower(s, {A, C}, Target(), "f");
    ADD_FAILURE() << "T reads S of the same iteration";
  } catch (const LowerError& e) {
    EXPECT_STREQ(e.what(),
                 "T is double-buffered at loop i.outer, but reads S, which is computed in the same loop, so that "
                 "nothing can be done ahead: compute S outside of the loop or inside T, or double-buffer it too");
  }
  s[S].double_buffer();
  const ir::Program program = lower(s, {A, C}, Target(), "f", {.after_pass = {}, .verify = true});
  EXPECT_EQ(ir::to_string(program.kernels[0].body),
            "global S: float32[2, 5]\n"
            "global T: float32[2, 5]\n"
            "for i in 0..5:\n"
            "  S[0, i] = A[i] + 1.0\n"
            "for i_1 in 0..5:\n"
            "  T[0, i_1] = S[0, i_1]*2.0\n"
            "for i.outer in 0..4:\n"
            "  if likely(i.outer < 3):\n"
            "    for i_2 in 0..5:\n"
            "      S[(i.outer + 1)%2, i_2] = A[i.outer*5 + i_2 + 5] + 1.0\n"
            "    for i_3 in 0..5:\n"
            "      T[(i.outer + 1)%2, i_3] = S[(i.outer + 1)%2, i_3]*2.0\n"
            "  for i.inner in 0..5:\n"
            "    C[i.outer*5 + i.inner] = T[i.outer%2, i.inner] + S[i.outer%2, i.inner]\n");
  EXPECT_EQ(run_program(program), run_unscheduled(C, {A, C}));
}

TEST(DoubleBuffer, ReadsOfRecurrencesAreNotDoneAhead) {
  const Tensor X = placeholder({6, 8}, kFloat32, "X"), state = placeholder({6, 8}, kFloat32, "state");
  const Tensor init = compute({1, 8}, [&](Expr, Expr i) { return X(0, i); }, "init");
  const Tensor scaled = compute({6, 8}, [&](Expr t, Expr i) { return X(t, i) * 2.0; }, "scaled");
  const Tensor before = compute({6, 8}, [&](Expr t, Expr i) { return state(t - 1, i) + 1.0; }, "before");
  const Tensor update = compute({6, 8}, [&](Expr t, Expr i) { return before(t, i) + scaled(t, i); }, "update");
  const Tensor Y = scan(init, update, state, {X}, "Y");
  Schedule s = create_schedule(Y);
  s[scaled].compute_at(s[Y], s[Y].axis(0)).double_buffer();
  const ir::Program program = lower(s, {X, Y}, Target(), "f", {.after_pass = {}, .verify = true});
  EXPECT_EQ(run_program(program), run_unscheduled(Y, {X, Y})) << ir::to_string(program);
  EXPECT_EQ(count_halved(program), 1);
  s[before].double_buffer();
  try {
    lower(s, {X, Y}, Target(), "f");
    ADD_FAILURE() << "the step before is not there yet";
  } catch (const LowerError& e) {
    EXPECT_STREQ(e.what(),
                 "before is double-buffered at loop t, but reads Y, which is computed in the same loop, so that "
                 "nothing can be done ahead: compute Y outside of the loop or inside before, or double-buffer it too");
  }
}

TEST(DoubleBuffer, OfUnrolledLoops) {
  Chain chain(35, 8, Tail::partition());
  chain.s[chain.C].unroll(chain.outer);
  EXPECT_EQ(run_program(chain.program()), run_unscheduled(chain.C, chain.args())) << chain.text();
  const ir::Program vectors = expand(chain.program(), Target(), {.after_pass = {}, .verify = true});
  EXPECT_EQ(run_program(vectors), run_unscheduled(chain.C, chain.args()));
}

TEST(DoubleBuffer, VectorForm) {
  Chain chain(1000, 64, Tail::partition());
  chain.s[chain.T].set_scope(ir::Scope::kLocal);
  chain.s[chain.C].vectorize(chain.inner);
  chain.s[chain.T].vectorize(chain.s[chain.T].axis(0));
  const ir::Program vectors = expand(chain.program(), Target(), {.after_pass = {}, .verify = true});
  EXPECT_THAT(ir::to_string(vectors), HasSubstr("T[i.outer%2, ramp"));
  EXPECT_EQ(run_program(vectors), run_unscheduled(chain.C, chain.args()));
}

// --- Threads --------------------------------------------------------------------------------------------------------

TEST(DoubleBufferInSharedMemory, TakesOneBarrierAnIteration) {
  const Blocked once(1), twice(2);
  EXPECT_EQ(barriers_in_loop(once.program(device_target()).kernels[0].body, "k.outer"), 2);
  const ir::Program program = twice.program(device_target());
  const std::string text = ir::to_string(program);
  EXPECT_EQ(barriers_in_loop(program.kernels[0].body, "k.outer"), 1) << text;
  EXPECT_EQ(count_barriers(program.kernels[0].body), 2) << text;
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), IsEmpty()) << text;
  EXPECT_THAT(text, HasSubstr("shared B.cache: float32[2, 3, 5]\n"));
  EXPECT_THAT(text, HasSubstr("shared A.cache: float32[2, 4, 3]\n"));
  for (const std::uint64_t seed : {1, 2, 3})
    EXPECT_EQ(run_program(program, seed), run_unscheduled(twice.C, twice.args())) << text;
}

TEST(DoubleBufferInSharedMemory, WhatIsFetchedAheadWaitsInRegisters) {
  // The device has no asynchronous copies.
  const Blocked blocked(2);
  const ir::Program program = blocked.program(device_target(DeviceKind::kOpenCl));
  const std::string text = ir::to_string(program.kernels[0].body);
  EXPECT_EQ(run_program(program, 3), run_unscheduled(blocked.C, blocked.args()));
  EXPECT_THAT(ir::to_string(blocked.program(device_target(DeviceKind::kCuda))), Not(HasSubstr("ahead")));
  const auto position = [&](const char* part) { return text.find(part, text.find("for k.outer")); };
  const std::size_t asked = position("A.cache.ahead[0] = A["), used = position("C.tile[0, 0] + "),
                    stored = position("%2, i.inner, j.inner] = A.cache.ahead[0]"), waits = position("barrier");
  ASSERT_NE(asked, std::string::npos) << text;
  EXPECT_LT(asked, used) << text;
  EXPECT_LT(used, stored) << text;
  EXPECT_LT(stored, waits) << text;
}

/// C[i] = sum of T[k, i] = A[k, i] + 1, with slices of 4 * `rows` elements of the reduction by one thread a column.
std::string columns_fetched_ahead(std::int64_t rows, bool of_shared = false) {
  const Tensor A = placeholder({64, 8}, kFloat32, "A");
  const Tensor S = compute({64, 8}, [&](Expr k, Expr i) { return A(k, i) + 1.0; }, "S");
  const Tensor T = compute({64, 8}, [&](Expr k, Expr i) { return (of_shared ? S : A)(k, i) * 2.0; }, "T");
  const IterVar k = reduce_axis(64, "k");
  const Tensor C = compute({8}, [&](Expr i) { return sum(T(k, i), k); }, "C");
  Schedule s = create_schedule(C);
  const Tensor sums = s.cache_write(C, ir::Scope::kLocal);
  s[C].bind(s[C].axis(0), kThreadIdxX);
  s[sums].compute_at(s[C], s[C].axis(0));
  const IterVar outer = s[sums].split(s[sums].reduce_axis(0), factor(4 * rows)).first;
  s[sums].reorder({outer, s[sums].loops().back(), s[sums].axis(0)});
  for (const Tensor& stage : of_shared ? std::vector{S, T} : std::vector{T}) {
    s[stage].set_scope(ir::Scope::kShared).compute_at(s[sums], outer);
    s[stage].bind(s[stage].axis(1), kThreadIdxX).double_buffer();
  }
  const ir::Program program = lower(s, {A, C}, device_target(), "f", {.after_pass = {}, .verify = true});
  EXPECT_EQ(run_program(program, 2), run_unscheduled(C, {A, C})) << ir::to_string(program);
  return ir::to_string(program);
}

TEST(DoubleBufferInSharedMemory, ButNotMoreThanAThreadHasRegistersFor) {
  EXPECT_THAT(columns_fetched_ahead(4), HasSubstr("local T.ahead: float32[16]\n"));
  EXPECT_THAT(columns_fetched_ahead(8), Not(HasSubstr("ahead")));
}

TEST(DoubleBufferInSharedMemory, NorWhatIsMadeOfWhatIsFetchedAhead) {
  EXPECT_THAT(columns_fetched_ahead(1, true), Not(HasSubstr("ahead")));
}

/// C = A B by a thread for each column. Slices of 3 columns of A are kept in shared memory in tiles of 8 rows, of which
/// there are 5.
struct PaddedSlices : ScheduledProduct {
  explicit PaddedSlices(std::int64_t stages) : ScheduledProduct(5, 8, 12) {
    Schedule& schedule = *s;
    const Tensor sums = schedule.cache_write(C, ir::Scope::kLocal);
    const Tensor cache = schedule.cache_read(A, ir::Scope::kShared, {sums});
    const std::vector<IterVar> tiles = schedule.transform_layout(
        cache, [](std::span<const Expr> x) { return std::vector<Expr>{x[0] / 8, x[1], x[0] % 8}; });
    const IterVar i = schedule[C].axis(0), j = schedule[C].axis(1);
    schedule[C].reorder({j, i}).bind(j, kThreadIdxX);
    schedule[sums].compute_at(schedule[C], j);
    const auto [ko, ki] = schedule[sums].split(schedule[sums].reduce_axis(0), factor(3));
    schedule[sums].reorder({ko, ki, schedule[sums].axis(0), schedule[sums].axis(1)});
    schedule[cache].compute_at(schedule[sums], ko).bind(tiles[2], kThreadIdxX).double_buffer(stages);
  }
};

TEST(DoubleBufferInSharedMemory, ZerosOfAPaddedTileAreStoredBeforeItsElements) {
  const Target target = Target::parse("cuda,arch=sm_80");
  for (const std::int64_t stages : {2, 3}) {
    const PaddedSlices padded(stages);
    const auto expected = run_unscheduled(padded.C, padded.args());
    const ir::Program program = padded.program(target);
    const std::string text = ir::to_string(program);
    EXPECT_THAT(text, HasSubstr(stages == 2 ? "shared A.cache: float32[2, 1, 3, 8]\n" : "float32[3, 1, 3, 8]\n"));
    EXPECT_THAT(ir::verify(program, ir::Form::kLoop), IsEmpty()) << text;
    for (const std::uint64_t seed : {1, 2}) EXPECT_EQ(run_program(program, seed), expected) << text;
    const ir::Program vectors = expand(program, target, {.after_pass = {}, .verify = true});
    EXPECT_EQ(run_program(vectors, 3), expected) << ir::to_string(vectors);
  }
}

TEST(StagedFill, CopiesThatMayOverlapOtherStoresGoThroughRegisters) {
  const ir::Buffer from("A", kFloat32, {8}), to("T", kFloat32, {8}, ir::Scope::kShared);
  const ir::Var i("i"), j("j");
  const ir::Stmt copy = ir::make_for(i, 0, 4, ir::LoopKind::kSerial, ir::make_store(to, {i}, ir::make_load(from, {i})));
  const auto with_zeros = [&](std::int64_t first) {  // to elements first .. first + 2
    const ir::Stmt zero = ir::make_store(to, {Expr(j) + Expr(first)}, 0.0);
    return ir::block({ir::make_for(j, 0, 3, ir::LoopKind::kSerial, zero), copy});
  };
  const auto apart = stage_in_registers(with_zeros(4), true), mixed = stage_in_registers(with_zeros(3), true);
  ASSERT_TRUE(apart.has_value() && mixed.has_value());
  EXPECT_EQ(apart->registers.size(), 1u);
  EXPECT_EQ(mixed->registers.size(), 2u);
  EXPECT_EQ(ir::to_string(mixed->store),
            "unrolled j in 0..3:\n"
            "  T[j + 3] = T.ahead[j]\n"
            "unrolled i in 0..4:\n"
            "  T[i] = T.ahead_1[i]\n");
  EXPECT_TRUE(has_copies(with_zeros(4), true));
  EXPECT_FALSE(has_copies(with_zeros(3), true));
  EXPECT_FALSE(has_copies(with_zeros(4), false));
}

TEST(DoubleBufferInSharedMemory, AnyNumberOfIterations) {
  for (const std::int64_t depth : {2, 3, 5, 6, 7, 9, 13}) {
    const Blocked blocked(2, depth);
    const ir::Program program = blocked.program(device_target());
    for (const std::uint64_t seed : {1, 2}) {
      EXPECT_EQ(run_program(program, seed), run_unscheduled(blocked.C, blocked.args())) << ir::to_string(program);
    }
  }
}

TEST(DoubleBuffer, OfALoopOfLaunches) {
  const Tensor X = placeholder({6, 16}, kFloat32, "X"), state = placeholder({6, 16}, kFloat32, "state");
  const Tensor init = compute({1, 16}, [&](Expr, Expr i) { return X(0, i); }, "init");
  const Tensor scaled = compute({6, 16}, [&](Expr t, Expr i) { return X(t, i) * 2.0; }, "scaled");
  const Tensor update = compute({6, 16}, [&](Expr t, Expr i) { return state(t - 1, i) + scaled(t, i); }, "update");
  const Tensor Y = scan(init, update, state, {X}, "Y");
  Schedule s = create_schedule(Y);
  for (const Tensor& part : {init, scaled, update}) s[part].bind(s[part].axis(1), kThreadIdxX);
  s[scaled].compute_at(s[Y], s[Y].axis(0)).double_buffer();
  const ir::Program program = lower(s, {X, Y}, device_target(), "f", {.after_pass = {}, .verify = true});
  EXPECT_EQ(ir::to_string(program.host),
            "launch 0\n"
            "global scaled: float32[2, 1, 16]\n"
            "launch 1\n"
            "for t in 0..5:\n"
            "  if likely(t < 4):\n"
            "    launch 2\n"
            "  launch 3\n");
  EXPECT_EQ(run_program(program), run_unscheduled(Y, {X, Y})) << ir::to_string(program);
}

TEST(DoubleBufferInSharedMemory, EveryBarrierIsNeeded) {
  expect_every_barrier_needed(Blocked(2).program(device_target()), 2);
}

/// Redirects all accesses to one half, which is then read while it is filled.
class OneHalf : public ir::Mutator {
 public:
  using Mutator::mutate;
  ir::Expr mutate(const ir::Expr& e) override {
    const auto* mod = e.defined() ? e.as<ir::Binary>() : nullptr;
    return mod != nullptr && mod->op == ir::BinaryOp::kMod ? ir::Expr(0) : mutate_children(e);
  }
};

TEST(DoubleBufferInSharedMemory, OneHalfForBothIsARace) {
  ir::Program program = Blocked(2).program(device_target());
  program.kernels[0].body = OneHalf().mutate(program.kernels[0].body);
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), Not(IsEmpty()));
  EXPECT_THROW(run_program(program), Error);
}

}  // namespace
}  // namespace nestwright::testing
