// Arguments with gaps between their rows: inputs by placeholder's strides, outputs by strided().
#include <gtest/gtest.h>

#include "nestwright/build.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/tensor.h"
#include "tests/kernel/matrix.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

/// Small integers.
void fill(Matrix& matrix, std::int64_t seed) {
  matrix.fill([&](std::int64_t i, std::int64_t j) { return static_cast<float>((i * 7 + j * 5 + seed) % 9 - 4); });
}

struct Product {
  Expr m, n, k;
  Tensor A, B, C;
  Schedule schedule;
  std::vector<Expr> c_strides;

  /// All extents and strides symbolic, or exactly 13x29x11 in rows of 16, 32 and 40.
  explicit Product(bool symbolic, bool tuned)
      : m(symbolic ? Expr(var("m")) : Expr(13)),
        n(symbolic ? Expr(var("n")) : Expr(29)),
        k(symbolic ? Expr(var("k")) : Expr(11)),
        A(placeholder({m, k}, kFloat32, "A", {symbolic ? Expr(var("lda")) : Expr(16), 1})),
        B(placeholder({k, n}, kFloat32, "B", {symbolic ? Expr(var("ldb")) : Expr(32), 1})),
        C(make(A, B, m, n, k)),
        schedule(create_schedule(C)),
        c_strides{symbolic ? Expr(var("ldc")) : Expr(40), 1} {
    if (!tuned) return;
    const Tensor tile = schedule.cache_write(C, ir::Scope::kRegister);
    auto [io, jo, ii, ji] = schedule[C].tile(schedule[C].axis(0), schedule[C].axis(1), 4, 16);
    schedule[C].parallel(io).unroll(ii).vectorize(ji);
    schedule[tile].compute_at(schedule[C], jo);
    auto [r] = std::tuple(schedule[tile].reduce_axis(0));
    schedule[tile].reorder({r, schedule[tile].axis(0), schedule[tile].axis(1)});
    schedule[tile].unroll(schedule[tile].axis(0)).vectorize(schedule[tile].axis(1));
  }

  static Tensor make(const Tensor& A, const Tensor& B, const Expr& m, const Expr& n, const Expr& k) {
    const IterVar r = reduce_axis(k, "r");
    return compute({m, n}, [&](Expr i, Expr j) { return sum(A(i, r) * B(r, j), r); }, "C");
  }
  Function function() const {
    return build(schedule, {A, B, strided(C, c_strides)}, Target::host(), "product", {.pool_kind = PoolKind::kSerial});
  }
};

void expect_product(const Function& product, Matrix a, Matrix b, Matrix c) {
  fill(a, 1);
  fill(b, 2);
  product(a.view(), b.view(), c.view());
  for (std::int64_t i = 0; i < c.rows; ++i) {
    for (std::int64_t j = 0; j < c.columns; ++j) {
      float expected = 0;
      for (std::int64_t k = 0; k < a.columns; ++k) expected += a.at(i, k) * b.at(k, j);
      ASSERT_EQ(c.at(i, j), expected) << i << ", " << j << " of " << c.rows << "x" << c.columns << "x" << a.columns;
    }
  }
  EXPECT_TRUE(c.gaps_intact());
}

TEST(Strided, ConstantStrides) {
  for (const bool tuned : {false, true}) {
    expect_product(Product(false, tuned).function(), Matrix(13, 11, 16), Matrix(11, 29, 32), Matrix(13, 29, 40));
  }
}

TEST(Strided, SymbolicExtentsAndStrides) {
  const Function product = Product(true, false).function();
  expect_product(product, Matrix(13, 11, 16), Matrix(11, 29, 32), Matrix(13, 29, 40));
  expect_product(product, Matrix(1, 1, 1), Matrix(1, 1, 5), Matrix(1, 1, 3));
  expect_product(product, Matrix(17, 31, 31), Matrix(31, 67, 71), Matrix(17, 67, 67));
}

TEST(Strided, AnOutputThatIsReadAgain) {
  // B is an output, an input of C, and has gaps between its rows.
  const Tensor A = placeholder({5, 6}, kFloat32, "A");
  const Tensor B = compute({5, 6}, [&](Expr i, Expr j) { return A(i, j) + 1.0; }, "B");
  const Tensor C = compute({5, 6}, [&](Expr i, Expr j) { return B(i, j) * 2.0; }, "C");
  const Function both =
      build(create_schedule(std::vector<Tensor>{B, C}), {A, strided(B, {9, 1}), C}, Target::parse("cpu"), "both");
  Matrix a(5, 6, 6), b(5, 6, 9), c(5, 6, 6);
  fill(a, 3);
  both(a.view(), b.view(), c.view());
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) {
      EXPECT_EQ(b.at(i, j), a.at(i, j) + 1);
      EXPECT_EQ(c.at(i, j), 2 * b.at(i, j));
    }
  }
  EXPECT_TRUE(b.gaps_intact());
}

