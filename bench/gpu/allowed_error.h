// The error that is allowed to a library that rounds its inputs differently from the workload's definition.
// Thread rule: pure functions.
#pragma once

#include "templates/matmul/shape.h"

namespace nestwright::bench {

/// The factor, at least 1, on the error bounds of a product's reference for a library that rounds to tf32 to nearest or
/// towards zero. 1 where inputs are not rounded.
double product_allowed_error(const MatmulShape& shape);

}  // namespace nestwright::bench
