// Stages that depend on no state of a scan and are read by its steps only: they are computed for the rows that the
// steps read.
#include <gmock/gmock.h>

#include <cmath>

#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/tensor.h"
#include "run_program.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

/// Y[t] = Y[t-1] + q[t], where q[t] = 2*X[t-1] has no value at step 0.
struct Shifted {
  explicit Shifted(Expr steps) {
    X = placeholder({steps - 1, 3}, kFloat32, "X");
    S = placeholder({steps, 3}, kFloat32, "S");
    q = compute({steps, 3}, [&](Expr t, Expr i) { return X(t - 1, i) * 2.0; }, "q");
    init = compute({1, 3}, [&](Expr, Expr) { return Expr(0.0); }, "init");
    update = compute({steps, 3}, [&](Expr t, Expr i) { return S(t - 1, i) + q(t, i); }, "update");
    Y = scan(init, update, S, {X}, "Y");
  }
  void expect_right(const Schedule& s, std::size_t steps, const std::vector<std::int64_t>& symbols = {}) const {
    const ir::Program program = lower(s, {X, Y}, Target(), "f");
    EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty()) << ir::to_string(program);
    const std::vector<float> y = run_program(program, 1, symbols)[0];
    std::vector<float> sum(3, 0);
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t i = 0; i < 3; ++i) {
        if (t > 0) sum[i] += 2 * input_value(0, (t - 1) * 3 + i);
        ASSERT_EQ(y[t * 3 + i], sum[i]) << t << ", " << i;
      }
    }
  }
  Tensor X, S, q, init, update, Y;
};

TEST(ScanFeeders, TheRowsThatTheStepsReadAreComputedAtRoot) {
  const Shifted c(8);
  const Schedule s = create_schedule(c.Y);
  EXPECT_THAT(ir::to_string(lower(s, {c.X, c.Y}, Target(), "f").kernels[0].body),
              ::testing::StrEq("global q: float32[7, 3]\n"
                               "for j in 0..3:\n"
                               "  Y[0, j] = 0.0\n"
                               "for i in 0..7:\n"
                               "  for j_1 in 0..3:\n"
                               "    q[i, j_1] = X[i, j_1]*2.0\n"
                               "for t in 0..7:\n"
                               "  for j_2 in 0..3:\n"
                               "    Y[t + 1, j_2] = Y[t, j_2] + q[t, j_2]\n"));
  c.expect_right(s, 8);
}

TEST(ScanFeeders, ASymbolicNumberOfSteps) {
  const Var n = var("n");
  const Shifted c(n);
  const Schedule s = create_schedule(c.Y);
  for (const std::int64_t steps : {1, 2, 9}) c.expect_right(s, static_cast<std::size_t>(steps), {steps});
}

TEST(ScanFeeders, AnySchedule) {
  const Shifted c(9);
  Schedule at_time = create_schedule(c.Y);
  at_time[c.q].compute_at(at_time[c.Y], at_time[c.Y].axis(0));
  c.expect_right(at_time, 9);
  Schedule in_update = create_schedule(c.Y);
  in_update[c.q].compute_at(in_update[c.update], in_update[c.update].axis(1));
  c.expect_right(in_update, 9);
  Schedule inlined = create_schedule(c.Y);
  inlined[c.q].compute_inline();
  c.expect_right(inlined, 9);
  Schedule split = create_schedule(c.Y);
  split[c.q].split(split[c.q].axis(0), factor(3), Tail::partition());
  const auto [outer, inner] = split[c.Y].split(split[c.Y].axis(0), factor(3));
  c.expect_right(split, 9);
  Schedule cached = create_schedule(c.Y);
  const Tensor copy = cached.cache_read(c.q, ir::Scope::kGlobal, {c.update});
  const Tensor tile = cached.cache_write(c.q, ir::Scope::kGlobal);
  c.expect_right(cached, 9);
  cached[copy].compute_at(cached[c.Y], cached[c.Y].axis(0));
  cached[tile].compute_at(cached[c.q], cached[c.q].axis(0));
  c.expect_right(cached, 9);
}

TEST(ScanFeeders, FeedersOfFeeders) {
  const Tensor X = placeholder({6, 4}, kFloat32, "X"), S = placeholder({8, 4}, kFloat32, "S");
  const Tensor p = compute({8, 4}, [&](Expr t, Expr i) { return X(t - 1, i) + 1.0; }, "p");
  const Tensor q = compute({8, 4}, [&](Expr t, Expr i) { return p(t - 1, i) - p(t, i); }, "q");
  const Tensor init = compute({2, 4}, [&](Expr, Expr) { return Expr(0.0); }, "init");
  const Tensor update = compute({8, 4}, [&](Expr t, Expr i) { return S(t - 1, i) + q(t - 1, i); }, "u");
  const Tensor clipped = scan(init, update, S, {X}, "Y");  // u reads q[1..6], which reads p[0..6]
  EXPECT_EQ(message<UsageError>([&] { create_schedule(clipped); }),
            "tensor 'p' reads 'X' out of bounds: index 0 is i - 1, which runs over -1..5, but dimension 0 has extent "
            "6: correct the index, or select what lies inside");
}

