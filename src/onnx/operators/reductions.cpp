// Reductions over axes.
#include "onnx/operators/tables.h"

namespace nestwright {

std::vector<OnnxOperator> reduction_operators() { return {}; }

}  // namespace nestwright