TEST(Strided, ColumnsFirst) {
  const Tensor A = placeholder({6, 10}, kFloat32, "A");
  const Tensor B = compute({6, 10}, [&](Expr i, Expr j) { return A(i, j) + 1.0; }, "B");
  Schedule s = create_schedule(B);
  s[B].vectorize(s[B].axis(1));
  for (const bool symbolic : {false, true}) {
    const Expr ld = symbolic ? Expr(var("ld")) : Expr(6);
    const Function plus = build(s, {A, strided(B, {1, ld})}, Target::host(), "plus");
    std::vector<float> a(60), b(60);
    for (std::size_t e = 0; e < 60; ++e) a[e] = static_cast<float>(e);
    plus(ArrayView(a.data(), kFloat32, {6, 10}), ArrayView(b.data(), kFloat32, {6, 10}, {1, 6}));
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 10; ++j) ASSERT_EQ(b[j * 6 + i], a[i * 10 + j] + 1);
    }
  }
}

TEST(Strided, WrongStridesAreRefused) {
  const Function fixed = Product(false, false).function(), symbolic = Product(true, false).function();
  Matrix a(13, 11, 16), b(11, 29, 32), c(13, 29, 41);
  EXPECT_EQ(message<UsageError>([&] { fixed(a.view(), b.view(), c.view()); }),
            "product: argument C, stride of dimension 0: expected 40, got 41");
  // Rows of 29 numbers, 28 apart.
  const ArrayView folded(c.data.data(), kFloat32, {13, 29}, {28, 1});
  EXPECT_EQ(message<UsageError>([&] { symbolic(a.view(), b.view(), folded); }),
            "product: argument C: expected strides that keep its elements apart, got some that put two in one place");
}

TEST(Strided, SymbolicStridesAreAtLeastOne) {
  const Tensor A = placeholder({8}, kFloat32, "A", {var("step")});
  const Tensor B = compute({8}, [&](Expr i) { return A(i); }, "B");
  const Function gather = build(create_schedule(B), {A, B}, Target::parse("cpu"), "gather");
  std::vector<float> a{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, b(8);
  const auto call = [&](std::size_t from, std::int64_t step) {
    return message<UsageError>(
        [&] { gather(ArrayView(a.data() + from, kFloat32, {8}, {step}), ArrayView(b.data(), kFloat32, {8})); });
  };
  EXPECT_EQ(call(0, 2), "accepted");
  EXPECT_EQ(b, (std::vector<float>{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(call(0, 0), "gather: argument A, stride of dimension 0: expected 1 or more, got 0");
  EXPECT_EQ(call(14, -2), "gather: argument A, stride of dimension 0: expected 1 or more, got -2");
}

TEST(Strided, ExpressionsOfSymbolsAreChecked) {
  const Expr n = var("n");
  const Tensor A = placeholder({n}, kFloat32, "A"), B = placeholder({n * 2 + 1}, kFloat32, "B", {n});
  const Tensor C = compute({n}, [&](Expr i) { return A(i) + B(i * 2 + 1); }, "C");
  const Function f = build(create_schedule(C), {B, A, C}, Target::parse("cpu"), "f");
  std::vector<float> a{1, 2, 3}, b(30), c(3);
  for (std::size_t e = 0; e < 30; ++e) b[e] = static_cast<float>(e);
  const auto call = [&](std::int64_t extent, std::int64_t stride) {
    return message<UsageError>([&] {
      f(ArrayView(b.data(), kFloat32, {extent}, {stride}), ArrayView(a.data(), kFloat32, {3}),
        ArrayView(c.data(), kFloat32, {3}));
    });
  };
  EXPECT_EQ(call(7, 3), "accepted");
  EXPECT_EQ(c, (std::vector<float>{1 + 3, 2 + 9, 3 + 15}));
  EXPECT_EQ(call(8, 3), "f: argument B, dimension 0: expected 7 (n*2 + 1), got 8");
  EXPECT_EQ(call(7, 4), "f: argument B, stride of dimension 0: expected 3, got 4");
}

TEST(Strided, BadDeclarationsAreRefused) {
  const Product p(false, false);
  EXPECT_EQ(message<UsageError>([&] { strided(p.C, {40}); }),
            "tensor 'C' has 2 dimensions, but 1 strides: give one for each");
  EXPECT_EQ(message<UsageError>([&] { strided(p.C, {40, Expr(1.0)}); }), "a stride of tensor 'C' is not of type int64");
  EXPECT_EQ(message<UsageError>([&] { strided(Tensor(), {}); }),
            "a tensor that is undefined cannot be strided: make it by compute first");
  const Tensor x = placeholder({3, 4}, kFloat32, "X");
  const Tensor y = passed_as(compute({3, 4}, [&](Expr i, Expr j) { return x(i, j) * 2.0; }, "Y"), {3, 2, 2});
  EXPECT_EQ(message<UsageError>([&] { strided(y, {8, 1}); }),
            "tensor 'Y' is passed in another shape, so that it cannot be strided");
  EXPECT_EQ(message<LowerError>(
                [&] { lower(p.schedule, {strided(p.A, {20, 1}), p.B, p.C}, Target::parse("cpu"), "product"); }),
            "product: input A cannot be strided here: give its strides to placeholder");
}

}  // namespace
}  // namespace nestwright
