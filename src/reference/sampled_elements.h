// Chooses the elements of a tensor on which its computation is checked.
// Thread rule: a pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/runs.h"

namespace nestwright {

/// The numbers, in row-major order and ascending, of up to `most` elements of computed runs (one mark for each run):
/// all, or those at the corners of the tensor, at its edges and others at random. Requires that a run is computed.
std::vector<std::int64_t> sample_elements(const Runs& runs, const std::vector<char>& is_computed, std::int64_t most);

}  // namespace nestwright
