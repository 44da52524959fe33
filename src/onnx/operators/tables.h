// The parts of the table of operators: one for each file of operators.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "onnx/operators/operators.h"

namespace nestwright {

std::vector<OnnxOperator> activation_operators();
std::vector<OnnxOperator> arithmetic_operators();
std::vector<OnnxOperator> constant_operators();
std::vector<OnnxOperator> convolution_operators();
std::vector<OnnxOperator> gathering_operators();
std::vector<OnnxOperator> normalization_operators();
std::vector<OnnxOperator> pooling_operators();
std::vector<OnnxOperator> product_operators();
std::vector<OnnxOperator> quantization_operators();
std::vector<OnnxOperator> recurrent_operators();
std::vector<OnnxOperator> reduction_operators();
std::vector<OnnxOperator> resizing_operators();
std::vector<OnnxOperator> shape_operators();
std::vector<OnnxOperator> slicing_operators();

}  // namespace nestwright
