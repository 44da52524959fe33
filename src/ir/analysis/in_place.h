// Which input an output may share its memory with, element by element: C = alpha A B + beta C, as a BLAS accumulates.
// Thread rule: pure functions.
#pragma once

#include "ir/core/program.h"

namespace nestwright::ir {

/// The number of the first input that lies as output `output` does and whose elements are read nowhere but in the one
/// store that overwrites the same element: both may then be the same memory. -1 where there is none. Reads the loop
/// form.
int find_in_place_input(const Program& program, int output);

/// Whether the parameter is one of a pair of which `in_place_of` says so: no noalias parameter of a kernel.
bool may_share_memory(const Program& program, const Buffer& parameter);

}  // namespace nestwright::ir
