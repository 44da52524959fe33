// Expressions as C text in double: the independent reference of an exported self-test is made from the operator's
// expression, not from its schedule. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "expression/tensor.h"

namespace nestwright {

/// How the C text calls what an expression reads: arrays by logical buffer, and variables.
struct CNames {
  std::map<ir::Buffer, std::string> arrays;
  std::map<ir::Var, std::string> variables;
};

/// Throws UsageError for what has no C counterpart here.
std::string c_expression(const Expr& e, const CNames& names);

/// The body of a C function that sets *value to element `element` of `op` (a long, row-major) and *size to the sum of
/// its terms' absolute values, both in double. Requires a compute; throws UsageError for reductions other than sums and
/// for extents that are not constant.
std::string c_element(const Operation& op, const CNames& names);

/// Length of the operation's reduction, 1 where there is none. Requires constant extents.
std::int64_t reduction_length(const Operation& op);

}  // namespace nestwright
