// An iteration variable: one axis of an operation, or one loop of its schedule.
// Thread rule: handles share immutable nodes; any thread may read them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ir/core/expr.h"

namespace nestwright {

using ir::Expr;
using ir::Var;

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

}  // namespace nestwright

/// The order of axes in maps and sets, by address.
template <>
struct std::less<nestwright::IterVar> {
  bool operator()(const nestwright::IterVar& a, const nestwright::IterVar& b) const {
    return std::less<>()(a.id(), b.id());
  }
};
