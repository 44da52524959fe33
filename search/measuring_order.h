// In which order the points of a compiled batch are measured. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "search/ranker.h"
#include "search/session_state.h"

namespace nestwright {

/// Indices of the points. Where the compiler told what the kernels need, and `ranker` (may be null) ranks, the most
/// promising first: the others are then soon seen to be far behind, and a budget that ends has had the best. Else as
/// they were proposed. Requires the ranker to have been told of the needs.
std::vector<std::size_t> measuring_order(const std::vector<Point>& points, const std::vector<BuiltPoint>& built,
                                         Ranker* ranker);

}  // namespace nestwright
