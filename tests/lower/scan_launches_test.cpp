// Scans on devices: time is a loop of launches on the host, split or not; the stages of a step are kernels of their
// own, or parts of the update's kernel.
#include <gmock/gmock.h>

#include "devices.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/tensor.h"
#include "run_program.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

/// Y[t] = 2 Y[t-1] - Y[t-2] + 3 X[t] after two rows of X, with a stage that reads the states and one that does not.
struct Recurrence {
  explicit Recurrence(Expr steps = var("m"), Expr width = var("n")) : m(std::move(steps)), n(std::move(width)) {}

  Expr m, n;
  Tensor X = placeholder({m, n}, kFloat32, "X"), state = placeholder({m, n}, kFloat32, "S");
  Tensor init = compute({2, n}, [&](Expr t, Expr i) { return X(t, i); }, "init");
  Tensor part = compute({m, n}, [&](Expr t, Expr i) { return state(t - 1, i) * 2.0 - state(t - 2, i); }, "part");
  Tensor input = compute({m, n}, [&](Expr t, Expr i) { return X(t, i) * 3.0; }, "input");
  Tensor update = compute({m, n}, [&](Expr t, Expr i) { return part(t, i) + input(t, i); }, "update");
  Tensor Y = scan(init, update, state, {X}, "Y");
  Schedule s = create_schedule(Y);

  /// Binds the columns of `tensor` to blocks of 8 threads. Returns the threads' loop.
  IterVar bind_columns(const Tensor& tensor) {
    const auto [block, thread] = s[tensor].split(s[tensor].axis(1), factor(8));
    s[tensor].bind(block, kBlockIdxX).bind(thread, kThreadIdxX);
    return thread;
  }
  void bind_columns_of_all() {
    for (const Tensor& tensor : {init, part, input, update}) bind_columns(tensor);
  }
  ir::Program program() const { return lower(s, {X, Y}, device_target(), "f"); }
  std::string refusal() const {
    return message<LowerError>([&] { program(); });
  }

  /// Runs the program at `steps` x `width`; `symbols` has the values of those of the two that are symbolic.
  void expect_right(std::int64_t steps, std::int64_t width, const std::vector<std::int64_t>& symbols) const {
    const ir::Program f = program();
    EXPECT_THAT(ir::verify(f, ir::Form::kLoop), ::testing::IsEmpty());
    for (const std::uint64_t order : {1, 2, 3}) {
      const std::vector<float> y = run_program(f, order, symbols)[0];
      std::vector<float> expected(y.size());
      for (std::size_t at = 0; at < y.size(); ++at) {
        const auto columns = static_cast<std::size_t>(width);
        expected[at] = at < 2 * columns
                           ? input_value(0, at)
                           : 2 * expected[at - columns] - expected[at - 2 * columns] + 3 * input_value(0, at);
      }
      ASSERT_EQ(y, expected) << steps << "x" << width;
    }
  }
  void expect_right_at_all_sizes() const {
    for (const auto& [steps, width] : {std::pair{9, 20}, {2, 8}, {1, 3}, {3, 17}}) {
      expect_right(steps, width, {steps, width});
    }
  }
};

/// The host statement, printed.
std::string host_of(const Recurrence& r) {
  const std::string text = ir::to_string(r.program());
  return text.substr(0, text.find("  kernel "));
}

constexpr const char* kBefore =
    "program f<m, n>(X: float32[m, n]) -> (Y: float32[m, n])\n"
    "  global input: float32[m - 2, n]\n"
    "  for i in 0..2:\n"
    "    if likely(i < m):\n"
    "      launch f_kernel0\n"
    "  for i_1 in 0..(m - 2):\n"
    "    launch f_kernel1\n";

