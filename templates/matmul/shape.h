// The sizes, types, layouts and epilogue of a matmul workload.
// Thread rule: plain data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nestwright/type.h"
#include "nestwright/workload.h"
#include "templates/loops/divide.h"

namespace nestwright {

/// The types of a product, by the type that the workload names.
struct MatmulTypes {
  ir::Type a, b, c;
  ir::Type sum;  ///< of the products' sums, before they are rounded to C's
  /// Whether the types are equal and of 32 bits or more, so that nothing is widened or rounded.
  bool all_equal() const { return a == sum && b == sum && c == sum && sum.bits >= 32; }
};
MatmulTypes matmul_types(ir::Type dtype);

/// Whether a matmul of the type may have a batch, strides, factors and an epilogue.
bool has_matmul_forms(ir::Type dtype);

/// How the matrices of one operand lie, row-major: `rows` x `columns` as stored, rows `leading` elements apart, the
/// matrices of a batch `step` elements apart.
struct MatrixLayout {
  std::int64_t rows = 1, columns = 1, leading = 1, step = 1;
  bool is_compact() const { return leading == columns && step == rows * columns; }
  /// From the first element of a batch to the one past the last.
  std::int64_t elements(std::int64_t batch) const { return (batch - 1) * step + (rows - 1) * leading + columns; }
};

/// The operations on the sums before they are stored: activation(alpha sum + beta C_in + bias + residual).
struct Epilogue {
  double alpha = 1, beta = 0;
  bool bias = false, residual = false;
  enum class Activation : std::uint8_t { kNone, kRelu, kGelu } activation = Activation::kNone;
  bool is_none() const { return alpha == 1 && beta == 0 && !bias && !residual && activation == Activation::kNone; }
};

struct MatmulShape {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  bool ta = false, tb = false;
  ir::Type type;  ///< of the sums; converted A and B are no wider
  MatrixLayout a, b, c;
  Epilogue epilogue;
  bool in_tf32 = false;  ///< A and B are rounded to tf32 before they are multiplied
  /// The operand is constant across calls: B is packed once, before them, and A may be.
  bool prepares_a = false, prepares_b = false;
  /// Multiply-adds.
  double products() const {
    return static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// Elements in memory of one operand of all products of the batch.
inline std::size_t elements_of(const MatrixLayout& layout, const MatmulShape& shape) {
  return static_cast<std::size_t>(layout.elements(shape.batch));
}

/// Throws UsageError if written rows or matrices would overlap, for strides that are shorter than the rows or matrices
/// that they step over, and for parameters that the type does not support.
MatmulShape matmul_shape(const Workload& workload);

}  // namespace nestwright
