// Intrinsics as users declare their own: small tiles with results that are exact whatever the order, so that random
// programs may put them in the place of loops. Thread rule: values.
#pragma once

#include <vector>

#include "schedule/tensor_intrinsic.h"

namespace nestwright::property {

/// All of them, the built-in one too, small ones first. Inputs are read at axes of the pattern, one a dimension.
const std::vector<TensorIntrinsic>& own_intrinsics();

}  // namespace nestwright::property
