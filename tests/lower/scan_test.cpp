// The loop form of scans, as printed, and their results in the interpreter.
#include "nestwright/tensor.h"

#include <gmock/gmock.h>

#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "schedule/state/state.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

std::string body_of(const Schedule& s, const std::vector<Tensor>& args) {
  return ir::to_string(lower(s, args, Target(), "f").kernels[0].body);
}

/// A recurrence of two steps with a stage between state and update: Y[t] = 2*Y[t-1] - Y[t-2] + X[t].
struct Recurrence {
  Var m = var("m"), n = var("n");
  Tensor X = placeholder({m, n}, kFloat32, "X");
  Tensor state = placeholder({m, n}, kFloat32, "S");
  Tensor init = compute({2, n}, [&](Expr t, Expr i) { return X(t, i); }, "init");
  Tensor part = compute({m, n}, [&](Expr t, Expr i) { return state(t - 1, i) * 2.0 - state(t - 2, i); }, "part");
  Tensor update = compute({m, n}, [&](Expr t, Expr i) { return part(t, i) + X(t, i); }, "update");
  Tensor Y = scan(init, update, state, {X}, "Y");
  Schedule s = create_schedule(Y);

  void expect_right() const {
    const ir::Program program = lower(s, {X, Y}, Target(), "f");
    EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
    for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{9, 37}, {2, 5}, {1, 3}, {3, 1}}) {
      const std::vector<float> y = run_program(program, 1, sizes)[0];
      const auto at = [&](std::int64_t t, std::int64_t i) { return static_cast<std::size_t>(t * sizes[1] + i); };
      for (std::int64_t t = 0; t < sizes[0]; ++t) {
        for (std::int64_t i = 0; i < sizes[1]; ++i) {
          const float before = t < 2 ? 0 : 2 * y[at(t - 1, i)] - y[at(t - 2, i)];
          ASSERT_EQ(y[at(t, i)], before + input_value(0, at(t, i))) << t << ", " << i;
        }
      }
    }
  }
};

TEST(LowerScan, StepsFollowTheInitInOneBuffer) {
  const Recurrence r;
  EXPECT_EQ(body_of(r.s, {r.X, r.Y}),
            "for i in 0..2:\n"
            "  if likely(i < m):\n"
            "    for j in 0..n:\n"
            "      Y[i, j] = X[i, j]\n"
            "for t in 0..(m - 2):\n"
            "  global part: float32[1, n]\n"
            "  for j_1 in 0..n:\n"
            "    part[0, j_1] = Y[t + 1, j_1]*2.0 - Y[t, j_1]\n"
            "  for j_2 in 0..n:\n"
            "    Y[t + 2, j_2] = part[0, j_2] + X[t + 2, j_2]\n");
  r.expect_right();
}

TEST(LowerScan, StageOfAStepIsComputedInsideTheUpdate) {
  Recurrence r;
  const auto [outer, inner] = r.s[r.update].split(r.s[r.update].axis(1), factor(32));
  r.s[r.part].compute_at(r.s[r.update], outer);
  r.s[r.update].parallel(outer);
  EXPECT_THAT(body_of(r.s, {r.X, r.Y}), HasSubstr("for t in 0..(m - 2):\n"
                                                  "  parallel j.outer in 0..((n + 31)/32):\n"
                                                  "    global part: float32[1, 32]\n"));
  r.expect_right();
}

TEST(LowerScan, TimeIsSplitWithAllThatIsComputedInIt) {
  for (const Tail& tail : {Tail::guard(), Tail::predicate()}) {
    Recurrence r;
    const auto [outer, inner] = r.s[r.Y].split(r.s[r.Y].axis(0), factor(4), tail);
    EXPECT_EQ(r.s.state().stages[1].attach.loop, inner);
    const auto [middle, innermost] = r.s[r.Y].split(inner, factor(2));
    EXPECT_EQ(r.s.state().stages[1].attach.loop, innermost);
    EXPECT_EQ(r.s.state().stages[2].attach.loop, innermost);
    r.expect_right();
  }
}

TEST(LowerScan, CachesOfAStepAreMadeInTheStep) {
  Recurrence r;
  const Tensor cache = r.s.cache_read(r.state, ir::Scope::kGlobal, {r.part});
  const Tensor tile = r.s.cache_write(r.update, ir::Scope::kGlobal);
  const std::string text = body_of(r.s, {r.X, r.Y});
  EXPECT_THAT(text, HasSubstr("S.cache[ax0, ax1] = Y[t + ax0, ax1]"));
  EXPECT_THAT(text, HasSubstr("part[0, j_1] = S.cache[1, j_1]*2.0 - S.cache[0, j_1]"));
  EXPECT_THAT(text, HasSubstr("Y[t + 2, j_3] = update.tile[0, j_3]"));
  r.expect_right();
  Recurrence fresh;
  r.s.trace().replay(fresh.s);
  EXPECT_EQ(body_of(fresh.s, {fresh.X, fresh.Y}), text);
}

