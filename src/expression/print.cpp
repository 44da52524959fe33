#include <fmt/format.h>

#include "nestwright/program.h"
#include "nestwright/tensor.h"

namespace nestwright {

std::string to_string(const Tensor& t) {
  if (!t.defined()) return "undefined tensor";
  std::string shape;
  for (const Expr& extent : t.shape()) shape += (shape.empty() ? "" : ", ") + ir::to_string(extent);
  return fmt::format("{}: {}[{}]", t.name(), t.dtype().str(), shape);
}

std::string to_string(const Operation& op) {
  if (!op.defined() || op.is_placeholder()) return to_string(Tensor(op));
  std::string axes, text;
  if (const ScanOp* scan = op.scan()) {
    for (std::size_t r = 0; r < op->results.size(); ++r) {
      text += fmt::format("{}{} = scan of {}: {} for {} steps, then {}", r == 0 ? "" : "\n",
                          to_string(Tensor(op, static_cast<int>(r))), scan->states[r]->name, scan->init[r]->name,
                          scan->first_steps(), scan->update[r]->name);
    }
    return text;
  }
  for (const IterVar& axis : op.compute()->axes) axes += (axes.empty() ? "" : ", ") + axis.name();
  for (std::size_t r = 0; r < op->results.size(); ++r) {
    const Tensor tensor(op, static_cast<int>(r));
    text += fmt::format("{}{}, {}[{}] = {}", r == 0 ? "" : "\n", to_string(tensor), tensor.name(), axes,
                        ir::to_string(op.compute()->bodies[r]));
  }
  return text;
}

}  // namespace nestwright
