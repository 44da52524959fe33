#include "onnx/operators/pointwise.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <cmath>

#include "onnx/operators/indices.h"

namespace nestwright {

ValueId apply_pointwise(OperatorCall& call, std::string_view formula, const std::vector<ValueId>& operands,
                        std::optional<ir::Type> empty_type) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const ValueId operand : operands) shapes.push_back(call.graph().type(operand).shape);
  const Indices indices(broadcast_shape(shapes));
  if (is_empty(indices.extents)) {
    return call.empty_constant(empty_type.value_or(call.graph().type(operands.back()).type), indices.extents);
  }
  std::vector<std::string> names;
  std::vector<GraphOperand> named;
  fmt::dynamic_format_arg_store<fmt::format_context> reads;
  for (std::size_t i = 0; i < operands.size(); ++i) names.push_back(fmt::format("X{}", i));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    reads.push_back(fmt::format("{}[{}]", names[i], broadcast_indices(shapes[i], indices)));
    named.push_back({names[i], operands[i]});
  }
  const std::string value = fmt::vformat(formula, reads);
  return call.apply(fmt::format("Y[{}]={}{}", indices.list(), value, indices.sizes()), named);
}

void set_pointwise(OperatorCall& call, std::string_view formula, std::size_t count,
                   std::optional<ir::Type> empty_type) {
  std::vector<ValueId> operands;
  for (std::size_t i = 0; i < count; ++i) operands.push_back(call.input(i));
  call.set_output(0, apply_pointwise(call, formula, operands, empty_type));
}

void set_pointwise_in_float32(OperatorCall& call, const std::string& formula) {
  const ir::Type type = call.type(0).type;
  if (!type.is_narrow_float()) return set_pointwise(call, formula);
  static constexpr std::string_view kRead = "{0}";
  std::string wide = formula;
  for (std::size_t at = wide.find(kRead); at != std::string::npos; at = wide.find(kRead, at)) {
    wide.replace(at, kRead.size(), "float32({0})");
    at += std::string_view("float32({0})").size();
  }
  set_pointwise(call, fmt::format("{}({})", type.str(), wide));
}

std::string literal_of(double number) {
  if (std::isnan(number)) throw UnsupportedNode("an attribute or bound is NaN");
  const double size = std::abs(number);
  const auto narrow = static_cast<float>(size);
  // Attributes are float32: 0.1, not 0.10000000149011612.
  std::string text = static_cast<double>(narrow) == size ? fmt::format("{}", narrow) : fmt::format("{}", size);
  if (size < 1e15 && size == std::floor(size)) text = fmt::format("{}", static_cast<std::int64_t>(size));
  return std::signbit(number) ? "(-" + text + ")" : text;
}

}  // namespace nestwright
