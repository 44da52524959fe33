#include "graph/layout/possible_layouts.h"

#include <numeric>
#include <set>

#include "graph/layout/blocked_node.h"
#include "graph/layout/blocked_shape.h"
#include "graph/passes/rewrite.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

/// Sets of nodes, each with the nodes that are connected.
class ConnectedNodes {
 public:
  explicit ConnectedNodes(std::size_t nodes) : parents_(nodes) { std::iota(parents_.begin(), parents_.end(), 0); }
  std::size_t set_of(std::size_t node) {
    while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
    return node;
  }
  void connect(std::size_t a, std::size_t b) { parents_[set_of(a)] = set_of(b); }

 private:
  std::vector<std::size_t> parents_;
};

struct NodeForm {
  bool can_follow = false, is_convolution = false;
};

NodeForm form_of(const Graph& graph, const GraphNode& node, int block) {
  if (graph.value(node.outputs[0]).is_constant) return {};
  if (node.is_view()) {
    return {.can_follow =
                view_keeps_blocks(graph.type(node.inputs[0]).shape, graph.type(node.outputs[0]).shape, block)};
  }
  const std::optional<BlockedNode> blocked = blocked_node(graph, node, block);
  return {.can_follow = blocked.has_value(), .is_convolution = blocked && blocked->split.is_convolution};
}

/// For each node whether it may have blocks of this size.
std::vector<bool> nodes_with_blocks(const Graph& graph, int block) {
  const std::size_t count = graph.nodes().size();
  std::vector<NodeForm> forms;
  for (const GraphNode& node : graph.nodes()) forms.push_back(form_of(graph, node, block));
  ConnectedNodes connected(count);
  for (std::size_t n = 0; n < count; ++n) {
    for (const ValueId input : graph.nodes()[n].inputs) {
      const auto producer = graph.value(input).node;
      const bool is_blocked = producer && has_blocks(graph.type(input).shape, block);
      if (is_blocked && forms[n].can_follow && forms[*producer].can_follow) connected.connect(n, *producer);
    }
  }
  std::vector<bool> has_convolution(count), result(count);
  for (std::size_t n = 0; n < count; ++n) {
    if (forms[n].is_convolution) has_convolution[connected.set_of(n)] = true;
  }
  for (std::size_t n = 0; n < count; ++n) result[n] = forms[n].can_follow && has_convolution[connected.set_of(n)];
  return result;
}

}  // namespace

std::vector<Layouts> possible_layouts(const Graph& graph, std::span<const int> blocks) {
  std::vector<Layouts> layouts(graph.nodes().size(), Layouts{0});
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const int block = blocks[b];
    check(block > 1 && (b == 0 || block % blocks[b - 1] == 0), "a block is a multiple of the one before");
    const std::vector<bool> has_blocks = nodes_with_blocks(graph, block);
    for (std::size_t n = 0; n < layouts.size(); ++n) {
      if (has_blocks[n]) layouts[n].push_back(block);
    }
  }
  return layouts;
}

std::vector<LayoutConversion> possible_conversions(const Graph& graph, const std::vector<Layouts>& possible) {
  const std::vector<std::vector<std::size_t>> readers = readers_of(graph);
  const std::vector<bool> is_output = outputs_of(graph);
  std::vector<LayoutConversion> conversions;
  for (ValueId value = 0; value < graph.values().size(); ++value) {
    if (graph.value(value).is_constant) continue;
    const auto layouts_of = [&](std::size_t node, std::set<int>& layouts) {
      for (const int layout : possible[node]) {
        layouts.insert(has_blocks(graph.type(value).shape, layout) ? layout : 0);
      }
    };
    std::set<int> computed, needed;
    if (const auto producer = graph.value(value).node) {
      layouts_of(*producer, computed);
    } else {
      computed.insert(0);
    }
    for (const std::size_t reader : readers[value]) layouts_of(reader, needed);
    if (is_output[value]) needed.insert(0);
    for (const int from : computed) {
      for (const int to : needed) {
        if (from != to) conversions.push_back({value, from, to});
      }
    }
  }
  return conversions;
}

}  // namespace nestwright
