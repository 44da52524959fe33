// Activations.
#include "onnx/operators/pointwise.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

void relu(OperatorCall& call) { call.set_output(0, apply_pointwise(call, "max({0},0)", {call.input(0)})); }

}  // namespace

std::vector<OnnxOperator> activation_operators() {
  return {
      {"Relu", 1, kNewestOpset, {}, relu},
  };
}

}  // namespace nestwright
