// The printed form of programs, which reads as a loop nest:
//
//   program matmul(A: float32[64, 32], B: float32[32, 48]) -> (C: float32[64, 48])
//     launch matmul
//     kernel matmul:
//       parallel i in 0..4:
//         register acc: float32[16, 48]
//         for k in 0..32:
//           unrolled ii in 0..16:
//             vectorized j in 0..48:
//               acc[ii, j] = acc[ii, j] + A[i*16 + ii, k]*B[k, j]
//
// Names that clash get a number appended; printing never changes the IR.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "ir/core/program.h"

namespace nestwright::ir {

std::string to_string(const Expr& e);
std::string to_string(const Stmt& s);
std::string to_string(const Program& p);

/// The first line of the statement in quotes, for messages: "`C[i, j] = 0.0`".
std::string quote(const Stmt& statement);

}  // namespace nestwright::ir
