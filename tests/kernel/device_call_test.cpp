// Schedules bound to blocks and threads, built for OpenCL and called like any other function; PoCL runs them on
// machines without a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "nestwright/build.h"
#include "nestwright/error.h"
#include "nestwright/expr.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "tests/kernel/matrix.h"
#include "tests/lower/cumulative_sum.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

/// Integers, so that results are exact in every order of summation.
float whole(std::size_t i) { return static_cast<float>((i * 7 + i / 5) % 11) - 5; }

Array numbers(std::vector<std::int64_t> shape, std::size_t first = 0) {
  Array array = Array::empty(kFloat32, std::move(shape));
  const std::span<float> elements = array.as<float>();
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = whole(i + first);
  return array;
}

TEST(DeviceFunction, TheBoundCumulativeSumOfAnySize) {
  const auto [X, Y, s] = testing::bound_cumulative_sum();
  const Function cumulative_sum = build(s, {X, Y}, Target::parse("opencl"), "cumulative_sum");
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{10, 1024}, {3, 300}, {1, 1}, {12, 1025}}) {
    const Array x = numbers({rows, columns});
    Array y = Array::empty(kFloat32, {rows, columns});
    y.fill_bytes(0xff);
    cumulative_sum(x, y);
    for (std::int64_t j = 0; j < columns; ++j) {
      float sum = 0;
      for (std::int64_t t = 0; t < rows; ++t) {
        const auto at = static_cast<std::size_t>(t * columns + j);
        sum += x.as<float>()[at];
        ASSERT_EQ(y.as<float>()[at], sum) << t << ", " << j << " of " << rows << " x " << columns;
      }
    }
  }
}

TEST(DeviceFunction, AProductThroughSharedMemoryIsTheInterpreters) {
  constexpr std::int64_t kM = 16, kN = 24, kK = 20;
  const Tensor A = placeholder({kM, kK}, kFloat32, "A"), B = placeholder({kK, kN}, kFloat32, "B");
  const IterVar k = reduce_axis(kK, "k");
  const Tensor C = compute({kM, kN}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C");
  Schedule s = create_schedule(C);
  const Tensor tile = s.cache_write(C, ir::Scope::kLocal);
  const Tensor a = s.cache_read(A, ir::Scope::kShared, {tile}), b = s.cache_read(B, ir::Scope::kShared, {tile});
  const auto [by, bx, yi, xi] = s[C].tile(s[C].axis(0), s[C].axis(1), 8, 8);
  const auto [ty, i] = s[C].split(yi, nparts(4));
  const auto [tx, j] = s[C].split(xi, nparts(2));
  s[C].reorder({by, bx, ty, tx, i, j});
  s[C].bind(by, kBlockIdxY).bind(bx, kBlockIdxX).bind(ty, kThreadIdxY).bind(tx, kThreadIdxX);
  s[tile].compute_at(s[C], tx);
  const auto [ko, ki] = s[tile].split(s[tile].reduce_axis(0), factor(5));
  s[tile].reorder({ko, ki, s[tile].axis(0), s[tile].axis(1)});
  for (const Tensor& cache : {a, b}) {
    s[cache].compute_at(s[tile], ko);
    const auto [yo, yt] = s[cache].split(s[cache].axis(0), factor(4));
    const auto [xo, xt] = s[cache].split(s[cache].axis(1), factor(2));
    s[cache].reorder({yo, xo, yt, xt}).bind(yt, kThreadIdxY).bind(xt, kThreadIdxX);
  }
  const Target target = Target::parse("opencl");
  const ir::Program loops = lower(s, {A, B, C}, target, "product");
  Array left = numbers({kM, kK}), right = numbers({kK, kN}, 3), expected = Array::empty(kFloat32, {kM, kN}),
        result = Array::empty(kFloat32, {kM, kN});
  const std::vector<ir::Memory> memory{std::as_writable_bytes(left.as<float>()),
                                       std::as_writable_bytes(right.as<float>()),
                                       std::as_writable_bytes(expected.as<float>())};
  ir::interpret(loops, memory, {}, {.seed = 7});
  result.fill_bytes(0xff);
  build(loops, target)(left, right, result);
  EXPECT_EQ(std::memcmp(result.data(), expected.data(), result.size_bytes()), 0);
}

TEST(DeviceFunction, StepsThatHandOnThroughMemoryOfTheDevice) {
  const Var n = var("n");
  const Tensor A = placeholder({n}, kFloat32, "A");
  const Tensor B = compute({n}, [&](Expr i) { return A(i) + 1.0; }, "B");
  const Tensor C = compute({n}, [&](Expr i) { return B(i) * B(n - 1 - i); }, "C");
  Schedule s = create_schedule(C);
  for (const Tensor& t : {B, C}) {
    const auto [bx, tx] = s[t].split(s[t].axis(0), factor(32));
    s[t].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
  }
  const Function f = build(s, {A, C}, Target::parse("opencl"), "f");
  for (const std::int64_t size : {5, 100, 33}) {
    const Array a = numbers({size});
    Array c = Array::empty(kFloat32, {size});
    f(a, c);
    for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
      const std::size_t other = static_cast<std::size_t>(size) - 1 - i;
      EXPECT_EQ(c.as<float>()[i], (whole(i) + 1) * (whole(other) + 1)) << i << " of " << size;
    }
  }
}

