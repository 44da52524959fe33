#include <algorithm>
#include <optional>
#include <set>

#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/program/merge.h"
#include "graph/program/node_form.h"
#include "graph/program/placement.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

constexpr std::size_t kMaxGroup = 32;  ///< nodes: the text of a kernel has a limit

/// For each node whether it is elementwise and reads, directly or through others like it, the result of a node that
/// reduces and that nothing else reads: then it joins that node.
std::vector<bool> followers_of_reductions(const Graph& graph, const std::vector<std::vector<std::size_t>>& readers) {
  std::vector<bool> follows(graph.nodes().size());
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    for (const ValueId input : node.inputs) {
      const auto producer = graph.value(input).node;
      const bool is_own = producer && !graph.value(input).is_constant && readers[input].size() == 1;
      if (!is_own || graph.type(input).shape != graph.type(node.outputs[0]).shape) continue;
      const GraphNode& source = graph.nodes()[*producer];
      if (!source.is_view() && (!has_no_reduction(source) || follows[*producer])) follows[n] = true;
    }
  }
  return follows;
}

/// Nodes that become one: elementwise ones that read each other in place and, first of them, at most one that reduces.
class ElementwiseGroup {
 public:
  ElementwiseGroup(const Graph& graph, const std::vector<std::vector<std::size_t>>& readers,
                   const std::vector<bool>& follows_reduction, std::size_t last)
      : graph_(graph), readers_(readers), follows_reduction_(follows_reduction), nodes_{last} {
    if (!has_no_reduction(graph.nodes()[last])) core_ = last;
  }

  const std::set<std::size_t>& nodes() const { return nodes_; }

  /// Whether the node may join: the group alone reads its result, element by element.
  bool accepts(std::size_t number) const {
    const GraphNode& node = graph_.nodes()[number];
    if (node.is_view() || node.outputs.size() != 1 || is_placement(node)) return false;
    const ValueId result = node.outputs[0];
    if (graph_.type(result).shape != graph_.type(graph_.nodes()[*nodes_.rbegin()].outputs[0]).shape) return false;
    if (core_ && (!has_no_reduction(node) || follows_reduction_[number])) return false;
    return std::all_of(readers_[result].begin(), readers_[result].end(), [&](std::size_t reader) {
      return nodes_.contains(reader) && reader != core_ && reads_in_place_of(reader, result);
    });
  }
  void add(std::size_t number) {
    nodes_.insert(number);
    if (!has_no_reduction(graph_.nodes()[number])) core_ = number;
  }

 private:
  bool reads_in_place_of(std::size_t reader, ValueId value) const {
    const GraphNode& node = graph_.nodes()[reader];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == value && !reads_in_place(*node.program, input_name(node, i))) return false;
    }
    return true;
  }

  const Graph& graph_;
  const std::vector<std::vector<std::size_t>>& readers_;
  const std::vector<bool>& follows_reduction_;
  std::set<std::size_t> nodes_;
  std::optional<std::size_t> core_;  ///< the node that reduces
};

/// Producers of the group's operands, the last first, which is the one that takes the operand's kernel along.
std::vector<std::size_t> producers_of(const Graph& graph, const std::set<std::size_t>& nodes) {
  std::set<std::size_t> producers;
  for (const std::size_t number : nodes) {
    for (const ValueId input : graph.nodes()[number].inputs) {
      const auto producer = graph.value(input).node;
      if (producer && !nodes.contains(*producer)) producers.insert(*producer);
    }
  }
  return {producers.rbegin(), producers.rend()};
}

}  // namespace

Graph join_elementwise(const Graph& graph) {
  const std::vector<std::vector<std::size_t>> readers = readers_of(graph);
  const std::vector<bool> is_output = outputs_of(graph), follows = followers_of_reductions(graph, readers);
  std::vector<std::optional<GraphNode>> joined(graph.nodes().size());  // at the place of the group's last node
  std::vector<bool> is_taken(graph.nodes().size());
  for (std::size_t last = graph.nodes().size(); last-- > 0;) {
    const GraphNode& node = graph.nodes()[last];
    if (is_taken[last] || node.is_view() || node.outputs.size() != 1 || is_placement(node)) continue;
    ElementwiseGroup group(graph, readers, follows, last);
    for (bool has_grown = true; has_grown && group.nodes().size() < kMaxGroup;) {
      has_grown = false;
      for (const std::size_t producer : producers_of(graph, group.nodes())) {
        const GraphNode& candidate = graph.nodes()[producer];
        const ValueId result = candidate.outputs[0];
        if (is_taken[producer] || is_output[result] || graph.value(result).is_constant) continue;
        if (!group.accepts(producer)) continue;
        group.add(producer);
        has_grown = true;
        break;
      }
    }
    if (group.nodes().size() == 1) continue;
    const std::vector<std::size_t> nodes(group.nodes().begin(), group.nodes().end());
    try {
      joined[last] = merged(graph, nodes, node.outputs);
    } catch (const text::ExpressionError&) {
      continue;  // the text is too long, or nested too deep: they stay by themselves
    }
    for (const std::size_t member : nodes) is_taken[member] = true;
  }

  GraphRewrite rewrite(graph);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    if (joined[n]) {
      GraphNode node = std::move(*joined[n]);
      node.inputs = rewrite.at(node.inputs);
      rewrite.add(std::move(node), graph.nodes()[n].outputs);
    } else if (!is_taken[n]) {
      rewrite.copy(n);
    }
  }
  return rewrite.finish();
}

}  // namespace nestwright