// A copy with a layout takes whole tiles, which begin anywhere; it reads no further than the rows that are computed.
TEST(ScanFeeders, ACopyInWholeTilesReadsTheComputedRowsOnly) {
  const Tensor x = placeholder({18}, kFloat32, "X"), state = placeholder({4, 3, 7}, kFloat32, "S");
  const Tensor q = compute({18}, [&](Expr i) { return x(i) * 2.0; }, "q");
  const Tensor init = compute({1, 3, 7}, [&](Expr, Expr, Expr) { return Expr(0.0); }, "init");
  const Tensor update =
      compute({4, 3, 7}, [&](Expr t, Expr j, Expr k) { return state(t - 1, j, k) + q(k * 2 + j); }, "update");
  const Tensor y = scan(init, update, state, {x}, "Y");
  const std::vector<float> expected = run_program(lower(create_schedule(y), {x, y}, Target(), "f"))[0];
  for (const bool fuses : {false, true}) {
    Schedule s = create_schedule(y);
    const IterVar loop = fuses ? s[update].fuse(s[update].axis(1), s[update].axis(2)) : s[update].axis(2);
    const Tensor copy = s.cache_read(q, ir::Scope::kGlobal, {update});
    s.transform_layout(copy, [](auto at) { return std::vector<Expr>{at[0] / 4, at[0] % 4}; });
    s[copy].compute_at(s[update], loop);
    const ir::Program program = lower(s, {x, y}, Target(), "f");
    EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty()) << ir::to_string(program);
    EXPECT_EQ(run_program(program)[0], expected);
  }
}

// If no proof shows which rows the steps read, all rows of a feeder are computed, and all rows that those need.
TEST(ScanFeeders, WhatReadsAllRowsFindsAllRows) {
  const Var n = var("n");
  const Tensor x = placeholder({20}, kFloat32, "X"), state = placeholder({4, n}, kFloat32, "S");
  const Tensor far = compute({20}, [&](Expr i) { return x(i) * 2.0; }, "far");
  const Tensor near = compute({20}, [&](Expr i) { return far(min(i * 2, 14)) + 1.0; }, "near");
  const Tensor q = compute({20}, [&](Expr i) { return near(i) * 3.0; }, "q");
  const Tensor init = compute({1, n}, [&](Expr, Expr) { return Expr(0.0); }, "init");
  const Tensor update =
      compute({4, n}, [&](Expr t, Expr j) { return state(t - 1, j) + select(j < 20, q(j), 0.0); }, "update");
  const Tensor y = scan(init, update, state, {x}, "Y");
  Schedule s = create_schedule(y);
  s[near].compute_at(s[q], s[q].axis(0));
  const ir::Program plain = lower(create_schedule(y), {x, y}, Target(), "f"), made = lower(s, {x, y}, Target(), "f");
  for (const std::int64_t columns : {2, 30})
    EXPECT_EQ(run_program(made, 1, {columns}), run_program(plain, 1, {columns}));
}

TEST(ScanFeeders, AnOutputIsComputedAsAWhole) {
  const Shifted c(8);
  EXPECT_THAT(message<UsageError>([&] { create_schedule({c.Y, c.q}); }), HasSubstr("'q' reads 'X' out of bounds"));
  const Tensor other = compute({8, 3}, [&](Expr t, Expr i) { return c.q(t, i); }, "other");
  EXPECT_THAT(message<UsageError>([&] { create_schedule({c.Y, other}); }), HasSubstr("'q' reads 'X' out of bounds"));
}

