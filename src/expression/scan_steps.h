// What belongs to a step of a scan, and how its operations' axes move with the time. Internal to the library.
// Thread rule: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "expression/tensor.h"
#include "ir/simplify/simplify.h"

namespace nestwright {

/// By operation of a step and by axis: the values that the axis takes on at step t, counted from t. Absent for axes
/// that do not move with the time.
using StepOffsets = std::map<Operation, std::vector<std::optional<ir::Interval>>>;

/// The operations of a step: `updates`, which make the results of `scan`, and all that they are made from which is
/// itself made from a state. Throws UsageError as scan() does for what a step reads; `name` is the scan's.
StepOffsets step_offsets(const ScanOp& scan, const std::vector<Operation>& updates, const std::string& name);

/// As above, of a scan that has been made. `op` is one.
StepOffsets step_offsets(const Operation& op);

/// The axes of an operation of a step with the domains that they have over all steps.
std::vector<IterVar> step_axes(const Operation& op, const StepOffsets& offsets, const ScanOp& scan);

/// True where `op` is made from the placeholder of one of `states`, not through the scan that these belong to.
bool is_made_from(const Operation& op, const std::vector<Buffer>& states);

}  // namespace nestwright