TEST(ScanLaunches, AStageOfAStepIsAKernelOfEachStep) {
  Recurrence r;
  r.bind_columns_of_all();
  EXPECT_EQ(host_of(r), std::string(kBefore) +
                            "  for t in 0..(m - 2):\n"
                            "    global part: float32[1, n]\n"
                            "    launch f_kernel2\n"
                            "    launch f_kernel3\n");
  EXPECT_THAT(ir::to_string(r.program()),
              HasSubstr("          part[0, j.outer_2*8 + j.inner_2] = "
                        "Y[t + 1, j.outer_2*8 + j.inner_2]*2.0 - Y[t, j.outer_2*8 + j.inner_2]\n"));
  r.expect_right_at_all_sizes();
}

TEST(ScanLaunches, AStageOfAStepInEachOfTheUpdatesThreads) {
  Recurrence r;
  r.bind_columns(r.init);
  r.bind_columns(r.input);
  r.s[r.part].set_scope(ir::Scope::kLocal).compute_at(r.s[r.update], r.bind_columns(r.update));
  EXPECT_EQ(host_of(r), std::string(kBefore) +
                            "  for t in 0..(m - 2):\n"
                            "    launch f_kernel2\n");
  EXPECT_THAT(ir::to_string(r.program()), HasSubstr("          local part: float32[1, 1]\n"));
  r.expect_right_at_all_sizes();
}

TEST(ScanLaunches, AStageOfAStepForAllThreadsOfABlock) {
  Recurrence r(var("m"), 24);
  r.bind_columns(r.init);
  r.bind_columns(r.input);
  r.s[r.part].set_scope(ir::Scope::kShared).compute_at(r.s[r.update], r.bind_columns(r.update));
  r.s[r.part].bind(r.s[r.part].axis(1), kThreadIdxX);
  EXPECT_THAT(ir::to_string(r.program()), HasSubstr("      shared part: float32[1, 8]\n"));
  for (const std::int64_t steps : {1, 2, 9}) r.expect_right(steps, 24, {steps});
}

TEST(ScanLaunches, TimeIsSplitOnTheHost) {
  Recurrence r;
  r.bind_columns_of_all();
  r.s[r.Y].split(r.s[r.Y].axis(0), factor(4));
  EXPECT_EQ(host_of(r), std::string(kBefore) +
                            "  for t.outer in 0..((m + 1)/4):\n"
                            "    for t.inner in 0..4:\n"
                            "      if likely(t.outer*4 + t.inner < m - 2):\n"
                            "        global part: float32[1, n]\n"
                            "        launch f_kernel2\n"
                            "        launch f_kernel3\n");
  r.expect_right_at_all_sizes();
}

TEST(ScanLaunches, WhatIsNoPartOfTheStepIsAKernelOfSeveralSteps) {
  Recurrence r;
  r.bind_columns_of_all();
  const auto [outer, inner] = r.s[r.Y].split(r.s[r.Y].axis(0), factor(4));
  r.s[r.input].compute_at(r.s[r.Y], outer);
  EXPECT_THAT(host_of(r), HasSubstr("  for t.outer in 0..((m + 1)/4):\n"
                                    "    global input: float32[4, n]\n"
                                    "    for i_1 in 0..4:\n"
                                    "      if likely(t.outer*4 + i_1 < m - 2):\n"
                                    "        launch f_kernel1\n"
                                    "    for t.inner in 0..4:\n"));
  r.expect_right_at_all_sizes();
}

TEST(ScanLaunches, TailsOfConstantTimes) {
  for (const Tail& tail : {Tail::guard(), Tail::partition(), Tail::predicate(), Tail::compose({4, 3})}) {
    Recurrence r(13, 20);
    r.bind_columns_of_all();
    const auto [outer, inner] = r.s[r.Y].split(r.s[r.Y].axis(0), factor(4), tail);
    r.s[r.Y].unroll(inner);
    r.expect_right(13, 20, {});
  }
}

