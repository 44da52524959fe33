// Checks every read of an operation against the shape of the tensor that it reads. Definite mistakes are refused here;
// possible ones are left to the verifier of the lowered program. Internal to the library: create_schedule checks each
// operation. Thread rule: pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nestwright/program.h"
#include "nestwright/reduction.h"

namespace nestwright {

/// Throws UsageError where `body`, evaluated for every value of `axes` and `reduce_axes`,
///  - reads a tensor out of bounds for some of these values and for all values of the symbols (which are at least 1).
///    A read that a select, or the first operand of && or ||, prevents is not counted. The message names the tensor,
///    the dimension, the range and the extent;
///  - has a reduce axis that covers the whole dimension of one tensor but only part of a dimension of another, each
///    indexed by the axis alone: the extents disagree. An axis whose start was given may do so.
/// Returns the conditions on the symbols under which all unguarded reads are in bounds. Only affine indices are
/// analysed: the caller is responsible for others, such as an index that is loaded from a tensor.
std::vector<ir::Requirement> check_reads(const std::string& tensor, std::span<const IterVar> axes,
                                         std::span<const IterVar> reduce_axes, const Expr& body);

}  // namespace nestwright
