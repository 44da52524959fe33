// Intrinsics as users declare them: small tiles with results that are exact in any order, so that random programs can
// use them in place of loops. Thread rule: values.
#pragma once

#include <vector>

#include "nestwright/schedule.h"

namespace nestwright::property {

/// All intrinsics, including the built-in one, small ones first. Inputs are read at axes of the pattern, one for each
/// dimension.
const std::vector<TensorIntrinsic>& own_intrinsics();

}  // namespace nestwright::property
