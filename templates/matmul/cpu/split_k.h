// A template of matmul for small results of long reductions on several threads: each sums a part of the reduction.
//
//   parallel for parts of K, blocks of M or N:
//     for tiles: partial[part, rows, vectors*lanes] = sum over the part          (in registers)
//   for rows, vectors of N:
//     C = epilogue(sum of partial over the parts)
//
// Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"

namespace nestwright {

Template matmul_split_k_template();

}  // namespace nestwright
