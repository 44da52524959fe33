// Reduces several distant rows of a tensor that is much larger than the caches at a time, so that the hardware
// prefetcher follows several contiguous streams. The sums become a tensor of their own:
//
//   Y[i] = sum(k, X[i, k])     ->     Y.far[i, s] = sum(k, X[s*n + i, k]);  Y[i] = Y.far[i % n, i / n]
//
// for n = rows / streams.
// Thread rule: pure functions.
#pragma once

#include "templates/sketch/sketch.h"

namespace nestwright {

/// Whether a definition is a reduction of each row of its inputs, none of which needs a copy.
bool may_interleave_row_streams(const Definition& definition, const Target& target);

/// Where it may, chooses how many rows are reduced at a time, draft.row_streams, and, if that is more than one,
/// replaces the definition's result by the expression above.
void interleave_row_streams(NestDraft& draft);

}  // namespace nestwright
