// Reductions combine the values of a compute's body over its reduce axes. A reduction must be the whole body.
//
//   Tensor rows = compute({M}, [&](Expr i) { return sum(A(i, k), k); }, "rows");
//
// Thread rule: values.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "expression/iter_var.h"
#include "ir/core/expr.h"

namespace nestwright {

using ir::max;
using ir::min;

/// The reduction of `value` over `axes`. Throws UsageError for an axis that reduce_axis did not make or that is given
/// twice, and for a value whose type does not fit: any and all take bool, the other reducers do not.
Expr reduce(ir::ReducerKind reducer, Expr value, const std::vector<IterVar>& axes);
Expr sum(Expr value, const std::vector<IterVar>& axes);
Expr prod(Expr value, const std::vector<IterVar>& axes);
Expr min(Expr value, const std::vector<IterVar>& axes);
Expr max(Expr value, const std::vector<IterVar>& axes);
Expr any(Expr value, const std::vector<IterVar>& axes);
Expr all(Expr value, const std::vector<IterVar>& axes);
inline Expr sum(Expr value, const IterVar& axis) { return sum(std::move(value), std::vector{axis}); }
inline Expr prod(Expr value, const IterVar& axis) { return prod(std::move(value), std::vector{axis}); }
inline Expr min(Expr value, const IterVar& axis) { return min(std::move(value), std::vector{axis}); }
inline Expr max(Expr value, const IterVar& axis) { return max(std::move(value), std::vector{axis}); }
inline Expr any(Expr value, const IterVar& axis) { return any(std::move(value), std::vector{axis}); }
inline Expr all(Expr value, const IterVar& axis) { return all(std::move(value), std::vector{axis}); }

/// A user-defined reducer, over single values or tuples:
///
///   const Reducer argmax("argmax", {Expr(-1), min_value(kFloat32)},
///                        [](std::span<const Expr> a, std::span<const Expr> b) {
///                          return std::vector<Expr>{select(a[1] >= b[1], a[0], b[0]), max(a[1], b[1])};
///                        });
///   std::vector<Tensor> best = compute_tuple(
///       {M}, [&](std::span<const Expr> i) { return argmax({k, A(i[0], k)}, {k}); }, "best");
///
/// `combine` must be associative and commutative, up to the rounding that the user accepts: schedules reorder it.
class Reducer {
 public:
  using Combine = std::function<std::vector<Expr>(std::span<const Expr> left, std::span<const Expr> right)>;
  /// `identity` holds the neutral values and gives the types of the tuple. Throws UsageError where `combine` returns
  /// another number of values or other types.
  Reducer(std::string name, std::vector<Expr> identity, const Combine& combine);
  /// The members of the reduction of `values` over `axes`: the bodies of one compute_tuple. Literals take the type of
  /// the member. Throws UsageError where the number or the types of the values are not the reducer's, and for axes as
  /// reduce() does.
  std::vector<Expr> operator()(std::vector<Expr> values, const std::vector<IterVar>& axes) const;

 private:
  std::shared_ptr<const ir::Combiner> combiner_;
};

/// The smallest and the largest value of a type (infinities for floating point): the identities of max and min.
Expr min_value(ir::Type type);
Expr max_value(ir::Type type);

}  // namespace nestwright
