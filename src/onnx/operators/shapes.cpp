// Operators that change only the shape of their operand, and those that compute shapes.
#include "onnx/operators/tables.h"

namespace nestwright {

std::vector<OnnxOperator> shape_operators() { return {}; }

}  // namespace nestwright
