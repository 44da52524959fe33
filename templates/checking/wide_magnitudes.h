// Inputs of large and small magnitudes: numbers multiplied by powers of two that are spread over many binary orders. An
// error that does not shrink with the result (an absolute threshold, a flush of small values, an approximation that
// holds near 0 only, an intermediate result that overflows) is far below the bounds of inputs in [-1, 1] and far above
// those of the small results here. Scales belong to whole results (a row of A, a column of B, a filter), so that the
// terms of one sum are alike and the bound of a small result is small.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "ir/core/type.h"
#include "templates/framework/template.h"

namespace nestwright {

class WideMagnitudes {
 public:
  /// Numbers of `type`, a floating-point type, the same in every run of the workload.
  WideMagnitudes(ir::Type type, const Workload& workload);

  /// Scales of results lie in 2^-reach() .. 2^reach(): 24, or 6 for float16, whose normal numbers begin at 2^-14.
  int reach() const { return reach_; }

  /// 2^e, e a whole number uniform in [low, high].
  double scale(int low, int high);
  /// `n` of them in [-reach, reach].
  std::vector<double> scales(std::size_t n, int reach);
  /// `n` numbers, each uniform in [-1, 1] times scale_of(its place), rounded to the type. Several threads may call
  /// `scale_of` at once.
  std::vector<double> draw_scaled(std::size_t n, const std::function<double(std::size_t)>& scale_of);
  /// Rows of so many columns, each of a scale of its own, scale(low, high).
  std::vector<double> draw_rows(std::int64_t rows, std::size_t columns, int low, int high);
  /// `n` numbers, each of a magnitude of its own, below 2^most and above 2^-(reach() + 1).
  std::vector<double> draw_each(std::size_t n, int most);
  std::vector<double> draw_each(std::size_t n) { return draw_each(n, reach_); }

 private:
  ir::Type type_;
  int reach_;
  std::mt19937_64 random_;
};

/// Exponents of the scales of the two factors of sums of products, A B: rows of A, columns of B, and the terms, by
/// whose scales A is multiplied and B divided.
struct ProductReach {
  int rows, columns, term;
};
/// For sums of `terms` products in `type`: so small that no partial sum overflows in float16. Rows that are to have the
/// scale 1, and a factor that has one scale only, leave their part of the reach to the other factor.
ProductReach product_reach(const WideMagnitudes& magnitudes, ir::Type type, double terms, std::int64_t rows,
                           std::int64_t columns, bool are_rows_fixed);

/// The operator's inputs of large and small magnitudes with their reference; no tensors where it has none.
CheckedInputs make_wide_inputs(const Operator& op, const Workload& workload, const CheckedInputs& uniform);

}  // namespace nestwright
