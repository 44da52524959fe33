// Several rows far apart of a tensor far larger than the caches are summed up side by side. What each of them reads is
// contiguous from row to row, so that a processor fetches ahead. The sums are a tensor of their own:
//
//   Y[i] = sum(k, X[i, k])     ->     Y.far[i, s] = sum(k, X[s*n + i, k]);  Y[i] = Y.far[i % n, i / n]
//
// for n = rows / streams.
// Thread rule: pure functions.
#pragma once

#include "templates/framework/template.h"
#include "templates/framework/tuning.h"

namespace nestwright {

/// Whether a definition is a sum of each row of an input that needs no copy.
bool may_take_far_rows(const Definition& definition, const Target& target);

/// Chooses how many rows are summed up side by side, and replaces the definition's result by that expression where they
/// are several. Returns their number. Requires may_take_far_rows().
std::int64_t take_far_rows(Tuning& t, Definition& definition, const Target& target);

}  // namespace nestwright
