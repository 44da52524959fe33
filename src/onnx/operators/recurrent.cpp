// Recurrences.
#include "onnx/operators/tables.h"

namespace nestwright {

std::vector<OnnxOperator> recurrent_operators() { return {}; }

}  // namespace nestwright
