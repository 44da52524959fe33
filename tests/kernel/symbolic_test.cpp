// Programs with only symbolic extents, at many sizes, compared with plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "nestwright/build.h"
#include "nestwright/error.h"
#include "nestwright/program.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;
const Sizes kSizes{{1, 1}, {1, 7}, {7, 1}, {2, 16}, {16, 2}, {13, 37}, {37, 13}, {64, 64}, {5, 131}, {131, 17}};

Array random_array(std::vector<std::int64_t> shape, unsigned seed) {
  Array array = Array::empty(kFloat32, std::move(shape));
  std::mt19937 random(seed);
  for (float& x : array.as<float>()) x = static_cast<float>(random() % 17) / 4.0F - 2.0F;
  return array;
}

Target two_threads() {
  Target target = Target::host();
  target.threads = 2;
  return target;
}

TEST(Symbolic, Elementwise) {
  const Expr m = var("m"), n = var("n");
  const Tensor A = placeholder({m, n}, kFloat32, "A"), B = placeholder({m, n}, kFloat32, "B");
  const Tensor C = compute({m, n}, [&](Expr i, Expr j) { return A(i, j) * B(i, j) + 1.0; }, "C");
  const std::vector<std::function<void(Schedule&)>> schedules{[](Schedule&) {},
                                                              [&](Schedule& s) {
                                                                auto [jo, ji] = s[C].split(s[C].axis(1), factor(16));
                                                                s[C].parallel(s[C].axis(0)).vectorize(ji);
                                                              },
                                                              [&](Schedule& s) {
                                                                auto [io, jo, ii, ji] =
                                                                    s[C].tile(s[C].axis(0), s[C].axis(1), 4, 8);
                                                                s[C].parallel(io).unroll(ii).vectorize(ji);
                                                              }};
  for (std::size_t v = 0; v < schedules.size(); ++v) {
    Schedule s = create_schedule(C);
    schedules[v](s);
    const Function f = build(s, {A, B, C}, two_threads(), "elementwise");
    for (const auto& [rows, columns] : kSizes) {
      const Array a = random_array({rows, columns}, 1), b = random_array({rows, columns}, 2);
      Array c = random_array({rows, columns}, 3);
      f(a, b, c);
      for (std::size_t e = 0; e < c.as<float>().size(); ++e) {
        ASSERT_EQ(c.as<float>()[e], a.as<float>()[e] * b.as<float>()[e] + 1.0F) << v << ": " << rows << "x" << columns;
      }
    }
  }
}

TEST(Symbolic, ReadsOfAnotherExtentAreCheckedAtTheCall) {
  const Var m = var("m"), n = var("n");
  const Tensor A = placeholder({m}, kFloat32, "A"), B = placeholder({n}, kFloat32, "B");
  const Tensor C = compute({n}, [&](Expr i) { return A(i) + B(i); }, "C");
  const Function f = build(create_schedule(C), {A, B, C}, Target::parse("cpu"), "add");
  EXPECT_NE(ir::to_string(f.program()).find("program add<m, n>"), std::string::npos) << ir::to_string(f.program());
  EXPECT_NE(ir::to_string(f.program()).find("\n  requires m - n >= 0\n"), std::string::npos);
  const auto call = [&](std::int64_t of_a, std::int64_t of_b) -> std::string {
    const Array a = random_array({of_a}, 1), b = random_array({of_b}, 2);
    Array c = random_array({of_b}, 3);
    try {
      f(a, b, c);
    } catch (const UsageError& e) {
      return e.what();
    }
    for (std::size_t e = 0; e < c.as<float>().size(); ++e) {
      if (c.as<float>()[e] != a.as<float>()[e] + b.as<float>()[e]) return "wrong";
    }
    return "right";
  };
  EXPECT_EQ(call(9, 9), "right");
  EXPECT_EQ(call(20, 9), "right");
  EXPECT_EQ(call(8, 9),
            "add: tensor 'C' reads 'A' out of bounds: index 0 is i, which runs over 0..n - 1, but dimension "
            "0 has extent m, with m = 8, n = 9");
}

