// A template of matmul for a matrix and a vector where the matrix is stored along the reduction (n=1, ta=0 or m=1,
// tb=1): rows are read in order, several at a time, and each is summed in vectors. (Stored the other way, matmul.cpu
// has what is needed: vectors across the rows.)
//
//   parallel for blocks of rows: for tiles of rows:
//     sums[rows, vectors*lanes] = sum over k, vectors*lanes apart         (in registers)
//     halve the lanes until one is left
//     C = epilogue(what is left)
//
// Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"

namespace nestwright {

Template matmul_gemv_template();

}  // namespace nestwright