TEST(ScanLaunches, TimeRunsInsideTheThreads) {
  Recurrence r;
  r.bind_columns(r.init);
  r.s[r.input].compute_inline();
  r.s[r.part].set_scope(ir::Scope::kLocal).compute_at(r.s[r.update], r.bind_columns(r.update));
  r.s[r.Y].pragma(r.s[r.Y].axis(0), "in_threads", 1);
  EXPECT_EQ(host_of(r),
            "program f<m, n>(X: float32[m, n]) -> (Y: float32[m, n])\n"
            "  for i in 0..2:\n"
            "    if likely(i < m):\n"
            "      launch f_kernel0\n"
            "  launch f_kernel1\n");
  EXPECT_THAT(ir::to_string(r.program()), HasSubstr("  kernel f_kernel1:\n"
                                                    "    blockIdx.x j.outer_1 in 0..((n + 7)/8):\n"
                                                    "      threadIdx.x j.inner_1 in 0..8:\n"
                                                    "        if likely(j.outer_1*8 + j.inner_1 < n):\n"
                                                    "          for t in 0..(m - 2):\n"
                                                    "            local part: float32[1, 1]\n"));
  r.expect_right_at_all_sizes();
}

TEST(ScanLaunches, ThreadsKeepTheRowBeforeInRegisters) {
  const Var m = var("m");
  const Tensor X = placeholder({m, 20}, kFloat32, "X"), state = placeholder({m, 20}, kFloat32, "S");
  const Tensor init = compute({1, 20}, [&](Expr, Expr i) { return X(0, i); }, "init");
  const Tensor update =
      compute({m, 20}, [&](Expr t, Expr i) { return max(state(t - 1, i), 0.0) + state(t - 1, i) + X(t, i); }, "update");
  const Tensor Y = scan(init, update, state, {X}, "Y");
  Schedule s = create_schedule(Y);
  for (const Tensor& part : {init, update}) {
    const auto [thread, item] = s[part].split(s[part].axis(1), factor(3));
    s[part].bind(thread, kThreadIdxX).unroll(item);
  }
  s[Y].pragma(s[Y].axis(0), "in_threads", 1);
  const ir::Program program = lower(s, {X, Y}, device_target(), "f");
  EXPECT_EQ(
      ir::to_string(program.kernels[1].body),
      "threadIdx.x j.outer in 0..7:\n"
      "  local Y.row: float32[3]\n"
      "  unrolled j.inner in 0..3:\n"
      "    if likely(j.outer*3 + j.inner < 20):\n"
      "      Y.row[j.inner] = Y[0, j.outer*3 + j.inner]\n"
      "  for t in 0..(m - 1):\n"
      "    unrolled j.inner_1 in 0..3:\n"
      "      if likely(j.outer*3 + j.inner_1 < 20):\n"
      "        Y.row[j.inner_1] = max(Y.row[j.inner_1], 0.0) + Y.row[j.inner_1] + X[t + 1, j.outer*3 + j.inner_1]\n"
      "        Y[t + 1, j.outer*3 + j.inner_1] = Y.row[j.inner_1]\n");
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
  for (const std::int64_t steps : {1, 2, 9}) {
    EXPECT_EQ(run_program(program, 3, {steps}), run_unscheduled(Y, {X, Y}, {steps})) << steps;
  }
}

TEST(ScanLaunches, OfOneStepThereIsNoTimeToMove) {
  Recurrence r(3, 20);
  r.bind_columns(r.init);
  r.s[r.input].compute_inline();
  r.s[r.part].compute_inline();
  r.bind_columns(r.update);
  r.s[r.Y].pragma(r.s[r.Y].axis(0), "in_threads", 1);
  r.expect_right(3, 20, {});
}

