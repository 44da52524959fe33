// A matrix product step by step: what to compute, how to compute it, the resulting loop nest, and the machine code.
#include <cmath>
#include <cstdio>
#include <exception>

#include <nestwright/nestwright.h>

using namespace nestwright;

namespace {

constexpr int M = 96, N = 256, K = 128;

// The largest difference between any element and that of a plain loop in double.
double largest_error(std::span<const float> a, std::span<const float> b, std::span<const float> c) {
  double largest = 0;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      double expected = 0;
      for (int k = 0; k < K; ++k) expected += double{a[i * K + k]} * double{b[k * N + j]};
      largest = std::max(largest, std::fabs(c[i * N + j] - expected));
    }
  }
  return largest;
}

int run() {
  // What to compute.
  const Tensor A = placeholder({M, K}, kFloat32, "A");
  const Tensor B = placeholder({K, N}, kFloat32, "B");
  const IterVar k = reduce_axis(K, "k");
  const Tensor C = compute({M, N}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C");

  // How to compute it: a tile of 4 rows and two vectors, accumulated in registers; blocks of rows in parallel.
  const Target target = Target::host();
  const int lanes = target.lanes(kFloat32);
  Schedule s = create_schedule(C);
  const Tensor tile = s.cache_write(C, ir::Scope::kRegister);
  auto [rows, columns, i, j] = s[C].tile(s[C].axis(0), s[C].axis(1), 4, 2 * lanes);
  auto [block, row] = s[C].split(rows, factor(4));
  s[C].reorder({block, columns, row, i, j}).parallel(block).unroll(i);
  auto [j_vector, j_lane] = s[C].split(j, factor(lanes));
  s[C].unroll(j_vector).vectorize(j_lane);
  s[tile].compute_at(s[C], row);
  auto [t_vector, t_lane] = s[tile].split(s[tile].axis(1), factor(lanes));
  s[tile].reorder({s[tile].reduce_axis(0), s[tile].axis(0), t_vector, t_lane});
  s[tile].unroll(s[tile].axis(0)).unroll(t_vector).vectorize(t_lane);

  // A callable function, and the loop nest that it was compiled from.
  const Function matmul = build(s, {A, B, C}, target, "matmul");
  std::printf("%s\n", to_string(matmul.program()).c_str());

  Array a = Array::empty(kFloat32, {M, K}), b = Array::empty(kFloat32, {K, N}), c = Array::empty(kFloat32, {M, N});
  for (std::size_t e = 0; e < a.as<float>().size(); ++e) a.as<float>()[e] = static_cast<float>(std::sin(e));
  for (std::size_t e = 0; e < b.as<float>().size(); ++e) b.as<float>()[e] = static_cast<float>(std::cos(e));
  matmul(a, b, c);
  const double error = largest_error(a.as<float>(), b.as<float>(), c.as<float>());
  std::printf("largest error %.2g\n", error);
  return error < 1e-4 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
