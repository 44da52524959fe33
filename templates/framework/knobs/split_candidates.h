// Candidates of define_split.
// Thread rule: a pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/knobs.h"

namespace nestwright {

/// All splits of `extent` by the policy, outermost part first, ascending in the inner parts. Throws InternalError for
/// fewer than two parts, an extent below 1, or above a million candidates ("narrow it").
std::vector<KnobValue> split_candidates(std::int64_t extent, const SplitOptions& options);

}  // namespace nestwright
