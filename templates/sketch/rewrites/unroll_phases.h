// Sums of packed numbers: where a remainder of the index of a sum chooses which part of an element is read, the terms
// of all remainders are added up in the body, so that the same element serves them all, and no loop shifts or selects
// by an index.
//
//   Y[n] = sum(k, X[k] * float32((Q[n, k/2] >> uint8(k%2*4)) & 15) * S[n, k/32])
//
//   Y[n] = sum(k, (X[2*k] * float32(Q[n, k] & 15) + X[2*k + 1] * float32(Q[n, k] >> 4 & 15)) * S[n, k/16])
//
// The remainder of a quotient, as k/16%2 where the second half of a block of 32 is in the upper bits, gives an axis for
// the blocks, and one for the elements of a block. Where several results share the numbers, as the rows of a product,
// these are unpacked for each of them, or once, by a stage. Tensors that are read with a stride then, as X, and often,
// are copied by phases (strided_reads.h). Sums that are written in the latter form get the cheaper operations, too.
// Thread rule: pure functions.
#pragma once

#include <functional>
#include <string>

#include "nestwright/template.h"

namespace nestwright {

/// Whether numbers are unpacked again for each of the `reads` of each, from 1 to 16. `stage`: the one that unpacks
/// them, or that of the sums if none does.
using UnpacksAgain = std::function<bool(const std::string& stage, double reads)>;

/// Rewrites all such sums, also products, minima and maxima. Leaves a definition with scans, strides or symbols as it
/// is.
void unroll_phases(Definition& definition, const UnpacksAgain& unpacks_again);

}  // namespace nestwright
