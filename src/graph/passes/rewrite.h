// Copies a graph node by node, so that a pass can put others in the place of some.
//
//   GraphRewrite rewrite(graph);
//   for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
//     if (!is_dropout(n)) rewrite.copy(n);
//     else rewrite.replace(output_of(n), rewrite.at(input_of(n)));
//   }
//   return rewrite.finish();
//
// Thread rule: one thread at a time. The graph must outlive it.
#pragma once

#include <map>
#include <vector>

#include "nestwright/model/graph.h"

namespace nestwright {

class GraphRewrite {
 public:
  /// Copies the inputs.
  explicit GraphRewrite(const Graph& from);

  Graph& to() { return to_; }
  /// The value of the new graph that stands for one of the old graph. Copies a stored constant when it is first asked
  /// for.
  ValueId at(ValueId old);
  std::vector<ValueId> at(const std::vector<ValueId>& old);
  /// Lets a value of the new graph, of the same type, stand for one of the old graph, whose name it gets.
  void replace(ValueId old, ValueId value);
  /// Copies a node.
  void copy(std::size_t node);
  /// Adds a node whose results stand for `old`.
  void add(GraphNode node, const std::vector<ValueId>& old);
  /// Adds a node that reads its inputs, values of the new graph, in the shapes of its program, and returns its results
  /// in the shapes that that gives them.
  std::vector<ValueId> add_with_views(GraphNode node);
  /// Adds the outputs, and removes the nodes and constants that none of them needs.
  Graph finish();

 private:
  void add_outputs();

  const Graph& from_;
  Graph to_;
  std::map<ValueId, ValueId> values_;
};

/// For each value the nodes that read it, in ascending order, each once.
std::vector<std::vector<std::size_t>> readers_of(const Graph& graph);
/// For each value whether it is an output of the graph.
std::vector<bool> outputs_of(const Graph& graph);

}  // namespace nestwright
