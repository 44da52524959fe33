#include "graph/layout/with_layouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "graph/layout/blocked_node.h"
#include "graph/layout/blocked_shape.h"
#include "graph/layout/conversion.h"
#include "graph/passes/rewrite.h"
#include "graph/program/node_form.h"
#include "graph/program/placement.h"
#include "graph/program/units.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

class LayoutRewrite {
 public:
  LayoutRewrite(const Graph& graph, const Layouts& layouts) : graph_(graph), layouts_(layouts), rewrite_(graph) {
    check(layouts.size() == graph.nodes().size(), "each node has a layout");
  }

  GraphInLayouts run() {
    for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
      const GraphNode& node = graph_.nodes()[n];
      if (layouts_[n] == 0) {
        for (const ValueId input : node.inputs) value_in(input, 0);
        rewrite_.copy(n);
        add_origin({.node = n, .conversion = {}});
      } else if (node.is_view()) {
        add_view(node, layouts_[n]);
      } else {
        add_blocked(node, layouts_[n]);
        add_origin({.node = n, .conversion = {}});
      }
    }
    for (const GraphPort& output : graph_.outputs()) value_in(output.value, 0);
    GraphInLayouts result{rewrite_.finish(), std::move(kernels_)};
    const auto counts = [&](const GraphNode& node) { return is_kernel(result.graph, node); };
    check(std::ranges::count_if(result.graph.nodes(), counts) == std::ssize(result.kernels), "outputs need all nodes");
    return result;
  }

 private:
  /// Notes what the kernel that was just added computes; nothing if no kernel was added.
  void add_origin(const KernelOrigin& origin) {
    const std::vector<GraphNode>& nodes = rewrite_.to().nodes();
    const auto first = nodes.begin() + static_cast<std::ptrdiff_t>(seen_nodes_);
    const bool has_kernel =
        std::any_of(first, nodes.end(), [&](const GraphNode& node) { return is_kernel(rewrite_.to(), node); });
    if (has_kernel) kernels_.push_back(origin);
    seen_nodes_ = nodes.size();
  }

  /// The layout in which a value is computed.
  int computed_layout(ValueId value) const {
    const GraphValue& info = graph_.value(value);
    if (!info.node || info.is_constant) return 0;
    return has_blocks(info.type.shape, layouts_[*info.node]) ? layouts_[*info.node] : 0;
  }

  /// The value of the new graph that is one of the old graph in a layout. Converts it when it is first asked for.
  ValueId value_in(ValueId old, int layout) {
    if (const auto known = known_.find({old, layout}); known != known_.end()) return known->second;
    const int from = computed_layout(old);
    if (from == layout) return rewrite_.at(old);  // 0
    const ValueId source = value_in(old, from);
    const ValueId converted = add_conversion(rewrite_.to(), source, graph_.type(old).shape, from, layout);
    add_origin({.node = {}, .conversion = LayoutConversion{old, from, layout}});
    set_value(old, layout, converted);
    return converted;
  }

  void set_value(ValueId old, int layout, ValueId value) {
    known_[{old, layout}] = value;
    if (layout == 0) return rewrite_.replace(old, value);
    if (rewrite_.to().value(value).name.empty()) rewrite_.to().set_name(value, graph_.value(old).name);
  }

  void add_view(const GraphNode& view, int layout) {
    const ValueId source = value_in(view.inputs[0], layout), result = view.outputs[0];
    set_value(result, layout, rewrite_.to().reshape(source, shape_in(graph_.type(result).shape, layout), view.label));
  }

  void add_blocked(const GraphNode& node, int layout) {
    std::optional<BlockedNode> blocked = blocked_node(graph_, node, layout);
    check(blocked.has_value(), "a node has a layout that it may have");
    GraphNode added = std::move(blocked->node);
    for (std::size_t i = 0; i < added.inputs.size(); ++i) {
      added.inputs[i] = operand(added.inputs[i], blocked->split.tensors.at(input_name(added, i)), layout);
    }
    const std::vector<ValueId> old = added.outputs;
    if (!is_placement(added)) {
      if (std::optional<GraphNode> smaller = node_without_units(added)) added = std::move(*smaller);
    }
    const std::vector<ValueId> results = rewrite_.add_with_views(std::move(added));
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::vector<std::int64_t>& shape = graph_.type(old[i]).shape;
      const int result_layout = has_blocks(shape, layout) ? layout : 0;
      set_value(old[i], result_layout, rewrite_.to().reshape(results[i], shape_in(shape, result_layout)));
    }
  }

  /// The value of the new graph that a blocked node reads for one of the old graph.
  ValueId operand(ValueId old, const DividedTensor& divided, int layout) {
    const TensorType& type = graph_.type(old);
    const std::vector<std::int64_t> shape = divided_shape(divided, type.shape, layout);
    if (!graph_.value(old).is_constant) {
      return rewrite_.to().reshape(value_in(old, has_blocks(type.shape, layout) ? layout : 0), shape);
    }
    if (is_view_of_file(divided)) return rewrite_.to().reshape(rewrite_.at(old), shape);
    const auto [at, is_new] = packed_.try_emplace({old, pack_expression(divided, shape, layout)});
    if (is_new) at->second = rewrite_.to().apply("Pack", at->first.second, {{"W", rewrite_.at(old)}});
    return at->second;
  }

  /// Y[i0,i1,i2,i3]=W[16*i0+i3,16*i1+i2] and its sizes.
  static std::string pack_expression(const DividedTensor& divided, const std::vector<std::int64_t>& shape, int layout) {
    std::map<std::size_t, std::string> indices;
    std::vector<std::string> axes;
    std::string sizes;
    for (std::size_t d = 0; d < divided.size(); ++d) {
      axes.push_back(fmt::format("i{}", d));
      sizes += fmt::format(" i{}={}", d, shape[d]);
      const bool is_block = divided[d].part == DividedDimension::Part::kBlocks;
      std::string& index = indices[divided[d].of];
      index += (index.empty() ? "" : "+") + (is_block ? fmt::format("{}*i{}", layout, d) : axes.back());
    }
    std::vector<std::string> reads;
    for (const auto& [dimension, index] : indices) reads.push_back(index);
    return fmt::format("Y[{}]=W[{}]{}", fmt::join(axes, ","), fmt::join(reads, ","), sizes);
  }

  const Graph& graph_;
  const Layouts& layouts_;
  GraphRewrite rewrite_;
  std::map<std::pair<ValueId, int>, ValueId> known_;  // values of the new graph by old value and layout
  std::vector<KernelOrigin> kernels_;
  std::size_t seen_nodes_ = 0;                                 // of the new graph, whose origins are known
  std::map<std::pair<ValueId, std::string>, ValueId> packed_;  // constants by old value and expression
};

}  // namespace

GraphInLayouts with_layouts(const Graph& graph, const Layouts& layouts) { return LayoutRewrite(graph, layouts).run(); }

}  // namespace nestwright
