#include "templates/reduce/shape.h"

#include <algorithm>

#include "nestwright/error.h"

namespace nestwright {

std::vector<ReduceGroup> reduce_groups(const Workload& workload) {
  const std::vector<std::int64_t> shape = workload.shape("shape");
  const std::vector<std::size_t> axes = workload.axes("axes");
  if (axes.back() >= shape.size()) {
    throw UsageError("axis " + std::to_string(axes.back()) + " of reduce is illegal: the shape has " +
                     std::to_string(shape.size()) + " dimensions, numbered from 0");
  }
  std::vector<ReduceGroup> groups;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (shape[d] == 1) continue;
    if (!groups.empty() && groups.back().reduced == reduced) {
      groups.back().extent *= shape[d];
    } else {
      groups.push_back({shape[d], reduced});
    }
  }
  const bool reduces = std::any_of(groups.begin(), groups.end(), [](const ReduceGroup& g) { return g.reduced; });
  if (!reduces) groups.insert(groups.begin(), {1, true});
  return groups;
}

std::int64_t kept_elements(const std::vector<ReduceGroup>& groups) {
  std::int64_t elements = 1;
  for (const ReduceGroup& group : groups) elements *= group.reduced ? 1 : group.extent;
  return elements;
}

ir::Expr weighted(const Workload& workload, const ir::Expr& x) {
  if (workload.choice("function") != "mean") return x;
  double elements = 1;  // that the mean is taken over
  for (const ReduceGroup& group : reduce_groups(workload))
    elements *= group.reduced ? static_cast<double>(group.extent) : 1;
  return x * ir::make_float(1 / elements, x.type());
}

ir::Expr reduction(const Workload& workload, const ir::Expr& x, const std::vector<IterVar>& axes) {
  const std::string& function = workload.choice("function");
  if (function == "max") return max(x, axes);
  if (function == "min") return min(x, axes);
  return sum(weighted(workload, x), axes);
}

}  // namespace nestwright
