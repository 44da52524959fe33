// The table of the kinds of groupings, one file each: how its sites are found, and what takes their place.
// Thread rule: pure functions.
#pragma once

#include <span>
#include <vector>

#include "graph/grouping/grouping.h"
#include "graph/passes/rewrite.h"

namespace nestwright {

struct GroupingRule {
  GroupingKind kind;
  /// The nodes of each site, in order.
  std::vector<std::vector<std::size_t>> (*find)(const Graph& joined);
  /// Adds nodes to `rewrite`, a copy of the graph, that compute the results of `nodes` that other nodes read. Requires
  /// that the copy has what `nodes` read of others.
  void (*change)(const Graph& joined, const std::vector<std::size_t>& nodes, GraphRewrite& rewrite);
};

std::span<const GroupingRule> grouping_rules();

/// Makes one node of them, which has the results of the last one.
void merge_nodes(const Graph& joined, const std::vector<std::size_t>& nodes, GraphRewrite& rewrite);
/// Whether merge_nodes() can do so: the text of a kernel has a limit.
bool can_merge(const Graph& joined, const std::vector<std::size_t>& nodes);

/// A product whose rows a node reduces, as softmax does, and the product that alone reads these: attention.
std::vector<std::vector<std::size_t>> find_attentions(const Graph& joined);
/// A product and the node that alone reads it and reduces its rows: scores and softmax, a product and its norm.
std::vector<std::vector<std::size_t>> find_reduced_products(const Graph& joined);
/// A node that reduces rows, and the product that alone reads them.
std::vector<std::vector<std::size_t>> find_products_of_rows(const Graph& joined);

/// Products or convolutions of one input with constants, which become one.
std::vector<std::vector<std::size_t>> find_siblings(const Graph& joined);
void join_siblings(const Graph& joined, const std::vector<std::size_t>& nodes, GraphRewrite& rewrite);
/// A product that adds a tensor to its result, and the node that alone reads the result and may add it instead.
std::vector<std::vector<std::size_t>> find_residuals(const Graph& joined);
void move_residual(const Graph& joined, const std::vector<std::size_t>& nodes, GraphRewrite& rewrite);
/// A tensor whose channels are scaled, and the convolution with constant weights that alone reads it.
std::vector<std::vector<std::size_t>> find_scaled_weights(const Graph& joined);
void scale_weights(const Graph& joined, const std::vector<std::size_t>& nodes, GraphRewrite& rewrite);

}  // namespace nestwright
