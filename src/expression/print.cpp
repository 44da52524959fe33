#include <fmt/format.h>

#include "expression/tensor.h"
#include "ir/print.h"

namespace nestwright {

std::string to_string(const Tensor& t) {
  if (!t.defined()) return "undefined tensor";
  std::string shape;
  for (const Expr& extent : t.shape()) shape += (shape.empty() ? "" : ", ") + ir::to_string(extent);
  return fmt::format("{}: {}[{}]", t.name(), t.dtype().str(), shape);
}

std::string to_string(const Operation& op) {
  const std::string tensor = to_string(Tensor(op));
  if (!op.defined() || op.is_placeholder()) return tensor;
  std::string axes;
  for (const IterVar& axis : op.compute()->axes) axes += (axes.empty() ? "" : ", ") + axis.name();
  return fmt::format("{}, {}[{}] = {}", tensor, op->name, axes, ir::to_string(op.compute()->body));
}

}  // namespace nestwright
