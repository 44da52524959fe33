#include "onnx/operators/pointwise.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include "onnx/operators/indices.h"

namespace nestwright {

ValueId apply_pointwise(OperatorCall& call, std::string_view formula, const std::vector<ValueId>& operands) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const ValueId operand : operands) shapes.push_back(call.graph().type(operand).shape);
  const Indices indices(broadcast_shape(shapes));
  std::vector<std::string> names;
  std::vector<Operand> named;
  fmt::dynamic_format_arg_store<fmt::format_context> reads;
  for (std::size_t i = 0; i < operands.size(); ++i) names.push_back(fmt::format("X{}", i));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    reads.push_back(fmt::format("{}[{}]", names[i], broadcast_indices(shapes[i], indices)));
    named.push_back({names[i], operands[i]});
  }
  const std::string value = fmt::vformat(formula, reads);
  return call.apply(fmt::format("Y[{}]={}{}", indices.list(), value, indices.sizes()), named);
}

}  // namespace nestwright
