// Binary and ternary pointwise operators: arithmetic, comparisons, logic, selection.
#include "onnx/operators/tables.h"

namespace nestwright {

std::vector<OnnxOperator> arithmetic_operators() { return {}; }

}  // namespace nestwright
