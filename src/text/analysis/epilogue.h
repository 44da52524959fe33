// Recognises a program whose first statement is followed by elementwise operations on its result, in place.
//
//   T[i, j] = sum(k, A[i, k]*B[k, j]); Y[i, j] = max(T[i, j] + b[j], 0)     an epilogue that reads b
//   T[i] = sum(k, A[i, k]); Y[i] = T[i] - T[0]                              none: it reads another element
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "text/syntax/program.h"

namespace nestwright::text {

/// The names of the stage's axes but those of extent 1, whose index is always 0.
std::vector<std::string> long_axes(const Stage& stage);

/// Whether all statements but the first are elementwise, and read each computed tensor at their own indices only
/// (dimensions of extent 1 aside), and the last one computes the only output. A program of one statement has no
/// epilogue. At most 16 reads of the first tensor remain if the statements are substituted into the last one.
bool has_epilogue(const Program& program);

/// Whether a statement after the first reads the tensor.
bool epilogue_reads(const Program& program, std::size_t tensor);

}  // namespace nestwright::text
