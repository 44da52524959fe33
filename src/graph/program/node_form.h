// The form of a node's expression: what passes ask about it.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "nestwright/model/graph.h"
#include "text/syntax/program.h"

namespace nestwright {

/// The name that the node's expression has for its input number `i`, or for its output number `i`.
const std::string& input_name(const GraphNode& node, std::size_t i);
const std::string& output_name(const GraphNode& node, std::size_t i);

/// Whether the node is a kernel: neither a view nor computed from constants alone.
bool is_kernel(const Graph& graph, const GraphNode& node);
/// What people know the node by: its label, or where it has none, its operator.
const std::string& label_or_op(const GraphNode& node);

/// Whether the node has one statement, which has no reduction: it computes each element from single elements.
bool is_elementwise(const GraphNode& node);
/// Whether no statement of the node has a reduction.
bool has_no_reduction(const GraphNode& node);
/// Whether the node only copies elements of its one input to other places: its statement is a read.
bool only_moves(const GraphNode& node);

/// Whether all accesses of the tensor are, without padding, at the indices of their statements, in order. An index of a
/// dimension of one element may be 0.
bool reads_in_place(const text::Program& program, const std::string& tensor);

/// The multiply-adds, or for sums without products the additions, of all reductions.
double multiply_adds(const text::Program& program);

}  // namespace nestwright
