// Bounds the magnitudes of the results of an expression on integers, and decides whether it is exact in every
// order of evaluation.
//
//   C[i, j] = sum(A[i, k]*B[k, j]), float32, 512 terms   |A| <= 8, |B| <= 8: exact, because 512*64 < 2^24
//   Y[i] = X[i]*0.1                                       not exact
//
// Thread rule: a pure function.
#pragma once

#include <span>

#include "nestwright/template.h"

namespace nestwright {

/// Whether every result is exact, in whatever order sums are computed, if the elements of input i are integers of
/// at most `largest[i]` in absolute value; even if intermediate sums need `more_bits` more bits than the results.
bool is_exact_on_integers(const Definition& definition, std::span<const double> largest, int more_bits = 0);

}  // namespace nestwright
