// Counts the memory traffic of an expression.
// Thread rule: a pure function. Units: bytes.
#pragma once

#include "text/syntax/program.h"

namespace nestwright {

/// An upper bound of the bytes of the inputs' elements that the statements read and of the outputs, each counted once.
/// An input of which a part is read counts with that part: `Y[i] = T[I[i]]` touches as many elements of T as Y has.
double bytes_touched(const text::Program& program);

}  // namespace nestwright
