// One axis of an operation or one loop of its schedule.
#pragma once

#include <memory>
#include <string>

#include "ir/expr.h"

namespace nestwright {

using ir::Expr;
using ir::Var;

enum class AxisKind : std::uint8_t { kSpatial, kReduce };

/// Handle; identity is by node. The domain is min .. min + extent - 1.
class IterVar {
 public:
  IterVar() = default;
  IterVar(std::string name, Expr min, Expr extent, AxisKind kind);
  bool defined() const { return node_ != nullptr; }
  const Var& var() const { return node_->var; }
  const std::string& name() const { return node_->var.name(); }
  const Expr& min() const { return node_->min; }
  const Expr& extent() const { return node_->extent; }
  AxisKind kind() const { return node_->kind; }
  bool is_reduce() const { return node_->kind == AxisKind::kReduce; }
  operator Expr() const { return node_->var; }  // NOLINT(google-explicit-constructor): an axis is an expression
  friend bool operator==(const IterVar& a, const IterVar& b) { return a.node_ == b.node_; }
  friend bool operator<(const IterVar& a, const IterVar& b) { return a.node_ < b.node_; }

 private:
  struct Node {
    Var var;
    Expr min, extent;
    AxisKind kind;
  };
  std::shared_ptr<const Node> node_;
};

}  // namespace nestwright
