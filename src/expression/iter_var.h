// An iteration variable: one axis of an operation, or one loop of its schedule.
// Thread rule: handles share immutable nodes; any thread may read them.
#pragma once

#include <concepts>
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

class AxisEquality;

/// Handle of an axis with the domain [min, min + extent). Identity is by variable, so that a loop axis and the axis of
/// a reduction over it are the same. In an expression, comparisons are those of the values: i < j, i == j.
class IterVar {
 public:
  IterVar() = default;
  IterVar(std::string name, Expr min, Expr extent, AxisKind kind);
  /// The axis of an existing variable.
  IterVar(Var var, Expr min, Expr extent, AxisKind kind);
  bool defined() const { return node_ != nullptr; }
  // The functions below throw UsageError for an undefined axis.
  const Var& var() const { return node().var; }
  const std::string& name() const { return node().var.name(); }
  const Expr& min() const { return node().min; }
  const Expr& extent() const { return node().extent; }
  AxisKind kind() const { return node().kind; }
  bool is_reduce() const { return node().kind == AxisKind::kReduce; }
  bool is_time() const { return node().kind == AxisKind::kTime; }
  operator Expr() const { return node().var; }  // NOLINT(google-explicit-constructor): an axis is an expression
  /// The identity of the axis; nullptr for an undefined one.
  const void* id() const { return node_ ? node_->var.id() : nullptr; }
  friend AxisEquality operator==(const IterVar& a, const IterVar& b);
  friend AxisEquality operator!=(const IterVar& a, const IterVar& b);

 private:
  struct Node {
    Var var;
    Expr min, extent;
    AxisKind kind;
  };
  const Node& node() const {
    if (node_ == nullptr) refuse_undefined();
    return *node_;
  }
  [[noreturn]] static void refuse_undefined();

  std::shared_ptr<const Node> node_;
};

/// What == and != of two axes give. As a bool: whether they are the same axis. As an Expr: whether their values are
/// equal. It refers to both axes and is not to be kept.
class AxisEquality {
 public:
  AxisEquality(const IterVar& a, const IterVar& b, bool equal) : a_(a), b_(b), equal_(equal) {}
  /// Converts to bool alone: a conversion to an integer would make an Expr of that integer.
  template <std::same_as<bool> T>
  operator T() const {  // NOLINT(google-explicit-constructor): containers and algorithms compare axes
    return (a_.id() == b_.id()) == equal_;
  }
  operator Expr() const;  // NOLINT(google-explicit-constructor): a comparison is an expression
  AxisEquality operator!() const { return {a_, b_, !equal_}; }

 private:
  const IterVar &a_, &b_;
  bool equal_;
};
inline AxisEquality operator==(const IterVar& a, const IterVar& b) { return {a, b, true}; }
inline AxisEquality operator!=(const IterVar& a, const IterVar& b) { return {a, b, false}; }

}  // namespace nestwright

/// The order of axes in maps and sets, by address.
template <>
struct std::less<nestwright::IterVar> {
  bool operator()(const nestwright::IterVar& a, const nestwright::IterVar& b) const {
    return std::less<>()(a.id(), b.id());
  }
};
