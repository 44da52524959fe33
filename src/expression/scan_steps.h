// The operations that belong to a step of a scan, and how their axes depend on the time. Internal to the library.
// Thread rule: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/simplify/simplify.h"
#include "nestwright/tensor.h"

namespace nestwright {

/// For each operation of a step and each of its axes: the values that the axis takes at step t, relative to t. Absent
/// for axes that do not depend on the time.
using StepOffsets = std::map<Operation, std::vector<std::optional<ir::Interval>>>;

/// The operations of a step: `updates`, which compute the results of `scan`, and their producers that depend on a
/// state. Throws UsageError as scan() does for the reads of a step; `name` is the scan's, for messages.
StepOffsets step_offsets(const ScanOp& scan, const std::vector<Operation>& updates, const std::string& name);

/// The operations of a step of an existing scan, and its `feeders`, producers first: operations that depend on no state
/// and are read only by these and by each other. Requires `op` to be a scan.
StepOffsets step_offsets(const Operation& op, const std::vector<Operation>& feeders = {});

/// The axes of an operation of a step, with their domains over all steps.
std::vector<IterVar> step_axes(const Operation& op, const StepOffsets& offsets, const ScanOp& scan);

/// Whether `op` depends on the placeholder of one of `states` other than through the scan that these belong to.
bool depends_on_states(const Operation& op, const std::vector<Buffer>& states);

}  // namespace nestwright
