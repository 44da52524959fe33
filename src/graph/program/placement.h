// Nodes that compute nothing if their tensors are placed right: parts of a tensor, and tensors that follow each other.
// Thread rule: pure functions. Offsets are in elements.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nestwright/model/graph.h"

namespace nestwright {

/// Where in its input the result of the node lies, as a whole and in order; nullopt if it does not. Such are slices of
/// the first dimension, and rows of it.
std::optional<std::int64_t> part_offset(const GraphNode& node);

/// Where in the result of the node each of its inputs lies, likewise; nullopt if one does not, or if they are not the
/// whole result. Such are concatenations along the first dimension.
std::optional<std::vector<std::int64_t>> concatenation_offsets(const GraphNode& node);

/// Whether the node is one of both.
bool is_placement(const GraphNode& node);

}  // namespace nestwright
