// Limits on the size of the expression that computes one element. Users' bodies are small, but a body that shares its
// parts repeatedly (e = e*e + e, a few dozen times) expands to more operations than can be written out.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestwright/expr_nodes.h"

namespace nestwright {

inline constexpr std::int64_t kMaxBodyOperations = 1 << 16;  ///< in a body; a shared part counts once for each use
inline constexpr int kMaxBodyDepth = 1000;                   ///< nesting depth of operations

/// The operations of the bodies of one tensor, loads, variables and constants among them, as the limit counts them. At
/// most kMaxBodyOperations + 1. Requires that they nest no deeper than kMaxBodyDepth.
std::int64_t body_operations(const std::vector<ir::Expr>& bodies);

/// Which limit the bodies of one tensor exceed, as in "written out it has more than 65536 operations". Empty where they
/// exceed none.
std::string size_limit_violation(const std::vector<ir::Expr>& bodies);

}  // namespace nestwright