TEST(Symbolic, ExtentsThatComeOutNegativeAreRefused) {
  const Var n = var("n");
  const Tensor A = placeholder({n, n}, kFloat32, "A");
  const Tensor C = compute({n - 5, n - 5}, [&](Expr i, Expr j) { return A(i, j); }, "C");
  const IterVar k = reduce_axis(n - 2, "k");
  const Tensor D = compute({}, [&] { return sum(A(0, k), k); }, "D");
  Schedule fused = create_schedule(C);
  fused[C].fuse(fused[C].axis(0), fused[C].axis(1));
  const auto refusal = [](const Function& f, std::int64_t extent, std::vector<std::int64_t> result) -> std::string {
    return message<UsageError>([&] {
      const Array a = random_array({extent, extent}, 1);
      Array c = random_array(std::move(result), 2);
      f(a, c);
    });
  };
  const Function f = build(fused, {A, C}, Target::parse("cpu"), "corner");
  EXPECT_EQ(refusal(f, 7, {2, 2}), "accepted");
  EXPECT_EQ(refusal(f, 1, {4, 4}), "corner: argument C, dimension 0: expected -4 (n - 5), got 4");
  const Function g = build(create_schedule(D), {A, D}, Target::parse("cpu"), "total");
  EXPECT_EQ(refusal(g, 3, {}), "accepted");
  EXPECT_EQ(refusal(g, 2, {}), "total: the extent of axis 'k', n - 2, is below 1, with n = 2");
  const Tensor P = compute({n - 5}, [&](Expr i) { return A(i, i); }, "P");
  const Tensor Q = compute({n}, [&](Expr i) { return select(i < n - 5, P(i), Expr(0.0)); }, "Q");
  const Function h = build(create_schedule(Q), {A, Q}, Target::parse("cpu"), "shifted");
  EXPECT_EQ(refusal(h, 6, {6}), "accepted");
  EXPECT_EQ(refusal(h, 4, {4}), "shifted: the extent of axis 'i', n - 5, is below 0, with n = 4");
}

TEST(Symbolic, RowSumsAndTheirMean) {
  const Expr m = var("m"), n = var("n");
  const Tensor A = placeholder({m, n}, kFloat32, "A");
  const IterVar k = reduce_axis(n, "k"), r = reduce_axis(m, "r");
  const Tensor S = compute({m}, [&](Expr i) { return sum(A(i, k), k); }, "S");
  const Tensor T = compute({}, [&] { return sum(S(r), r); }, "T");
  for (const bool scheduled : {false, true}) {
    Schedule s = create_schedule(T);
    if (scheduled) {
      auto [io, ii] = s[S].split(s[S].axis(0), factor(8));
      auto [ko, ki] = s[S].split(s[S].reduce_axis(0), factor(4));
      s[S].reorder({io, ko, ki, ii}).parallel(io).vectorize(ii);
    }
    const Function f = build(s, {A, T}, two_threads(), "total");
    for (const auto& [rows, columns] : kSizes) {
      const Array a = random_array({rows, columns}, 4);
      Array t = Array::empty(kFloat32, {});
      f(a, t);
      double expected = 0;
      for (const float x : a.as<float>()) expected += x;
      ASSERT_EQ(t.as<float>()[0], expected) << rows << "x" << columns;  // multiples of a quarter: exact in any order
    }
  }
}

struct Softmax {
  Expr m = var("m"), n = var("n");
  Tensor X = placeholder({m, n}, kFloat32, "X");
  IterVar k = reduce_axis(n, "k"), r = reduce_axis(n, "r");
  Tensor Most = compute({m}, [this](Expr i) { return reduce(ir::ReducerKind::kMax, X(i, k), {k}); }, "Most");
  Tensor E = compute(
      {m, n}, [this](Expr i, Expr j) { return ir::make_call(ir::Intrinsic::kExp, {X(i, j) - Most(i)}, kFloat32); },
      "E");
  Tensor S = compute({m}, [this](Expr i) { return sum(E(i, r), r); }, "S");
  Tensor Y = compute({m, n}, [this](Expr i, Expr j) { return E(i, j) / S(i); }, "Y");
};

