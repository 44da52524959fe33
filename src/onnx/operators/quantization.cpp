// Numbers that are stored in fewer bits, with scales and zero points.
#include <fmt/format.h>

#include <algorithm>

#include "onnx/operators/indices.h"
#include "onnx/operators/numbers.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

/// The index by which an operand that is the scale or the zero point is read: none of one for the whole tensor, one of
/// an axis, or all of blocks.
std::string scale_index(const OperatorCall& call, std::size_t operand, const Indices& indices) {
  const std::vector<std::int64_t>&x = call.shape(0), &scale = call.shape(operand);
  if (product_of(scale) == 1 && scale.size() <= 1) return scale.empty() ? "" : "0";
  const auto axis = static_cast<std::size_t>(call.axis("axis", 1, call.rank(0)));
  if (scale.size() == 1) {
    call.require_valid(scale[0] == x[axis], "there is not a scale for each index of the axis");
    return indices.name(axis);
  }
  const std::int64_t block = call.integer("block_size", 0);
  call.require_valid(scale.size() == x.size() && block >= 1, "there are scales of blocks, but no block_size");
  std::vector<std::string> read = indices.names();
  for (std::size_t d = 0; d < x.size(); ++d) {
    const bool fits = d == axis ? scale[d] == (x[d] - 1) / block + 1 : scale[d] == x[d];
    call.require_valid(fits, "there is not a scale for each block");
  }
  read[axis] = block == 1 ? read[axis] : fmt::format("{}/{}", read[axis], block);
  return joined(read);
}

void require_operands(const OperatorCall& call) {
  require_floats(call, 1);
  for (std::size_t input = 0; input < std::min<std::size_t>(call.input_count(), 3); ++input) {
    if (call.has_input(input)) require_elements(call, input);
  }
}

/// The type that output_dtype says, a number of TensorProto::DataType.
ir::Type output_type(const OperatorCall& call, ir::Type otherwise) {
  const std::int64_t type = call.integer("output_dtype", 0);
  return type == 0 ? otherwise : element_type(static_cast<int>(type), "output_dtype");
}

/// (x - zero point) * scale, in the type of the result or float32.
void dequantize_linear(OperatorCall& call) {
  require_operands(call);
  const Indices indices(call.shape(0));
  call.require(indices.rank() <= 8, "it has more than 8 dimensions");
  const ir::Type result = output_type(call, call.type(1).type), wide = wide_type(result);
  std::string value = converted_read(call, 0, fmt::format("X[{}]", indices.list()), wide);
  std::vector<GraphOperand> operands{{"X", call.input(0)}, {"S", call.input(1)}};
  if (call.has_input(2)) {
    value = fmt::format("({}-{})", value,
                        converted_read(call, 2, fmt::format("Z[{}]", scale_index(call, 2, indices)), wide));
    operands.push_back({"Z", call.input(2)});
  }
  value += "*" + converted_read(call, 1, fmt::format("S[{}]", scale_index(call, 1, indices)), wide);
  call.set_output(
      0, call.apply(fmt::format("Y[{}]={}{}", indices.list(), conversion(value, wide, result), indices.sizes()),
                    operands));
}

/// round(x / scale) + zero point, within the range of its type.
void quantize_linear(OperatorCall& call) {
  require_operands(call);
  const Indices indices(call.shape(0));
  call.require(indices.rank() <= 8, "it has more than 8 dimensions");
  const ir::Type result = call.has_input(2) ? call.type(2).type : output_type(call, kUInt8);
  call.require(result.is_int() && result.bits <= 16, fmt::format("its result is of the type {}", result.str()));
  const ir::Type given = call.type(0).type, wide = given == kFloat64 ? kFloat64 : kFloat32;
  std::string value = fmt::format("round({}/{})", converted_read(call, 0, fmt::format("X[{}]", indices.list()), wide),
                                  converted_read(call, 1, fmt::format("S[{}]", scale_index(call, 1, indices)), wide));
  std::vector<GraphOperand> operands{{"X", call.input(0)}, {"S", call.input(1)}};
  if (call.has_input(2)) {
    value += "+" + converted_read(call, 2, fmt::format("Z[{}]", scale_index(call, 2, indices)), wide);
    operands.push_back({"Z", call.input(2)});
  }
  // The conversion gives the nearest end of the type's range.
  call.set_output(
      0, call.apply(fmt::format("Y[{}]={}({}){}", indices.list(), result.str(), value, indices.sizes()), operands));
}

}  // namespace

std::vector<OnnxOperator> quantization_operators() {
  return {
      {"DequantizeLinear", 10, kNewestOpset, {"axis", "block_size", "output_dtype"}, dequantize_linear},
      {"QuantizeLinear",
       10,
       kNewestOpset,
       {"axis", "block_size", "output_dtype", "precision", "saturate"},
       quantize_linear},
  };
}

}  // namespace nestwright