TEST(LowerScan, InlinedStageOfAStep) {
  Recurrence r;
  r.s[r.part].compute_inline();
  EXPECT_THAT(body_of(r.s, {r.X, r.Y}), HasSubstr("Y[t + 2, j_1] = Y[t + 1, j_1]*2.0 - Y[t, j_1] + X[t + 2, j_1]"));
  r.expect_right();
}

TEST(LowerScan, WhatIsNoPartOfTheStepMayBeComputedInTheTimeLoop) {
  const Var m = var("m"), n = var("n");
  const Tensor X = placeholder({m, n}, kFloat32, "X"), S = placeholder({m, n}, kFloat32, "S");
  const Tensor scaled = compute({m, n}, [&](Expr t, Expr i) { return X(t, i) * 3.0; }, "scaled");
  const Tensor init = compute({1, n}, [&](Expr, Expr) { return Expr(1.0); }, "init");
  const Tensor update = compute({m, n}, [&](Expr t, Expr i) { return S(t - 1, i) + scaled(t, i); }, "update");
  const Tensor Y = scan(init, update, S, {X}, "Y");
  for (int where = 0; where < 3; ++where) {
    Schedule s = create_schedule(Y);
    if (where == 1) s[scaled].compute_at(s[Y], s[Y].axis(0));
    if (where == 2) {
      const auto [outer, inner] = s[Y].split(s[Y].axis(0), factor(4));
      s[scaled].compute_at(s[Y], outer);
      EXPECT_THAT(body_of(s, {X, Y}), HasSubstr("global scaled: float32[4, n]"));
    }
    const std::vector<float> y = run_program(lower(s, {X, Y}, Target(), "f"), 1, {6, 7})[0];
    for (std::size_t i = 0; i < 7; ++i) {
      float expected = 1;
      for (std::size_t t = 0; t < 6; ++t) {
        if (t > 0) expected += 3 * input_value(0, t * 7 + i);
        ASSERT_EQ(y[t * 7 + i], expected);
      }
    }
  }
}

TEST(LowerScan, StatesOfDifferentWidthThatReadEachOther) {
  const Var T = var("T"), n = var("n"), l = var("l");
  const Tensor X = placeholder({T, n}, kFloat32, "X");
  const Tensor A = placeholder({T, n}, kFloat32, "A"), B = placeholder({T, l}, kFloat32, "B");
  const Tensor a0 = compute({1, n}, [&](Expr, Expr i) { return X(0, i); }, "a0");
  const Tensor b0 = compute({1, l}, [&](Expr, Expr) { return Expr(0.0); }, "b0");
  const Tensor a1 = compute({T, n}, [&](Expr t, Expr i) { return A(t - 1, i) + X(t, i) - B(t - 1, 0); }, "a1");
  const Tensor b1 = compute({T, l}, [&](Expr t, Expr i) { return B(t - 1, i) + a1(t, 0) - A(t - 1, 0); }, "b1");
  const std::vector<Tensor> Y = scan(std::vector{a0, b0}, {a1, b1}, {A, B}, {X}, "Y");
  const Schedule s = create_schedule(Y);
  const ir::Program program = lower(s, {X, Y[0], Y[1]}, Target(), "f");
  EXPECT_THAT(ir::to_string(program), HasSubstr("Y.v1[t + 1, j_3] = Y.v1[t, j_3] + Y.v0[t + 1, 0] - Y.v0[t, 0]"));
  const std::size_t steps = 7, wide = 5, narrow = 3;
  const auto results = run_program(program, 1, {7, 5, 3});
  std::vector<float> a(wide), b(narrow, 0);
  for (std::size_t i = 0; i < wide; ++i) a[i] = input_value(0, i);
  for (std::size_t t = 1; t < steps; ++t) {
    const std::vector<float> before = a;
    for (std::size_t i = 0; i < wide; ++i) a[i] = before[i] + input_value(0, t * wide + i) - b[0];
    for (float& value : b) value += a[0] - before[0];
    for (std::size_t i = 0; i < wide; ++i) ASSERT_EQ(results[0][t * wide + i], a[i]) << t;
    for (std::size_t i = 0; i < narrow; ++i) ASSERT_EQ(results[1][t * narrow + i], b[i]) << t;
  }
}

