// In-place updates: which input an output may alias, as C does in C = alpha A B + beta C of a BLAS.
// Thread rule: pure functions.
#pragma once

#include "nestwright/program.h"

namespace nestwright::ir {

/// The number of the first input that may be the same memory as output `output`: it has the same layout, and each of
/// its elements is read only by the store that overwrites the same element of the output. -1 where there is none.
/// Requires the loop form.
int find_in_place_input(const Program& program, int output);

/// Whether the parameter is one of a pair that Parameter::in_place_of names, and so cannot be noalias in a kernel.
bool may_share_memory(const Program& program, const Buffer& parameter);

}  // namespace nestwright::ir
