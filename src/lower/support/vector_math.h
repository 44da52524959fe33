// States the accuracy of the mathematical functions in compiled CPU code.
//
// exp, log, log2, tanh, sigmoid and erf of float32 are expanded into arithmetic on whole vectors
// (lower/support/elementary.cpp), and into the same arithmetic on scalars, so that the tail of a loop gives the same
// results as its body. Their errors hold for every float, denormals included; special cases: exp(-inf) = 0, exp(88.8) =
// inf, log(0) = -inf, log(x < 0) = NaN, tanh(-0) = -0, erf(inf) = 1, and NaN for NaN. float16 and bfloat16 are computed
// in float32 and rounded. sin, cos, pow, and all functions of float64, are one libm call per lane; with glibc, sin and
// cos of float32 are within 1 ulp. Devices other than CPUs use their own functions. Thread rule: pure functions. Units:
// errors are in units in the last place (ulp).
#pragma once

#include "nestwright/expr_nodes.h"

namespace nestwright {

/// Whether lowering for a CPU expands the function on `type`.
bool is_expanded(ir::Intrinsic intrinsic, ir::Type type);

/// The largest error of an expanded function of float32, over all operands and in both forms of polynomials, in ulp of
/// the exact result (of the least denormal below the normal range). tests/codegen/vector_math_test.cpp measures it on
/// vectors with and without fma: for every float whose magnitude is between 2^-32 and 2^8, and for every 31st of the
/// others. Requires is_expanded().
double stated_ulp(ir::Intrinsic intrinsic);

}  // namespace nestwright
