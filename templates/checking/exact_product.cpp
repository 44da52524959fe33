#include "templates/checking/exact_product.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <span>

namespace nestwright {
namespace {

// A block of B of kTerms x kColumns stays in the first-level cache while kRows rows of A are multiplied with it; the
// sums of these rows stay in the second-level cache.
constexpr std::size_t kTerms = 32;  ///< summed plainly before they are added with compensation
constexpr std::size_t kColumns = 128;
constexpr std::size_t kRows = 64;

/// The last few terms of one row, over one strip of columns.
struct Terms {
  double sum[kColumns], sum_squares[kColumns];
};
/// All terms so far: their sum, and the rounding error that the sum lacks.
struct Total {
  double sum[kColumns], lost[kColumns], sum_squares[kColumns];
};

/// Adds `count` terms to every sum, four at a time: the sums are loaded and stored once for the four.
[[gnu::always_inline]] inline void add_terms(Terms& t, const double* a, const double* b, std::size_t row_stride,
                                             std::size_t count, std::size_t width) {
  std::size_t r = 0;
  for (; r + 4 <= count; r += 4) {
    const double a0 = a[r], a1 = a[r + 1], a2 = a[r + 2], a3 = a[r + 3];
    const double* __restrict b0 = b + r * row_stride;
    const double* __restrict b1 = b0 + row_stride;
    const double* __restrict b2 = b1 + row_stride;
    const double* __restrict b3 = b2 + row_stride;
    for (std::size_t j = 0; j < width; ++j) {
      const double t0 = a0 * b0[j], t1 = a1 * b1[j], t2 = a2 * b2[j], t3 = a3 * b3[j];
      t.sum[j] += (t0 + t1) + (t2 + t3);
      t.sum_squares[j] += (t0 * t0 + t1 * t1) + (t2 * t2 + t3 * t3);
    }
  }
  for (; r < count; ++r) {
    const double* __restrict b0 = b + r * row_stride;
    for (std::size_t j = 0; j < width; ++j) {
      const double term = a[r] * b0[j];
      t.sum[j] += term;
      t.sum_squares[j] += term * term;
    }
  }
}

/// Adds the terms to the total by Knuth's TwoSum: sum + lost equals what was added, to twice the precision.
[[gnu::always_inline]] inline void fold_terms(Total& total, Terms& terms, std::size_t width) {
  for (std::size_t j = 0; j < width; ++j) {
    const double before = total.sum[j], term = terms.sum[j];
    const double after = before + term;
    const double of_term = after - before;
    total.lost[j] += (before - (after - of_term)) + (term - of_term);
    total.sum[j] = after;
    total.sum_squares[j] += terms.sum_squares[j];
    terms.sum[j] = terms.sum_squares[j] = 0;
  }
}

/// Adds all `k` terms of some rows of the product, over one strip of columns.
[[gnu::always_inline]] inline void add_rows(std::span<Total> totals, const double* a, const double* b, std::size_t n,
                                            std::size_t k, std::size_t width) {
  Terms terms{};
  for (std::size_t r = 0; r < k; r += kTerms) {
    for (std::size_t i = 0; i < totals.size(); ++i) {
      add_terms(terms, &a[i * k + r], &b[r * n], n, std::min(kTerms, k - r), width);
      fold_terms(totals[i], terms, width);
    }
  }
}

using AddRows = void (*)(std::span<Total>, const double*, const double*, std::size_t, std::size_t, std::size_t);

void add_rows_anywhere(std::span<Total> totals, const double* a, const double* b, std::size_t n, std::size_t k,
                       std::size_t width) {
  add_rows(totals, a, b, n, k, width);
}

#if defined(__x86_64__)
// The same loops with wider vectors: the reference of a large product would otherwise take longer than everything else.
[[gnu::target("avx512f,prefer-vector-width=512")]] void add_rows_avx512(std::span<Total> totals, const double* a,
                                                                        const double* b, std::size_t n, std::size_t k,
                                                                        std::size_t width) {
  add_rows(totals, a, b, n, k, width);
}
[[gnu::target("avx2,fma")]] void add_rows_avx2(std::span<Total> totals, const double* a, const double* b, std::size_t n,
                                               std::size_t k, std::size_t width) {
  add_rows(totals, a, b, n, k, width);
}

AddRows fastest_add_rows() {
  if (__builtin_cpu_supports("avx512f")) return add_rows_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return add_rows_avx2;
  return add_rows_anywhere;
}
#else
AddRows fastest_add_rows() { return add_rows_anywhere; }
#endif

}  // namespace

ExactProduct exact_product(const std::vector<double>& a, const std::vector<double>& b, std::size_t m, std::size_t n,
                           std::size_t k) {
  ExactProduct sums{std::vector<double>(m * n), std::vector<double>(m * n)};
  const std::size_t strips = (n + kColumns - 1) / kColumns, blocks = (m + kRows - 1) / kRows;
  const AddRows add = fastest_add_rows();
  tbb::parallel_for(std::size_t{0}, strips * blocks, [&](std::size_t part) {
    const std::size_t j0 = part / blocks * kColumns, i0 = part % blocks * kRows;
    const std::size_t width = std::min(kColumns, n - j0);
    std::vector<Total> totals(std::min(kRows, m - i0), Total{});
    add(totals, &a[i0 * k], &b[j0], n, k, width);
    for (std::size_t i = 0; i < totals.size(); ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        const std::size_t at = (i0 + i) * n + j0 + j;
        sums.sum[at] = totals[i].sum[j] + totals[i].lost[j];
        sums.sum_squares[at] = totals[i].sum_squares[j];
      }
    }
  });
  return sums;
}

}  // namespace nestwright
