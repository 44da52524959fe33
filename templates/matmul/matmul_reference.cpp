#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "support/error.h"
#include "templates/matmul/matmul.h"
#include "templates/matmul/matmul_shape.h"
#include "templates/rounding.h"

namespace nestwright {
namespace {

// A block of B of this size stays in the first-level cache while the rows of A pass over it, and the sums of so many
// rows in the second.
constexpr std::size_t kTerms = 32;  ///< summed plainly before they are added with compensation
constexpr std::size_t kColumns = 128;
constexpr std::size_t kRows = 64;

/// Of sums in a type: |error| <= relative * sum|a||b| + absolute.
struct Precision {
  double relative = 0, absolute = 0;
  bool wraps = false;  ///< exact, modulo 2^32
};

Precision precision_of(ir::Type type, double k) {
  if (type.is_int()) return {.wraps = true};
  if (type == kFloat32 || type == kFloat64) return {.relative = summation_error(k, type)};
  // float16, whose sums may be of its own precision; below its normal numbers it has a fixed one.
  return {.relative = 8 * std::sqrt(k) * std::ldexp(1.0, -10), .absolute = k * std::ldexp(1.0, -24)};
}

/// As an int32 that has wrapped around. Requires a whole number below 2^53.
double wrapped(double value) {
  return static_cast<double>(static_cast<std::int32_t>(static_cast<std::int64_t>(value)));
}

/// Matrix `number` of a batch, compact and row-major; transposed where `transposed` is set.
std::vector<double> read_matrix(const std::vector<double>& memory, const MatrixLayout& layout, std::int64_t number,
                                bool transposed) {
  const auto rows = static_cast<std::size_t>(layout.rows), columns = static_cast<std::size_t>(layout.columns);
  std::vector<double> result(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    const double* const row =
        &memory[static_cast<std::size_t>(number * layout.step) + r * static_cast<std::size_t>(layout.leading)];
    for (std::size_t c = 0; c < columns; ++c) result[transposed ? c * rows + r : r * columns + c] = row[c];
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
[[gnu::always_inline]] inline void add_terms(Terms& t, const double* a, const double* b, std::size_t row_stride,
                                             std::size_t count, std::size_t width) {
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
[[gnu::always_inline]] inline void fold_terms(Total& total, Terms& terms, std::size_t width) {
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

/// Some rows of the product, over one strip of columns: all of a's terms.
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
// The same loops in wider vectors: large products would wait for their reference longer than for everything else.
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

/// The sums of one product and of its terms' absolute values, [m, n] each.
struct Sums {
  std::vector<double> sum, sum_abs;
};

Sums multiply(const std::vector<double>& a, const std::vector<double>& b, std::size_t m, std::size_t n, std::size_t k) {
  Sums sums{std::vector<double>(m * n), std::vector<double>(m * n)};
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
        sums.sum_abs[at] = totals[i].sum_abs[j];
      }
    }
  });
  return sums;
}

struct ElementOfC {
  double value, bound;
};

/// What the epilogue makes of a sum; `before`, `bias` and `residual` are 0 where it has none.
class Finish {
 public:
  Finish(const Epilogue& epilogue, const Precision& precision, double epsilon)
      : epilogue_(epilogue), precision_(precision), epsilon_(epsilon) {}

  ElementOfC operator()(double sum, double sum_abs, double before, double bias, double residual) const {
    const long double product = static_cast<long double>(epilogue_.alpha) * sum;
    const long double x = product + static_cast<long double>(epilogue_.beta) * before + bias + residual;
    double bound = std::abs(epilogue_.alpha) * (precision_.relative * sum_abs + precision_.absolute);
    if (epilogue_.is_none()) return {precision_.wraps ? wrapped(sum) : sum, bound};
    // Each of at most five steps rounds a partial sum, which is no larger than the sum of the parts.
    bound +=
        kSteps * epsilon_ *
        (std::abs(epilogue_.alpha * sum) + std::abs(epilogue_.beta * before) + std::abs(bias) + std::abs(residual));
    switch (epilogue_.activation) {
      case Epilogue::Activation::kNone:
        return {static_cast<double>(x), bound};
      case Epilogue::Activation::kRelu:
        return {static_cast<double>(std::max(x, 0.0L)), bound};
      case Epilogue::Activation::kGelu: {
        // Nowhere steeper than 1.13; where it is near 0, x is still multiplied by an error of 1 + erf.
        const long double y = x / 2 * (1 + std::erf(x / std::numbers::sqrt2_v<long double>));
        return {static_cast<double>(y), 1.13 * bound + kSteps * epsilon_ * static_cast<double>(std::abs(x))};
      }
    }
    throw InternalError("unknown activation");
  }

