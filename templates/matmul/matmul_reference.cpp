#include <algorithm>
#include <cmath>
#include <limits>

#include "support/error.h"
#include "templates/matmul/matmul.h"
#include "templates/matmul/matmul_shape.h"

namespace nestwright {
namespace {

// A block of B of this size stays in the first-level cache while every row of A passes over it.
constexpr std::size_t kTerms = 32;  ///< summed plainly before they are added with compensation
constexpr std::size_t kColumns = 128;

/// `rows` x `columns` elements in row-major order, of a matrix that is stored transposed where `transposed` is set.
std::vector<double> row_major(const std::vector<double>& values, std::size_t rows, std::size_t columns,
                              bool transposed) {
  if (!transposed) return values;
  std::vector<double> result(values.size());
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) result[r * columns + c] = values[c * rows + r];
  }
  return result;
}

/// The last few terms of one row, over one strip of columns.
struct Terms {
  double sum[kColumns], sum_abs[kColumns];
};
/// All terms so far: the sum, and what rounding took from it.
struct Total {
  double sum[kColumns], lost[kColumns], sum_abs[kColumns];
};

/// Adds `count` terms to every sum, four at a time: the sums are loaded and stored once for the four.
void add_terms(Terms& t, const double* a, const double* b, std::size_t row_stride, std::size_t count,
               std::size_t width) {
  std::size_t r = 0;
  for (; r + 4 <= count; r += 4) {
    const double a0 = a[r], a1 = a[r + 1], a2 = a[r + 2], a3 = a[r + 3];
    const double m0 = std::abs(a0), m1 = std::abs(a1), m2 = std::abs(a2), m3 = std::abs(a3);
    const double* __restrict b0 = b + r * row_stride;
    const double* __restrict b1 = b0 + row_stride;
    const double* __restrict b2 = b1 + row_stride;
    const double* __restrict b3 = b2 + row_stride;
    for (std::size_t j = 0; j < width; ++j) {
      t.sum[j] += (a0 * b0[j] + a1 * b1[j]) + (a2 * b2[j] + a3 * b3[j]);
      t.sum_abs[j] += m0 * std::abs(b0[j]) + m1 * std::abs(b1[j]) + m2 * std::abs(b2[j]) + m3 * std::abs(b3[j]);
    }
  }
  for (; r < count; ++r) {
    const double* __restrict b0 = b + r * row_stride;
    for (std::size_t j = 0; j < width; ++j) {
      t.sum[j] += a[r] * b0[j];
      t.sum_abs[j] += std::abs(a[r]) * std::abs(b0[j]);
    }
  }
}

/// Knuth's TwoSum: sum + lost stays what was added, to twice the precision.
void fold_terms(Total& total, Terms& terms, std::size_t width) {
  for (std::size_t j = 0; j < width; ++j) {
    const double before = total.sum[j], term = terms.sum[j];
    const double after = before + term;
    const double of_term = after - before;
    total.lost[j] += (before - (after - of_term)) + (term - of_term);
    total.sum[j] = after;
    total.sum_abs[j] += terms.sum_abs[j];
    terms.sum[j] = terms.sum_abs[j] = 0;
  }
}

}  // namespace

Reference matmul_reference(const Workload& workload, const HostTensors& inputs) {
  const MatmulShape shape = matmul_shape(workload);
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n),
             k = static_cast<std::size_t>(shape.k);
  if (inputs.size() != 2 || inputs[0].size() != m * k || inputs[1].size() != k * n) {
    throw UsageError("the inputs of " + workload.str() + " do not have its sizes");
  }
  const std::vector<double> a = row_major(inputs[0], m, k, shape.ta);
  const std::vector<double> b = row_major(inputs[1], k, n, shape.tb);
  const double epsilon =
      shape.type == kFloat32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double factor = 8 * std::sqrt(static_cast<double>(k)) * epsilon;

  Reference reference{{std::vector<double>(m * n)}, {std::vector<double>(m * n)}};
  Terms terms{};
  std::vector<Total> totals(m);
  for (std::size_t j0 = 0; j0 < n; j0 += kColumns) {
    const std::size_t width = std::min(kColumns, n - j0);
    std::fill(totals.begin(), totals.end(), Total{});
    for (std::size_t r = 0; r < k; r += kTerms) {
      for (std::size_t i = 0; i < m; ++i) {
        add_terms(terms, &a[i * k + r], &b[r * n + j0], n, std::min(kTerms, k - r), width);
        fold_terms(totals[i], terms, width);
      }
    }
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        reference.expected[0][i * n + j0 + j] = totals[i].sum[j] + totals[i].lost[j];
        reference.bound[0][i * n + j0 + j] = factor * totals[i].sum_abs[j];
      }
    }
  }
  return reference;
}

}  // namespace nestwright