TEST(LowerScan, RecurrentCellWithAProductInItsStep) {
  constexpr int kSteps = 5, kWidth = 6;
  const Tensor X = placeholder({kSteps, kWidth}, kFloat32, "X"), W = placeholder({kWidth, kWidth}, kFloat32, "W");
  const Tensor H = placeholder({kSteps, kWidth}, kFloat32, "H");
  const IterVar k = reduce_axis(kWidth, "k");
  const Tensor h0 = compute({1, kWidth}, [&](Expr, Expr) { return Expr(1.0); }, "h0");
  const Tensor product = compute({kSteps, kWidth}, [&](Expr t, Expr i) { return sum(H(t - 1, k) * W(i, k), k); }, "WH");
  const Tensor cell = compute(
      {kSteps, kWidth}, [&](Expr t, Expr i) { return max(product(t, i) + X(t, i), Expr(-9.0)) * 0.25; }, "cell");
  const Tensor Y = scan(h0, cell, H, {X, W}, "Y");
  const auto check = [&](const Schedule& s) {
    const ir::Program program = lower(s, {X, W, Y}, Target(), "f");
    EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
    const std::vector<float> y = run_program(program)[0];
    std::vector<float> h(kWidth, 1);
    for (std::size_t t = 1; t < kSteps; ++t) {
      std::vector<float> next(kWidth);
      for (std::size_t i = 0; i < kWidth; ++i) {
        for (std::size_t j = 0; j < kWidth; ++j) next[i] += h[j] * input_value(1, i * kWidth + j);
        next[i] = std::max(next[i] + input_value(0, t * kWidth + i), -9.0f) * 0.25f;
        ASSERT_EQ(y[t * kWidth + i], next[i]) << t << ", " << i;
      }
      h = next;
    }
  };
  check(create_schedule(Y));
  Schedule s = create_schedule(Y);
  const auto [outer, inner] = s[cell].split(s[cell].axis(1), factor(4));
  s[cell].parallel(outer);
  s[product].compute_at(s[cell], outer).set_scope(ir::Scope::kLocal);
  const auto [ko, ki] = s[product].split(k, factor(2));
  s[product].reorder({ko, s[product].axis(1), ki});
  check(s);
  Schedule blocked = create_schedule(Y);
  const auto [bo, bi] = blocked[product].split(k, factor(4));
  const Tensor tile = blocked.cache_write(product, ir::Scope::kLocal, bo);
  blocked[tile].compute_at(blocked[product], bo);
  check(blocked);
}

TEST(LowerScan, ResultOfOneScanIsReadByComputesAndByAnotherScan) {
  const Tensor X = placeholder({5, 4}, kFloat32, "X");
  const auto running_sum = [](const Tensor& of, const std::string& name) {
    const Tensor state = placeholder({5, 4}, kFloat32, name + ".state");
    return scan(
        compute(
            {1, 4}, [&](Expr, Expr i) { return of(0, i); }, name + ".init"),
        compute({5, 4}, [&](Expr t, Expr i) { return state(t - 1, i) + of(t, i); }, name + ".update"), state, {}, name);
  };
  const Tensor once = running_sum(X, "once");
  const Tensor negated = compute({5, 4}, [&](Expr t, Expr i) { return -once(t, i); }, "negated");
  const Tensor twice = running_sum(negated, "twice");
  const Tensor both = compute({5, 4}, [&](Expr t, Expr i) { return once(t, i) * 10.0 + twice(t, i); }, "both");
  Schedule s = create_schedule(both);
  s[negated].compute_inline();
  const auto [outer, inner] = s[both].split(s[both].axis(1), factor(2));
  s[both].reorder({outer, s[both].axis(0)});
  s.cache_read(once, ir::Scope::kGlobal, {both});
  const std::vector<float> result = run_program(lower(s, {X, both}, Target(), "f"))[0];
  for (std::size_t i = 0; i < 4; ++i) {
    float first = 0, second = 0;
    for (std::size_t t = 0; t < 5; ++t) {
      first += input_value(0, t * 4 + i);
      second -= first;
      ASSERT_EQ(result[t * 4 + i], 10 * first + second);
    }
  }
}

TEST(LowerScan, RefusesAStateAsAnArgument) {
  const Recurrence r;
  try {
    lower(r.s, {r.X, r.state, r.Y}, Target(), "f");
    FAIL() << "not refused";
  } catch (const LowerError& e) {
    EXPECT_STREQ(e.what(), "f: S is the state of a scan, which has its memory: leave it out of the arguments");
  }
}

}  // namespace
}  // namespace nestwright::testing
