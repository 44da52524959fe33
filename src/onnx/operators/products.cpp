// Matrix products.
#include "onnx/operators/tables.h"

namespace nestwright {

std::vector<OnnxOperator> product_operators() { return {}; }

}  // namespace nestwright
