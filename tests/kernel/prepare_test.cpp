// Functions that are called in two steps, of which the first is done once per set of constants.
#include <gtest/gtest.h>

#include <vector>

#include "nestwright/array.h"
#include "nestwright/build.h"
#include "nestwright/error.h"
#include "nestwright/schedule.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

constexpr std::int64_t kRows = 5, kColumns = 7, kSteps = 9;

struct Product {
  Var m{"m"};
  Tensor a = placeholder({m, kSteps}, kFloat32, "A");
  Tensor b = placeholder({kSteps, kColumns}, kFloat32, "B");
  IterVar k = reduce_axis(kSteps, "k");
  Tensor c = compute({m, kColumns}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");

  /// Any number of rows; weights packed in panels of four columns.
  Function build() {
    Schedule s = create_schedule(c);
    const Tensor packed = s.cache_read(b, ir::Scope::kGlobal, {c});
    s.transform_layout(packed, [](std::span<const Expr> axes) {
      return std::vector<Expr>{axes[1] / Expr(4), axes[0], axes[1] % Expr(4)};
    });
    s[packed].prepare();
    return nestwright::build(s, {a, b, c}, Target::host(), "product");
  }
};

Array filled(std::vector<std::int64_t> shape, float first) {
  Array array = Array::empty(kFloat32, std::move(shape));
  auto* values = static_cast<float*>(array.data());
  for (std::int64_t i = 0; i < array.elements(); ++i) values[i] = first + static_cast<float>(i % 5);
  return array;
}

void expect_product(const Array& a, const Array& b, const Array& c) {
  const auto *x = static_cast<const float*>(a.data()), *y = static_cast<const float*>(b.data()),
             *z = static_cast<const float*>(c.data());
  for (std::int64_t i = 0; i < a.shape()[0]; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < kSteps; ++k) sum += x[i * kSteps + k] * y[k * kColumns + j];
      EXPECT_EQ(z[i * kColumns + j], sum) << i << ", " << j;
    }
  }
}

TEST(Prepare, SetsOfConstantsServeAnyNumberOfCalls) {
  const Function product = Product().build();
  Array first = filled({kSteps, kColumns}, 1);
  const Array second = filled({kSteps, kColumns}, -2);
  const Function with_first = product.prepare(first), with_second = product.prepare(second);
  const Array copy = filled({kSteps, kColumns}, 1);
  for (std::int64_t i = 0; i < first.elements(); ++i) static_cast<float*>(first.data())[i] = -100;  // no longer read
  for (const std::int64_t rows : {kRows, std::int64_t{1}, std::int64_t{12}}) {
    const Array a = filled({rows, kSteps}, 3);
    Array c = filled({rows, kColumns}, 0);
    with_first(a, c);
    expect_product(a, copy, c);
    with_second(a, c);
    expect_product(a, second, c);
  }
}

TEST(Prepare, ACallBeforeItIsRefused) {
  const Function product = Product().build();
  const Array a = filled({kRows, kSteps}, 1), b = filled({kSteps, kColumns}, 1);
  Array c = filled({kRows, kColumns}, 0);
  EXPECT_EQ(message<UsageError>([&] { product(a, c); }),
            "product: it works on what is prepared: call prepare() once, and what that gives back");
  const Function ready = product.prepare(b);
  EXPECT_EQ(message<UsageError>([&] { ready(a, b, c); }), "product: expected 2 arguments (A, C), got 3");
}

TEST(Prepare, ItsArgumentsAreChecked) {
  const Function product = Product().build();
  const Array wrong = filled({kSteps, kColumns + 1}, 1), right = filled({kSteps, kColumns}, 1);
  EXPECT_EQ(message<UsageError>([&] { product.prepare(wrong); }),
            "product_prepare: argument B, dimension 1: expected 7, got 8");
  EXPECT_EQ(message<UsageError>([&] { product.prepare(right, right); }),
            "product_prepare: expected 1 arguments (B), got 2");
}

TEST(Prepare, AFunctionWithoutAPreparationRefusesIt) {
  Product p;
  const Function plain = build(create_schedule(p.c), {p.a, p.b, p.c}, Target::host(), "product");
  const Array b = filled({kSteps, kColumns}, 1);
  EXPECT_EQ(message<UsageError>([&] { plain.prepare(b); }),
            "product: there is nothing to prepare: call it with all of its arguments");
}

}  // namespace
}  // namespace nestwright
