// Expressions as C text in double: the independent reference of an exported self-test is made from the operator's expression,
// not from its schedule.
// Thread rule: pure functions.
#pragma once

#include <map>
#include <string>

#include "expression/tensor.h"

namespace nestwright {

/// How the C text reads an element: by logical buffer, the name of a C array.
using CArrays = std::map<ir::Buffer, std::string>;

/// Throws UsageError for what has no C counterpart here.
std::string c_expression(const Expr& e, const CArrays& arrays);

/// A nest of loops that computes `op` in double into array `out`, and into `magnitude` the sum of the terms' absolute values.
std::string c_reference(const Operation& op, const CArrays& arrays, const std::string& out, const std::string& magnitude);

/// Length of the operation's reduction, 1 where there is none. Requires constant extents.
std::int64_t reduction_length(const Operation& op);

}  // namespace nestwright
