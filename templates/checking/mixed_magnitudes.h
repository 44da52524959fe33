// Inputs of large and small magnitudes: numbers multiplied by powers of two that are spread over many binary orders. An
// error that does not shrink with the result (an absolute threshold, a flush of small values, an approximation that
// holds near 0 only, an intermediate result that overflows) is far below the bounds of inputs in [-1, 1] and far above
// those of the small results here. Scales belong to whole results (a row of A, a column of B, a filter), so that the
// terms of one sum have similar magnitudes and the bound of a small result is small.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "nestwright/template.h"
#include "nestwright/type.h"

namespace nestwright {

class MixedMagnitudes {
 public:
  /// Draws numbers of `type`, a floating-point type: the same ones in every run of the workload.
  MixedMagnitudes(ir::Type type, const Workload& workload);

  /// Scales of results lie in 2^-reach() .. 2^reach(): 24, or 6 for float16, whose normal numbers begin at 2^-14.
  int reach() const { return reach_; }

  /// 2^e, where the integer e is uniform in [low, high].
  double scale(int low, int high);
  /// `n` values of scale(-reach, reach).
  std::vector<double> scales(std::size_t n, int reach);
  /// `n` numbers: number i is uniform in [-1, 1], multiplied by scale_of(i) and rounded to the type. Several threads
  /// may call `scale_of` at once.
  InputSource draw_scaled(std::size_t n, std::function<double(std::size_t)> scale_of);
  /// A row-major matrix of `rows` x `columns` numbers; each row has its own scale(low, high).
  InputSource draw_rows(std::int64_t rows, std::size_t columns, int low, int high);
  /// `n` numbers of independent magnitudes, from 2^-(reach() + 1) to below 2^most.
  InputSource draw_each(std::size_t n, int most);
  InputSource draw_each(std::size_t n) { return draw_each(n, reach_); }

 private:
  ir::Type type_;
  int reach_;
  std::mt19937_64 random_;
};

/// Exponent ranges for the scales of A and B in a product A B: of the rows of A, of the columns of B, and of the terms,
/// whose scales multiply A and divide B.
struct ProductReach {
  int rows, columns, term;
};
/// The ranges for sums of `terms` products in `type`, so small that no partial sum overflows in float16. If the rows
/// must keep the scale 1 (`are_rows_fixed`), or a factor has only one scale, the other factor gets the whole range.
ProductReach product_reach(const MixedMagnitudes& magnitudes, ir::Type type, double terms, std::int64_t rows,
                           std::int64_t columns, bool are_rows_fixed);

}  // namespace nestwright
