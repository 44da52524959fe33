// How far off a library's result may be where it rounds its inputs otherwise than the workload says.
// Thread rule: pure functions.
#pragma once

#include "templates/matmul/shape.h"

namespace nestwright::bench {

/// What the bounds of the product's reference are multiplied by, 1 or more, for a library that rounds to tf32 as it
/// likes: to nearest or towards zero. 1 where inputs are not rounded.
double product_allowed_error(const MatmulShape& shape);

}  // namespace nestwright::bench
