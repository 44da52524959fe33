// Finds the dimensions along which the elements of an expression's inputs may differ in magnitude while the terms of
// each sum keep one magnitude.
//
//   C[i, j] = sum(k, A[i, k]*B[k, j])                                A: 0, B: 1
//   T[i, j] = X[i, j]*G[j]; S[i] = sum(j, T[i, j])                   X: 0, G: none
//   Y[c, y] = sum(d, r, X[d, y + r]*W[c, d, r])                      X: none, W: 0
// Thread rule: a pure function.
#pragma once

#include <cstddef>
#include <vector>

#include "text/syntax/program.h"

namespace nestwright::text {

/// For each tensor of the program the dimensions, in ascending order.
std::vector<std::vector<std::size_t>> scaled_dimensions(const Program& program);

}  // namespace nestwright::text
