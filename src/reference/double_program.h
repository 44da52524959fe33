// Rebuilds the operations of a definition in double precision, each with bounds of its rounding errors.
//
//   C[i, j] = sum(A[i, k]*B[k, j])   C.double = sum of the products in float64
//                                    C.bound  = sum of their errors + 8 eps sqrt(K) max(largest partial sum,
//                                               sqrt(sum of their squares))
//
// Sums: rounding errors are treated as independent, so they add up like a random walk; each is at most eps times the
// partial sum that is rounded (templates/checking/rounding.h). The largest partial sum in the order of the loops stands
// for those of other orders if terms do not have random signs. Products: the running bound of the product in order. min
// and max: the largest error. argmax: the largest distance to an index whose value may be the largest.
// Thread rule: one thread at a time for each object.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "nestwright/tensor.h"
#include "reference/error_bounded_expr.h"

namespace nestwright {

/// A tensor in double and the bounds of its errors; `bound` is undefined if it is exact.
struct ErrorBoundedTensor {
  Tensor value, bound;
  /// Of a min, max or argmax, whose result depends on the order where one of its terms is not a number: the number of
  /// such terms. Undefined for other operations and where there can be none.
  Tensor nan_count = {};
};

/// The part of an operation to compute.
struct ComputedRegion {
  std::vector<Expr> shape;
  /// Maps the indices of an element of `shape` to the values of the operation's axes.
  std::function<std::vector<Expr>(std::span<const Expr>)> axes;
};

class DoubleProgram {
 public:
  explicit DoubleProgram(Rounding rounding) : rounding_(rounding) {}

  /// Sets what replaces the tensor of this buffer when it is read.
  void set(const Buffer& buffer, ErrorBoundedTensor judged);
  /// Returns the results of a compute whose inputs are set. Throws UsageError for a scan, for a reduction with an
  /// initial value of its own, and for a user-made reduction of rounded values unless it is an argmax or argmin.
  std::vector<ErrorBoundedTensor> compute_region(const Operation& op, const ComputedRegion& region) const;
  /// The same without bounds.
  std::vector<Tensor> compute_values(const Operation& op, const ComputedRegion& region) const;

 private:
  Rounding rounding_;
  std::map<Buffer, ErrorBoundedTensor> tensors_;
};

/// Returns the computes of `outputs` and of everything that they read, in topological order: inputs first.
std::vector<Operation> computes_of(std::span<const Tensor> outputs);

}  // namespace nestwright
