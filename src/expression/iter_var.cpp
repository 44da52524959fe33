#include "expression/iter_var.h"

#include <utility>

namespace nestwright {

IterVar::IterVar(std::string name, Expr min, Expr extent, AxisKind kind)
    : IterVar(Var(std::move(name)), std::move(min), std::move(extent), kind) {}

IterVar::IterVar(Var var, Expr min, Expr extent, AxisKind kind)
    : node_(std::make_shared<const Node>(Node{std::move(var), std::move(min), std::move(extent), kind})) {}

}  // namespace nestwright
