// Element-wise operators, and a sum over rows: the default schedule, and one with vectors and threads.
#include "example.h"

using namespace nestwright;
using namespace nestwright::examples;

namespace {

constexpr int kVector = 16;

/// Fuses all axes into one loop, vectorised, with whole chunks in parallel.
Schedule spread(const Tensor& result, int chunk) {
  Schedule s = create_schedule(result);
  IterVar all = s[result].axis(0);
  for (int d = 1; d < result.rank(); ++d) all = s[result].fuse(all, s[result].axis(d));
  const auto [part, inside] = s[result].split(all, factor(chunk));
  const auto [block, lane] = s[result].split(inside, factor(kVector));
  s[result].parallel(part).vectorize(lane);
  return s;
}

/// A binary or unary operator on two matrices of 1024 x 512.
void matrices(Example& example, const std::string& title, const std::function<Expr(const Expr&, const Expr&)>& body,
              const std::function<double(double, double)>& plain) {
  const Tensor A = placeholder({1024, 512}, kFloat32, "A"), B = placeholder({1024, 512}, kFloat32, "B");
  const Tensor C = compute({1024, 512}, [&](Expr i, Expr j) { return body(A(i, j), B(i, j)); }, "C");
  const Array a = numbers({1024, 512}), b = filled({1024, 512}, [](std::int64_t i) { return i % 7 - 3; });
  const auto x = a.as<const float>(), y = b.as<const float>();
  const Array expected = filled({1024, 512}, [&](std::int64_t i) {
    return plain(x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(i)]);
  });
  example.run(title, spread(C, 4096), {A, B, C}, {&a, &b}, expected);
}

void symbolic_product(Example& example) {
  const Var n = var("n");
  const Tensor A = placeholder({n}, kFloat32, "A"), B = placeholder({n}, kFloat32, "B");
  const Tensor C = compute({n}, [&](Expr i) { return A(i) * B(i); }, "C");
  for (const std::int64_t length : {1, 1000, 1000003}) {
    const Array a = numbers({length}), b = numbers({length});
    const auto x = a.as<const float>(), y = b.as<const float>();
    const Array expected = filled(
        {length}, [&](std::int64_t i) { return x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(i)]; });
    example.run("product of two vectors, n = " + std::to_string(length), create_schedule(C), {A, B, C}, {&a, &b},
                expected);
  }
}

void broadcast(Example& example) {
  const Tensor A = placeholder({512, 1024}, kFloat32, "A"), b = placeholder({1024}, kFloat32, "b");
  const Tensor C = compute({512, 1024}, [&](Expr i, Expr j) { return A(i, j) + b(j); }, "C");
  const Array a = numbers({512, 1024}), row = numbers({1024});
  const auto x = a.as<const float>(), y = row.as<const float>();
  const Array expected = filled({512, 1024}, [&](std::int64_t i) {
    return x[static_cast<std::size_t>(i)] + y[static_cast<std::size_t>(i % 1024)];
  });
  Schedule s = create_schedule(C);
  const auto [block, lane] = s[C].split(s[C].axis(1), factor(kVector));
  const auto [part, rows] = s[C].split(s[C].axis(0), factor(8));
  s[C].parallel(part).vectorize(lane);
  example.run("a row added to every row", s, {A, b, C}, {&a, &row}, expected);
}

void sum_of_rows(Example& example) {
  const Tensor A = placeholder({1024, 1000}, kFloat32, "A");
  const IterVar k = reduce_axis(1024, "k");
  const Tensor C = compute({1000}, [&](Expr j) { return sum(A(k, j), k); }, "C");
  const Array a = numbers({1024, 1000});
  const auto x = a.as<const float>();
  const Array expected = filled({1000}, [&](std::int64_t j) {
    double total = 0;
    for (std::int64_t i = 0; i < 1024; ++i) total += x[static_cast<std::size_t>(i * 1000 + j)];
    return total;
  });
  Schedule s = create_schedule(C);
  const auto [part, column] = s[C].split(s[C].axis(0), factor(64), Tail::partition());
  const auto [block, lane] = s[C].split(column, factor(kVector));
  s[C].reorder({part, k, block, lane}).parallel(part).unroll(block).vectorize(lane);
  example.run("sum over axis 0", s, {A, C}, {&a}, expected);
}

void show_all(Example& example) {
  symbolic_product(example);
  matrices(example, "add", [](Expr a, Expr b) { return a + b; }, [](double a, double b) { return a + b; });
  matrices(example, "multiply", [](Expr a, Expr b) { return a * b; }, [](double a, double b) { return a * b; });
  matrices(example, "add a constant", [](Expr a, Expr) { return a + 3.0; }, [](double a, double) { return a + 3; });
  matrices(
      example, "multiply by a constant", [](Expr a, Expr) { return a * 3.0; }, [](double a, double) { return a * 3; });
  matrices(
      example, "relu", [](Expr a, Expr) { return max(a, 0.0); }, [](double a, double) { return std::max(a, 0.0); });
  matrices(
      example, "gradient of relu", [](Expr a, Expr b) { return select(a > 0.0, b, 0.0); },
      [](double a, double b) { return a > 0 ? b : 0; });
  broadcast(example);
  sum_of_rows(example);
}

}  // namespace

int main(int argc, char** argv) { return main_of(argc, argv, show_all); }
