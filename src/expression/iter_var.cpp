#include "nestwright/reduction.h"

#include <utility>

#include "nestwright/error.h"

namespace nestwright {

IterVar::IterVar(std::string name, Expr min, Expr extent, AxisKind kind)
    : IterVar(Var(std::move(name)), std::move(min), std::move(extent), kind) {}

IterVar::IterVar(Var var, Expr min, Expr extent, AxisKind kind, bool may_be_part)
    : node_(std::make_shared<const Node>(Node{std::move(var), std::move(min), std::move(extent), kind, may_be_part})) {}

void IterVar::refuse_undefined() {
  throw UsageError("an undefined axis is used: make it by reduce_axis, or take it from a stage");
}

}  // namespace nestwright
