// The inputs of a self-test: pseudo-random numbers, which its C code draws one after the other, each input in the order
// of its elements in memory. Here any element is computed directly, so that the inputs of a large kernel are never
// held. Thread rule: immutable; any number of threads may read.
#pragma once

#include <optional>
#include <vector>

#include "nestwright/template.h"

namespace nestwright {

/// The inputs of a definition; `ranges` has one for each. Values are drawn from the range if there is one, else from
/// [-1, 1), or from all 8-bit values for integers.
InputValues self_test_inputs(const Definition& definition, const std::vector<std::optional<DataRange>>& ranges);

}  // namespace nestwright
