// How exact the mathematical functions of compiled CPU code are.
//
// exp, log, log2, tanh, sigmoid and erf of float32 are expanded into arithmetic on whole vectors (lower/
// elementary.cpp), the same for a single element, so that a tail gives what the body of a loop gives. Their errors hold
// for every float, denormals included, as do exp(-inf) = 0, exp(88.8) = inf, log(0) = -inf, log(x < 0) = NaN,
// tanh(-0) = -0, erf(inf) = 1, and NaN for NaN. float16 and bfloat16 are computed in float32 and rounded.
// pow, and all of them on float64, are one call of libm a lane; so are functions on devices other than CPUs the
// device's. Thread rule: pure functions.
#pragma once

#include "ir/core/expr.h"

namespace nestwright {

/// Whether the lowering expands the function on `type` for a CPU.
bool is_expanded(ir::Intrinsic intrinsic, ir::Type type);

/// The largest error of an expanded function of float32 for any operand, in units in the last place of the exact result
/// (of the least denormal below the normal range). Measured by tests/codegen/vector_math_test.cpp on vectors with fma
/// and without: for every float whose magnitude is between 2^-32 and 2^8, and every 31st of the others. Requires
/// is_expanded().
double stated_ulp(ir::Intrinsic intrinsic);

}  // namespace nestwright
