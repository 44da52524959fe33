#include "onnx/operators/operators.h"

#include <algorithm>

#include "onnx/operators/tables.h"

namespace nestwright {

std::span<const OnnxOperator> onnx_operators() {
  static const std::vector<OnnxOperator> all = [] {
    std::vector<OnnxOperator> operators;
    for (const auto part :
         {activation_operators, arithmetic_operators, constant_operators, convolution_operators, gathering_operators,
          normalization_operators, pooling_operators, product_operators, quantization_operators, recurrent_operators,
          reduction_operators, resizing_operators, shape_operators, slicing_operators}) {
      for (OnnxOperator& op : part()) operators.push_back(std::move(op));
    }
    return operators;
  }();
  return all;
}

const OnnxOperator* find_operator(std::string_view name, std::int64_t opset) {
  const std::span<const OnnxOperator> all = onnx_operators();
  const auto found = std::find_if(all.begin(), all.end(), [&](const OnnxOperator& op) {
    return op.name == name && op.since <= opset && opset <= op.until;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace nestwright