void expect_softmax(const Function& softmax, std::int64_t rows, std::int64_t columns) {
  const Array x = random_array({rows, columns}, 5);
  Array y = Array::empty(kFloat32, {rows, columns});
  softmax(x, y);
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto row = x.as<float>().subspan(static_cast<std::size_t>(i * columns), static_cast<std::size_t>(columns));
    double total = 0;
    for (const float value : row) total += std::exp(double{value});
    for (std::int64_t j = 0; j < columns; ++j) {
      const double expected = std::exp(double{row[static_cast<std::size_t>(j)]}) / total;
      ASSERT_NEAR(y.as<float>()[static_cast<std::size_t>(i * columns + j)], expected, 1e-6 * expected + 1e-7)
          << i << ", " << j << " of " << rows << "x" << columns;
    }
  }
}

TEST(Symbolic, SoftmaxInFourStagesAtRoot) {
  const Softmax op;
  for (const bool scheduled : {false, true}) {
    Schedule s = create_schedule(op.Y);
    if (scheduled) {
      for (const Tensor& wide : {op.E, op.Y}) {
        auto [jo, ji] = s[wide].split(s[wide].axis(1), factor(16));
        s[wide].parallel(s[wide].axis(0)).vectorize(ji);
      }
      for (const Tensor& rows : {op.Most, op.S}) s[rows].parallel(s[rows].axis(0));
    }
    const Function softmax = build(s, {op.X, op.Y}, two_threads(), "softmax");
    for (const auto& [rows, columns] : kSizes) expect_softmax(softmax, rows, columns);
    // The workspace has grown and keeps its size.
    expect_softmax(softmax, 3, 5);
  }
}

TEST(Symbolic, SoftmaxInsideTheLoopOfRows) {
  // Intermediates of one row, of symbolic length, in each thread's own part of the workspace.
  const Softmax op;
  Schedule s = create_schedule(op.Y);
  const IterVar i = s[op.Y].axis(0);
  for (const Tensor& stage : {op.Most, op.E, op.S}) s[stage].compute_at(s[op.Y], i);
  s[op.Y].parallel(i);
  auto [jo, ji] = s[op.Y].split(s[op.Y].axis(1), factor(16));
  s[op.Y].vectorize(ji);
  const Function softmax = build(s, {op.X, op.Y}, two_threads(), "softmax");
  for (const auto& [rows, columns] : kSizes) expect_softmax(softmax, rows, columns);
}

TEST(Symbolic, ProductInTilesAndPackedAtRoot) {
  const Expr m = var("m"), n = var("n"), k = var("k");
  const Tensor A = placeholder({m, k}, kFloat32, "A"), B = placeholder({k, n}, kFloat32, "B");
  const IterVar r = reduce_axis(k, "r");
  const Tensor C = compute({m, n}, [&](Expr i, Expr j) { return sum(A(i, r) * B(r, j), r); }, "C");
  for (const int variant : {0, 1, 2}) {
    Schedule s = create_schedule(C);
    if (variant > 0) {
      auto [io, jo, ii, ji] = s[C].tile(s[C].axis(0), s[C].axis(1), 4, 16);
      auto [ro, ri] = s[C].split(s[C].reduce_axis(0), factor(4));
      s[C].reorder({io, jo, ro, ri, ii, ji}).parallel(io).vectorize(ji);
    }
    if (variant == 2) {
      const Tensor copy = s.cache_read(B, ir::Scope::kGlobal, {C});
      s[copy].parallel(s[copy].axis(0));
    }
    const Function product = build(s, {A, B, C}, two_threads(), "product");
    for (const auto& [rows, columns] : kSizes) {
      for (const std::int64_t depth : {1, 11}) {
        const Array a = random_array({rows, depth}, 6), b = random_array({depth, columns}, 7);
        Array c = Array::empty(kFloat32, {rows, columns});
        product(a, b, c);
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j < columns; ++j) {
            double expected = 0;
            for (std::int64_t d = 0; d < depth; ++d) {
              expected += double{a.as<float>()[static_cast<std::size_t>(i * depth + d)]} *
                          double{b.as<float>()[static_cast<std::size_t>(d * columns + j)]};
            }
            ASSERT_EQ(c.as<float>()[static_cast<std::size_t>(i * columns + j)], expected)
                << variant << ": " << i << ", " << j << " of " << rows << "x" << columns << "x" << depth;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace nestwright