TEST(ScanLaunches, RowsOfAStageWithoutColumnsAreThreads) {
  const Tensor X = placeholder({6, 12}, kFloat32, "X"), state = placeholder({6, 12}, kFloat32, "S");
  const IterVar k = reduce_axis(12, "k");
  const Tensor init = compute({2, 12}, [&](Expr t, Expr i) { return X(t, i); }, "init");
  const Tensor largest = compute({6}, [&](Expr t) { return max(state(t - 1, k), k); }, "largest");
  const Tensor update =
      compute({6, 12}, [&](Expr t, Expr i) { return X(t, i) + largest(t) - largest(t - 1) * 2.0; }, "update");
  const Tensor Y = scan(init, update, state, {X}, "Y");
  Schedule s = create_schedule(Y);
  s[init].bind(s[init].axis(1), kThreadIdxX);
  s[largest].bind(s[largest].axis(0), kThreadIdxX);
  s[update].bind(s[update].axis(1), kThreadIdxX);
  const ir::Program program = lower(s, {X, Y}, device_target(), "f", {.after_pass = {}, .verify = true});
  EXPECT_THAT(ir::to_string(program), HasSubstr("threadIdx.x i_1 in 0..2:\n"));
  EXPECT_EQ(run_program(program, 3), run_unscheduled(Y, {X, Y}));
}

TEST(ScanLaunchesRefuse, TimeInsideThreadsThatAreOfSeveralKernels) {
  Recurrence r;
  r.bind_columns_of_all();
  r.s[r.Y].pragma(r.s[r.Y].axis(0), "in_threads", 1);
  EXPECT_EQ(
      r.refusal(),
      "the time of Y cannot run inside its threads: its steps are not one nest of bound loops; bind the outermost "
      "loops of its update, and compute other stages inside them");
}

TEST(ScanLaunchesRefuse, TimeInsideThreadsThatReadEachOther) {
  const Tensor X = placeholder({6, 24}, kFloat32, "X"), state = placeholder({6, 24}, kFloat32, "S");
  const Tensor init = compute({1, 24}, [&](Expr, Expr i) { return X(0, i); }, "init");
  const Tensor update = compute({6, 24}, [&](Expr t, Expr i) { return state(t - 1, 23 - i) + X(t, i); }, "update");
  const Tensor Y = scan(init, update, state, {X}, "Y");
  Schedule s = create_schedule(Y);
  for (const Tensor& part : {init, update}) s[part].bind(s[part].axis(1), kThreadIdxX);
  EXPECT_EQ(run_program(lower(s, {X, Y}, device_target(), "f"), 3), run_unscheduled(Y, {X, Y}));
  s[Y].pragma(s[Y].axis(0), "in_threads", 1);
  try {
    lower(s, {X, Y}, device_target(), "f");
    FAIL() << "not refused";
  } catch (const LowerError& e) {
    EXPECT_STREQ(e.what(),
                 "the time of Y cannot run inside its threads: one of them reads or writes Y where another one does; "
                 "leave out in_threads");
  }
}

TEST(ScanLaunchesRefuse, StagesOfAStepThatNothingRuns) {
  Recurrence r;
  for (const Tensor& tensor : {r.init, r.input, r.update}) r.bind_columns(tensor);
  EXPECT_EQ(r.refusal(), "f: no loop around the computation of part is bound, so that nothing on " +
                             device_target().str() +
                             " runs it: bind its outermost "
                             "loops to blockIdx and threadIdx, or compute it at a bound loop of its consumer");
  r.s[r.part].compute_at(r.s[r.update], r.s[r.update].loops()[1]);
  EXPECT_EQ(r.refusal(),
            "part is kept in global scope but computed inside loop j.outer of update, which is bound to blockIdx.x: "
            "keep it in local scope, or in shared scope for all threads of a block");
}

TEST(ScanLaunchesRefuse, TimeInsideAKernel) {
  Recurrence r;
  try {
    r.s[r.Y].bind(r.s[r.Y].axis(0), kThreadIdxX);
    FAIL() << "not refused";
  } catch (const ScheduleError& e) {
    EXPECT_STREQ(e.what(),
                 "bind of t: it is the time of scan Y, whose steps depend on each other: use an axis of its "
                 "update");
  }
}

}  // namespace
}  // namespace nestwright::testing