TEST(DeviceFunction, RowsOfAResultMayLieApart) {
  const Var m = var("m"), n = var("n"), lda = var("lda"), ldb = var("ldb");
  const Tensor A = placeholder({m, n}, kFloat32, "A", {lda, 1});
  const Tensor B = compute({m, n}, [&](Expr i, Expr j) { return A(i, j) * 2.0; }, "B");
  Schedule s = create_schedule(B);
  const auto [jo, ji] = s[B].split(s[B].axis(1), factor(16));
  s[B].bind(s[B].axis(0), kBlockIdxY).bind(jo, kBlockIdxX).bind(ji, kThreadIdxX);
  const Function twice = build(s, {A, strided(B, {ldb, 1})}, Target::parse("opencl"), "twice");
  Matrix a(5, 20, 23), b(5, 20, 31);
  a.fill([](std::int64_t i, std::int64_t j) { return static_cast<float>(10 * i + j); });
  twice(a.view(), b.view());
  EXPECT_TRUE(b.gaps_intact());
  EXPECT_TRUE(a.gaps_intact());
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 20; ++j) EXPECT_EQ(b.at(i, j), static_cast<float>(2 * (10 * i + j)));
  }
}

TEST(DeviceFunction, FunctionsMayShareADevice) {
  const Tensor A = placeholder({100}, kFloat32, "A");
  const std::shared_ptr<Device> device = make_device(DeviceKind::kOpenCl);
  BuildOptions options;
  options.device = device;
  const auto built = [&](const Tensor& result, const char* name) {
    Schedule s = create_schedule(result);
    s[result].bind(s[result].axis(0), kBlockIdxX);
    return build(s, {A, result}, device->info().target, name, options);
  };
  const Function twice = built(compute(
                                   {100}, [&](Expr i) { return A(i) * 2.0; }, "B"),
                               "twice"),
                 root = built(compute({100}, [&](Expr i) { return ir::sqrt(A(i) + 5.0); }, "B"), "root");
  const Array a = numbers({100});
  Array b = Array::empty(kFloat32, {100}), c = Array::empty(kFloat32, {100});
  twice(a, b);
  root(a, c);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(b.as<float>()[i], 2 * whole(i));
    EXPECT_FLOAT_EQ(c.as<float>()[i], std::sqrt(whole(i) + 5));
  }
}

TEST(DeviceFunction, ArgumentsAreCheckedBeforeAnythingIsCopied) {
  const Var n = var("n");
  const Tensor A = placeholder({n}, kFloat32, "A");
  const Tensor B = compute({n}, [&](Expr i) { return A(i) + 1.0; }, "B");
  Schedule s = create_schedule(B);
  s[B].bind(s[B].axis(0), kBlockIdxX);
  const Function f = build(s, {A, B}, Target::parse("opencl"), "f");
  Array a = numbers({4}), b = Array::empty(kFloat32, {5});
  EXPECT_EQ(message<UsageError>([&] { f(a, b); }), "f: argument B, dimension 0: expected 4, got 5");
}

}  // namespace
}  // namespace nestwright
