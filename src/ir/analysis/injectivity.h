// Whether the iterations of loops touch different elements. Thread rule: a pure function.
#pragma once

#include <vector>

#include "ir/core/stmt.h"

namespace nestwright::ir {

/// True only where no two iterations of `loops`, which run in turns, have an element in common at `indices`; all other
/// variables stay the same. Vectors are ramps of stride 1.
bool is_injective(const std::vector<Expr>& indices, const std::vector<const For*>& loops);

}  // namespace nestwright::ir
