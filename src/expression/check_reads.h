// What an operation reads, held against the tensors that it reads: refuses what is certainly a mistake. What may be one
// is left to the verifier of the lowered program. Internal to the library: a schedule does this for each operation.
// Thread rule: pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "expression/iter_var.h"
#include "ir/core/program.h"

namespace nestwright {

/// Throws UsageError where `body`, computed for every value of `axes` and `reduce_axes`,
///  - reads a tensor at an index that is out of bounds for some of these values, whatever the symbols (at least 1) are;
///    what a select (or the first operand of && and ||) keeps from being read counts as not read. The message names
///    tensor, dimension, range and extent;
///  - has a reduce axis that runs over all of one tensor's dimension but only over a part of another one's, each
///    indexed by the axis alone: extents that disagree.
/// Returns what the symbols must satisfy for the reads that no condition guards to lie within their tensors, as far as
/// the indices are affine: an index that is read from a tensor, say, is the caller's to keep in bounds.
std::vector<ir::Requirement> check_reads(const std::string& tensor, std::span<const IterVar> axes,
                                         std::span<const IterVar> reduce_axes, const Expr& body);

}  // namespace nestwright
