// Limits of what one element may take to compute. Loops are made for bodies that people write; one that shares its
// parts many times over, as e = e*e + e does a few dozen times, has more operations than can ever be written out.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/core/expr.h"

namespace nestwright {

inline constexpr std::int64_t kMostOperations = 1 << 16;  ///< of a body, shared parts counted wherever they are used
inline constexpr int kDeepestBody = 1000;                 ///< operations inside each other

/// What is too much about the bodies of one tensor, as in "written out it has more than 65536 operations"; empty where
/// nothing is.
std::string excess_of(const std::vector<ir::Expr>& bodies);

}  // namespace nestwright
