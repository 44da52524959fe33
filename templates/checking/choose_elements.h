// Chooses the elements of a tensor that are compared one by one where there are too many to compare all.
// Thread rule: a pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/expr_nodes.h"

namespace nestwright {

/// Returns the numbers, in row-major order, of about `count` elements of a tensor, ascending; of all if it has no more.
/// For large tensors: the corners, elements along all edges, and random ones, half of them near the end of some
/// dimension, where tails are. Only random ones if half of the elements would not be enough for the corners.
std::vector<std::int64_t> choose_elements(const std::vector<std::int64_t>& shape, std::int64_t count);

/// Returns the places in memory of the elements of these numbers. Requires constant shapes.
std::vector<std::int64_t> places_of(const ir::Buffer& buffer, const std::vector<std::int64_t>& numbers);

}  // namespace nestwright
