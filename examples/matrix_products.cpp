// Matrix products of all transpositions, and of batches, by one schedule: tiles of 32 x 32, four steps of the
// reduction at a time, vectorised columns, parallel rows of tiles.
#include "example.h"

using namespace nestwright;
using namespace nestwright::examples;

namespace {

constexpr int M = 1000, K = 784, N = 256;

struct Product {
  bool transpose_a, transpose_b;
  std::vector<std::int64_t> shape_a() const {
    return transpose_a ? std::vector<std::int64_t>{K, M} : std::vector<std::int64_t>{M, K};
  }
  std::vector<std::int64_t> shape_b() const {
    return transpose_b ? std::vector<std::int64_t>{N, K} : std::vector<std::int64_t>{K, N};
  }
};

std::vector<Expr> extents(const std::vector<std::int64_t>& shape) { return {shape.begin(), shape.end()}; }

void tile(Schedule& s, const Tensor& C, const IterVar& i, const IterVar& j, const IterVar& k) {
  const auto [xo, xi] = s[C].split(i, factor(32));
  const auto [yo, yi] = s[C].split(j, factor(32));
  const auto [ko, ki] = s[C].split(k, factor(4));
  s[C].reorder({xo, yo, ko, xi, yi, ki}).vectorize(yi).parallel(xo);
}

void product(Example& example, const Product& p) {
  const Tensor A = placeholder(extents(p.shape_a()), kFloat32, "A"),
               B = placeholder(extents(p.shape_b()), kFloat32, "B");
  const IterVar k = reduce_axis(K, "k");
  const Tensor C = compute(
      {M, N},
      [&](Expr i, Expr j) { return sum((p.transpose_a ? A(k, i) : A(i, k)) * (p.transpose_b ? B(j, k) : B(k, j)), k); },
      "C");
  const Array a = numbers(p.shape_a()), b = numbers(p.shape_b());
  const auto x = a.as<const float>(), y = b.as<const float>();
  const Array expected = filled({M, N}, [&](std::int64_t at) {
    const std::int64_t i = at / N, j = at % N;
    double total = 0;
    for (std::int64_t r = 0; r < K; ++r) {
      const double left = x[static_cast<std::size_t>(p.transpose_a ? r * M + i : i * K + r)];
      total += left * y[static_cast<std::size_t>(p.transpose_b ? j * K + r : r * N + j)];
    }
    return total;
  });
  Schedule s = create_schedule(C);
  tile(s, C, s[C].axis(0), s[C].axis(1), k);
  const std::string title = std::string("A") + (p.transpose_a ? "'" : "") + " B" + (p.transpose_b ? "'" : "");
  const std::string workload = "matmul m=" + std::to_string(M) + " n=" + std::to_string(N) + " k=" + std::to_string(K) +
                               " ta=" + std::to_string(p.transpose_a) + " tb=" + std::to_string(p.transpose_b);
  example.run(title, s, {A, B, C}, {&a, &b}, expected, 1e-5, workload);
}

void batched(Example& example) {
  constexpr int kBatch = 4, kRows = 100, kColumns = 72, kSum = 50;
  const Tensor A = placeholder({kBatch, kRows, kSum}, kFloat32, "A"),
               B = placeholder({kBatch, kSum, kColumns}, kFloat32, "B");
  const IterVar k = reduce_axis(kSum, "k");
  const Tensor C =
      compute({kBatch, kRows, kColumns}, [&](Expr b, Expr i, Expr j) { return sum(A(b, i, k) * B(b, k, j), k); }, "C");
  const Array a = numbers({kBatch, kRows, kSum}), b = numbers({kBatch, kSum, kColumns});
  const auto x = a.as<const float>(), y = b.as<const float>();
  const Array expected = filled({kBatch, kRows, kColumns}, [&](std::int64_t at) {
    const std::int64_t batch = at / (kRows * kColumns), i = at / kColumns % kRows, j = at % kColumns;
    double total = 0;
    for (std::int64_t r = 0; r < kSum; ++r) {
      total += double{x[static_cast<std::size_t>((batch * kRows + i) * kSum + r)]} *
               y[static_cast<std::size_t>((batch * kSum + r) * kColumns + j)];
    }
    return total;
  });
  Schedule s = create_schedule(C);
  tile(s, C, s[C].axis(1), s[C].axis(2), k);
  example.run("A B for each of a batch", s, {A, B, C}, {&a, &b}, expected);
}

/// All loops split by 16, including the batch.
struct BatchedTiles {
  static constexpr int kBatch = 32, kRows = 128, kColumns = 64, kSum = 128;
  Tensor A = placeholder({kBatch, kRows, kSum}, kFloat32, "A");
  Tensor B = placeholder({kBatch, kSum, kColumns}, kFloat32, "B");
  IterVar k = reduce_axis(kSum, "k");
  Tensor C =
      compute({kBatch, kRows, kColumns}, [&](Expr b, Expr i, Expr j) { return sum(A(b, i, k) * B(b, k, j), k); }, "C");
  Schedule s = create_schedule(C);
  IterVar ji, ki;

  BatchedTiles() {
    IterVar bo, bi, io, ii, jo, ko;
    std::tie(bo, bi) = s[C].split(s[C].axis(0), factor(16));
    std::tie(io, ii) = s[C].split(s[C].axis(1), factor(16));
    std::tie(jo, ji) = s[C].split(s[C].axis(2), factor(16));
    std::tie(ko, ki) = s[C].split(k, factor(16));
    s[C].reorder({bo, io, jo, ko, bi, ii, ji, ki});
  }
};

void batched_tiles(Example& example) {
  BatchedTiles refused;
  example.refused("a batch in tiles of 16, ki vectorised", [&] { refused.s[refused.C].vectorize(refused.ki); });

  BatchedTiles t;
  t.s[t.C].vectorize(t.ji);
  const Array a = numbers({t.kBatch, t.kRows, t.kSum}), b = numbers({t.kBatch, t.kSum, t.kColumns});
  const auto x = a.as<const float>(), y = b.as<const float>();
  const Array expected = filled({t.kBatch, t.kRows, t.kColumns}, [&](std::int64_t at) {
    const std::int64_t row = at / t.kColumns, batch = row / t.kRows, j = at % t.kColumns;
    double total = 0;
    for (std::int64_t r = 0; r < t.kSum; ++r) {
      total += double{x[static_cast<std::size_t>(row * t.kSum + r)]} *
               y[static_cast<std::size_t>((batch * t.kSum + r) * t.kColumns + j)];
    }
    return total;
  });
  example.run("a batch in tiles of 16, ji vectorised", t.s, {t.A, t.B, t.C}, {&a, &b}, expected);
}

void show_all(Example& example) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) product(example, {transpose_a, transpose_b});
  }
  batched(example);
  batched_tiles(example);
}

}  // namespace

int main(int argc, char** argv) { return main_of(argc, argv, show_all); }
