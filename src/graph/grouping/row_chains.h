// Products of matrices, and nodes that reduce the rows of one: the links of attention and of norms after products.
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "graph/passes/rewrite.h"

namespace nestwright {

/// A joined graph with what chains of nodes depend on.
class RowChains {
 public:
  explicit RowChains(const Graph& joined)
      : graph_(joined), readers_(readers_of(joined)), is_output_(outputs_of(joined)) {}

  /// Whether the node has one statement that reduces, which is a product of matrices.
  bool is_product(std::size_t node) const;
  /// Whether the node reduces the rows of its operand `value`, along the last dimension, and all that it computes
  /// belongs to one row: the first dimensions of all its tensors are those of the rows.
  bool reduces_rows(std::size_t node, ValueId value) const;
  /// Whether the node is a product that sums along the rows of `value`, its last dimension, which it reads once.
  bool sums_rows(std::size_t node, ValueId value) const;
  /// The node that alone reads the one result of `node`; absent if that is an output of the graph or constant, or if
  /// several nodes read it.
  std::optional<std::size_t> only_reader(std::size_t node) const;
  /// The node that reduces the rows of the product `node` and alone reads it.
  std::optional<std::size_t> reducer_of(std::size_t node) const;
  /// The product that sums along the rows that `node` computes and alone reads them.
  std::optional<std::size_t> product_of(std::size_t node) const;

 private:
  const Graph& graph_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<bool> is_output_;
};

}  // namespace nestwright