/// TVM's test_lstm_cell_inline, with smaller extents.
struct Lstm {
  static constexpr std::size_t kSteps = 5, kInput = 3, kHidden = 4, kBatch = 2;
  static Expr of(std::size_t extent) { return static_cast<std::int64_t>(extent); }
  Lstm() {
    const std::vector<Expr> state_shape = {of(kSteps), of(kBatch), of(kHidden)};
    h = placeholder(state_shape, kFloat32, "h");
    c = placeholder(state_shape, kFloat32, "c");
    const auto zero = [](Expr, Expr, Expr) { return Expr(0.0); };
    const Tensor init_c = compute({1, of(kBatch), of(kHidden)}, zero, "init_c");
    const Tensor init_h = compute({1, of(kBatch), of(kHidden)}, zero, "init_h");
    const IterVar a = reduce_axis(of(kInput), "a"), b = reduce_axis(of(kHidden), "b");
    const std::vector<Expr> shape = {of(kSteps), Expr(4), of(kBatch), of(kHidden)};
    i2h = compute(shape, [&](Expr t, Expr x, Expr i, Expr j) { return sum(X(t - 1, i, a) * Wi2h(x, j, a), a); }, "i2h");
    h2h = compute(shape, [&](Expr t, Expr x, Expr i, Expr j) { return sum(h(t - 1, i, b) * Wh2h(x, j, b), b); }, "h2h");
    gates = compute(
        shape, [&](Expr t, Expr x, Expr i, Expr j) { return (i2h(t, x, i, j) + h2h(t, x, i, j)) * 0.01; }, "gates");
    const auto gate = [&](int x, const char* name) {
      return compute(
          state_shape,
          [&](Expr t, Expr i, Expr j) { return x == 1 ? tanh(gates(t, 1, i, j)) : sigmoid(gates(t, x, i, j)); }, name);
    };
    parts = {gate(0, "in_gate"), gate(1, "in_transform"), gate(2, "forget_gate"), gate(3, "out_gate")};
    next_c = compute(
        state_shape,
        [&](Expr t, Expr i, Expr j) {
          return parts[2](t, i, j) * c(t - 1, i, j) + parts[0](t, i, j) * parts[1](t, i, j);
        },
        "next_c");
    next_h = compute(
        state_shape, [&](Expr t, Expr i, Expr j) { return parts[3](t, i, j) * tanh(next_c(t, i, j)); }, "next_h");
    const Tensor update_c = compute(state_shape, [&](Expr t, Expr i, Expr j) { return next_c(t, i, j); }, "update_c");
    const Tensor update_h = compute(state_shape, [&](Expr t, Expr i, Expr j) { return next_h(t, i, j); }, "update_h");
    results = scan(std::vector{init_h, init_c}, {update_h, update_c}, {h, c}, {X}, "lstm");
  }

  /// The values of h at all steps.
  static std::vector<double> expected() {
    std::vector<double> all(kSteps * kBatch * kHidden, 0), cells(kBatch * kHidden, 0);
    const auto sigmoid_of = [](double x) { return 1 / (1 + std::exp(-x)); };
    for (std::size_t t = 1; t < kSteps; ++t) {
      for (std::size_t i = 0; i < kBatch; ++i) {
        for (std::size_t j = 0; j < kHidden; ++j) {
          double sums[4] = {};
          for (std::size_t x = 0; x < 4; ++x) {
            for (std::size_t k = 0; k < kInput; ++k) {
              sums[x] +=
                  input_value(0, ((t - 1) * kBatch + i) * kInput + k) * input_value(1, (x * kHidden + j) * kInput + k);
            }
            for (std::size_t k = 0; k < kHidden; ++k) {
              sums[x] += all[((t - 1) * kBatch + i) * kHidden + k] * input_value(2, (x * kHidden + j) * kHidden + k);
            }
            sums[x] *= 0.01;
          }
          double& cell = cells[i * kHidden + j];
          cell = sigmoid_of(sums[2]) * cell + sigmoid_of(sums[0]) * std::tanh(sums[1]);
          all[(t * kBatch + i) * kHidden + j] = sigmoid_of(sums[3]) * std::tanh(cell);
        }
      }
    }
    return all;
  }

  void expect_right(const Schedule& s) const {
    const ir::Program program = lower(s, {X, Wi2h, Wh2h, results[0], results[1]}, Target(), "f");
    EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
    const std::vector<float> hidden = run_program(program)[0];
    const std::vector<double> wanted = expected();
    for (std::size_t n = 0; n < wanted.size(); ++n) ASSERT_NEAR(hidden[n], wanted[n], 1e-5) << n;
  }

  Tensor X = placeholder({of(kSteps - 1), of(kBatch), of(kInput)}, kFloat32, "X");
  Tensor Wi2h = placeholder({4, of(kHidden), of(kInput)}, kFloat32, "Wi2h");
  Tensor Wh2h = placeholder({4, of(kHidden), of(kHidden)}, kFloat32, "Wh2h");
  Tensor h, c, i2h, h2h, gates, next_c, next_h;
  std::vector<Tensor> parts, results;
};

TEST(ScanFeeders, LstmCell) {
  const Lstm lstm;
  Schedule s = create_schedule(lstm.results);
  EXPECT_THAT(ir::to_string(lower(s, {lstm.X, lstm.Wi2h, lstm.Wh2h, lstm.results[0], lstm.results[1]}, Target(), "f")),
              HasSubstr("global i2h: float32[4, 4, 2, 4]\n"));
  lstm.expect_right(s);
  s[lstm.gates].compute_inline();
  for (const Tensor& part : lstm.parts) s[part].compute_inline();
  lstm.expect_right(s);
}

}  // namespace
}  // namespace nestwright::testing