 private:
  static constexpr double kSteps = 5;
  const Epilogue& epilogue_;
  Precision precision_;
  double epsilon_;
};

std::size_t size_of(const MatrixLayout& layout, const MatmulShape& shape) {
  return static_cast<std::size_t>(layout.elements(shape.batch));
}

/// The tensors of the inputs by what they are; nullptr for what there is not.
struct Inputs {
  const std::vector<double>*a = nullptr, *b = nullptr, *before = nullptr, *bias = nullptr, *residual = nullptr;
};

Inputs sort_inputs(const Workload& workload, const MatmulShape& shape, const HostTensors& tensors) {
  Inputs inputs;
  std::size_t next = 0;
  const auto take = [&](bool is_there, std::size_t size) -> const std::vector<double>* {
    if (!is_there) return nullptr;
    if (next >= tensors.size() || tensors[next].size() != size) {
      throw UsageError("the inputs of " + workload.str() + " do not have its sizes");
    }
    return &tensors[next++];
  };
  inputs.a = take(true, size_of(shape.a, shape));
  inputs.b = take(true, size_of(shape.b, shape));
  inputs.before = take(shape.epilogue.beta != 0, size_of(shape.c, shape));
  inputs.bias = take(shape.epilogue.bias, static_cast<std::size_t>(shape.n));
  inputs.residual = take(shape.epilogue.residual, size_of(shape.c, shape));
  take(next != tensors.size(), std::numeric_limits<std::size_t>::max());
  return inputs;
}

}  // namespace

Reference matmul_reference(const Workload& workload, const HostTensors& tensors) {
  const MatmulShape shape = matmul_shape(workload);
  const Inputs inputs = sort_inputs(workload, shape, tensors);
  const auto m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n),
             k = static_cast<std::size_t>(shape.k);
  const Precision precision = precision_of(matmul_types(workload.type("dtype")).c, static_cast<double>(k));
  // Whole numbers have no epilogue.
  const Finish finish(shape.epilogue, precision, shape.type.is_float() ? epsilon_of(shape.type) : 0);

  // What lies between the rows of C is nobody's.
  constexpr double kUntouched = std::numeric_limits<double>::quiet_NaN();
  const std::size_t elements = size_of(shape.c, shape);
  Reference reference{{std::vector<double>(elements, kUntouched)}, {std::vector<double>(elements, 0)}};
  for (std::int64_t number = 0; number < shape.batch; ++number) {
    const Sums sums = multiply(read_matrix(*inputs.a, shape.a, number, shape.ta),
                               read_matrix(*inputs.b, shape.b, number, shape.tb), m, n, k);
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t row =
          static_cast<std::size_t>(number * shape.c.step) + i * static_cast<std::size_t>(shape.c.leading);
      for (std::size_t j = 0; j < n; ++j) {
        const auto at = [&](const std::vector<double>* tensor, std::size_t index) {
          return tensor ? (*tensor)[index] : 0;
        };
        const ElementOfC c = finish(sums.sum[i * n + j], sums.sum_abs[i * n + j], at(inputs.before, row + j),
                                    at(inputs.bias, j), at(inputs.residual, row + j));
        reference.expected[0][row + j] = c.value;
        reference.bound[0][row + j] = c.bound;
      }
    }
  }
  return reference;
}

}  // namespace nestwright
