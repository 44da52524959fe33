// Axes, and reductions over them. A reduction combines the values of a compute's body over its reduce axes, and must be
// the whole body.
//
//   IterVar k = reduce_axis(K, "k");
//   Tensor rows = compute({M}, [&](Expr i) { return sum(A(i, k), k); }, "rows");
//
// Thread rule: handles share immutable nodes; any thread may read them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nestwright/expr_nodes.h"

#pragma GCC visibility push(default)

namespace nestwright {

using ir::Expr;
using ir::Var;

using ir::max;
using ir::min;

// An axis by itself is an operand, as in k * 2.
using ir::operator+;
using ir::operator-;
using ir::operator*;
using ir::operator/;
using ir::operator%;
using ir::operator<;
using ir::operator<=;
using ir::operator>;
using ir::operator>=;
using ir::operator==;
using ir::operator!=;
using ir::operator&;
using ir::operator|;
using ir::operator^;
using ir::operator<<;
using ir::operator>>;

enum class AxisKind : std::uint8_t {
  kSpatial,
  kReduce,
  kTime,  ///< the leading axis of a scan: iterations run in order
};

/// Handle of an axis with the domain [min, min + extent). Identity is by variable, so that a loop axis and the axis of
/// a reduction over it are the same. In an expression, comparisons are those of the values: i < j, i == j.
class IterVar {
 public:
  IterVar() = default;
  IterVar(std::string name, Expr min, Expr extent, AxisKind kind);
  /// The axis of an existing variable.
  IterVar(Var var, Expr min, Expr extent, AxisKind kind, bool may_be_part = false);
  bool defined() const { return node_ != nullptr; }
  // The functions below throw UsageError for an undefined axis.
  const Var& var() const { return node().var; }
  const std::string& name() const { return node().var.name(); }
  const Expr& min() const { return node().min; }
  const Expr& extent() const { return node().extent; }
  AxisKind kind() const { return node().kind; }
  bool is_reduce() const { return node().kind == AxisKind::kReduce; }
  bool is_time() const { return node().kind == AxisKind::kTime; }
  /// Whether a reduction may run over a part of a dimension along it, because its start was given.
  bool may_be_part() const { return node().may_be_part; }
  operator Expr() const { return node().var; }  // NOLINT(google-explicit-constructor): an axis is an expression
  /// The identity of the axis; nullptr for an undefined one.
  const void* id() const { return node_ ? node_->var.id() : nullptr; }
  /// As a bool: whether both are the same axis. As an Expr: whether their values are equal.
  friend ir::HandleEquality<IterVar> operator==(const IterVar& a, const IterVar& b) { return {a, b, true}; }
  friend ir::HandleEquality<IterVar> operator!=(const IterVar& a, const IterVar& b) { return {a, b, false}; }

 private:
  struct Node {
    Var var;
    Expr min, extent;
    AxisKind kind;
    bool may_be_part;
  };
  const Node& node() const {
    if (node_ == nullptr) refuse_undefined();
    return *node_;
  }
  [[noreturn]] static void refuse_undefined();

  std::shared_ptr<const Node> node_;
};

/// What a reduction may be given besides its value and axes, as in TVM:
///
///   sum(A(i, k), k, {.where = k <= i, .init = B(i)})
///
struct ReduceOptions {
  /// A bool. Where it does not hold, the identity is combined in place of the value, and nothing of the value is read.
  Expr where;
  /// What the values are combined with, in place of the identity. It may depend on the indices of the tensor, but not
  /// on the axes of the reduction. A literal takes the type of the value, as beside an operator.
  Expr init;
};

/// The reduction of `value` over `axes`. Throws UsageError for an axis that reduce_axis did not make or that is given
/// twice, for a value whose type does not fit (any and all take bool, the other reducers do not), for a `where` that is
/// not bool and for an `init` of another type, that is a literal which the type does not have, or that depends on an
/// axis of the reduction.
Expr reduce(ir::ReducerKind reducer, Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options = {});
Expr sum(Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options = {});
Expr prod(Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options = {});
Expr min(Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options = {});
Expr max(Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options = {});
Expr any(Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options = {});
Expr all(Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options = {});
inline Expr sum(Expr value, const IterVar& axis, const ReduceOptions& options = {}) {
  return sum(std::move(value), std::vector{axis}, options);
}
inline Expr prod(Expr value, const IterVar& axis, const ReduceOptions& options = {}) {
  return prod(std::move(value), std::vector{axis}, options);
}
inline Expr min(Expr value, const IterVar& axis, const ReduceOptions& options = {}) {
  return min(std::move(value), std::vector{axis}, options);
}
inline Expr max(Expr value, const IterVar& axis, const ReduceOptions& options = {}) {
  return max(std::move(value), std::vector{axis}, options);
}
inline Expr any(Expr value, const IterVar& axis, const ReduceOptions& options = {}) {
  return any(std::move(value), std::vector{axis}, options);
}
inline Expr all(Expr value, const IterVar& axis, const ReduceOptions& options = {}) {
  return all(std::move(value), std::vector{axis}, options);
}

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
  /// another number of values, other types or literals that the types do not have.
  Reducer(std::string name, std::vector<Expr> identity, const Combine& combine);
  /// The members of the reduction of `values` over `axes`: the bodies of one compute_tuple. Literals take the type of
  /// the member. `where` and `init`, a value for each member or none, are those of ReduceOptions. Throws UsageError
  /// where the number or the types of the values are not the reducer's, and otherwise where reduce() does.
  std::vector<Expr> operator()(std::vector<Expr> values, const std::vector<IterVar>& axes, const Expr& where = {},
                               std::vector<Expr> init = {}) const;

 private:
  std::shared_ptr<const ir::Combiner> combiner_;
};

/// The smallest and the largest value of a type (infinities for floating point): the identities of max and min.
Expr min_value(ir::Type type);
Expr max_value(ir::Type type);

}  // namespace nestwright

/// The order of axes in maps and sets, by address.
template <>
struct std::less<nestwright::IterVar> {
  bool operator()(const nestwright::IterVar& a, const nestwright::IterVar& b) const {
    return std::less<>()(a.id(), b.id());
  }
};

#pragma GCC visibility pop
