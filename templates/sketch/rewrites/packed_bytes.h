// Cheaper forms of sums of numbers that are packed in bytes.
// Thread rule: pure functions.
#pragma once

#include "nestwright/tensor.h"

namespace nestwright {

/// Converts bytes before their bits are taken, where several conversions to a float take bits of one: then one
/// conversion of a vector serves all of them, and no shift of bytes has to be emulated.
///
///   float32((Q[k] >> 4) & 15)      float32((int32(Q[k]) >> 4) & 15)
Expr widen_bytes(const Expr& value);

/// Takes the factors out that all terms of a sum of floats have: a*s + b*s is (a + b)*s. Any other value stays.
Expr take_out_factors(const Expr& value);

}  // namespace nestwright
