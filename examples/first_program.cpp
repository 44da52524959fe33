// The first program of docs/language.md and docs/tutorial.md: a matrix product, its schedule, its loops and a call.
#include <cstdio>

#include <nestwright/nestwright.h>

using namespace nestwright;

int main() {
  constexpr int M = 500, N = 512, K = 300;
  Tensor A = placeholder({M, K}, kFloat32, "A");
  Tensor B = placeholder({K, N}, kFloat32, "B");
  IterVar k = reduce_axis(K, "k");
  Tensor C = compute({M, N}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C");

  Schedule s = create_schedule(C);
  auto [rows, row] = s[C].split(s[C].axis(0), factor(20));
  auto [columns, column] = s[C].split(s[C].axis(1), factor(16));
  s[C].reorder({rows, columns, row, k, column}).parallel(rows).vectorize(column);

  std::printf("%s\n", to_string(lower(s, {A, B, C}, Target::host(), "matrix_mul")).c_str());

  Function matrix_mul = build(s, {A, B, C}, Target::host(), "matrix_mul");
  std::vector<float> a(M * K, 1.0F), b(K * N, 2.0F), c(M * N);
  matrix_mul(ArrayView(a.data(), kFloat32, {M, K}), ArrayView(b.data(), kFloat32, {K, N}),
             ArrayView(c.data(), kFloat32, {M, N}));
  std::printf("C[0, 0] = %g\n", c[0]);

  try {
    matrix_mul(ArrayView(a.data(), kFloat32, {M, K}), ArrayView(b.data(), kFloat32, {N, K}),
               ArrayView(c.data(), kFloat32, {M, N}));
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
}
