#include "onnx/operators/concatenation.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "onnx/operators/indices.h"

namespace nestwright {

ValueId concatenation(OperatorCall& call, const std::vector<ValueId>& parts, std::size_t axis) {
  if (parts.size() == 1) return parts.front();
  std::vector<std::int64_t> result = call.graph().type(parts.front()).shape;
  result[axis] = 0;
  for (const ValueId part : parts) result[axis] += call.graph().type(part).shape[axis];
  const Indices indices(result);
  std::vector<std::string> names;
  for (std::size_t n = 0; n < parts.size(); ++n) names.push_back(fmt::format("X{}", n));
  std::vector<GraphOperand> operands;
  std::string value;
  std::int64_t first = 0;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    std::vector<std::string> read = indices.names();
    const std::int64_t extent = call.graph().type(parts[n]).shape[axis];
    const std::string index = indices.name(axis);
    read[axis] = extent == 1 ? "0" : first == 0 ? index : fmt::format("{}-{}", index, first);
    const std::string element = fmt::format("{}[{}]", names[n], joined(read));
    first += extent;
    const bool is_last = n + 1 == parts.size();
    value += is_last ? element : fmt::format("select({}<{},{},", indices.name(axis), first, element);
    operands.push_back({names[n], parts[n]});
  }
  value += std::string(parts.size() - 1, ')');
  return call.apply(fmt::format("Y[{}]={}{}", indices.list(), value, indices.sizes()), operands);
}

}  // namespace nestwright
