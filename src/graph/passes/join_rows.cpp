#include <algorithm>
#include <optional>
#include <set>

#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/program/merge.h"
#include "graph/program/node_form.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

using Shape = std::vector<std::int64_t>;

/// Iterations of a statement, where there is a single row, which one thread computes.
constexpr std::int64_t kMaxSingleRow = 65'536;
constexpr std::size_t kMaxRowGroup = 32;  ///< nodes: the text of a kernel has a limit

/// Whether the first `rows` indices of the access are the first axes of the statement, in order.
bool is_of_row(const text::Access& access, const text::Stage& stage, const Shape& shape, std::size_t rows) {
  if (access.padding || access.indices.size() < rows || stage.axes.size() < rows) return false;
  for (std::size_t d = 0; d < rows; ++d) {
    const auto* axis = std::get_if<text::IndexValue>(&access.indices[d].value);
    const bool is_axis = axis != nullptr && axis->name == stage.axes[d].name;
    if (!is_axis && (shape[d] != 1 || stage.axes[d].extent != 1)) return false;
  }
  return true;
}

double iterations_of(const text::Stage& stage) {
  double iterations = 1;
  for (const std::vector<text::Axis>* axes : {&stage.axes, &stage.reduce_axes}) {
    for (const text::Axis& axis : *axes) iterations *= static_cast<double>(axis.extent);
  }
  return iterations;
}

/// Nodes that compute the same rows: the first dimensions of all of their tensors are these.
class RowGroup {
 public:
  RowGroup(const Graph& graph, const std::vector<std::vector<std::size_t>>& readers, std::size_t last, std::size_t rows)
      : graph_(graph), readers_(readers), nodes_{last} {
    const Shape& shape = graph.type(graph.nodes()[last].outputs[0]).shape;
    rows_.assign(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(rows));
  }

  const std::set<std::size_t>& nodes() const { return nodes_; }
  bool reduces() const {
    return std::any_of(nodes_.begin(), nodes_.end(),
                       [&](std::size_t number) { return !has_no_reduction(graph_.nodes()[number]); });
  }

  /// Whether the node computes rows in time that is proportional to their elements.
  bool computes_rows(std::size_t number) const {
    const GraphNode& node = graph_.nodes()[number];
    if (node.is_view() || node.outputs.size() != 1) return false;
    const double elements = most_elements(node);
    return std::all_of(node.program->stages.begin(), node.program->stages.end(), [&](const text::Stage& stage) {
      const double iterations = iterations_of(stage);
      const bool is_short = !rows_.empty() || iterations <= static_cast<double>(kMaxSingleRow);
      bool is_row = has_rows(stage) && iterations <= elements && is_short;
      text::for_each_access(stage.body, [&](const text::Access& access, const text::Term&, bool) {
        const text::TensorInfo& tensor = *node.program->find_tensor(access.tensor);
        is_row = is_row && (tensor.is_input || is_of_row(access, stage, tensor.shape, rows_.size()));
      });
      return is_row;
    });
  }

  /// Whether the node may join: the group alone reads its result, row by row.
  bool accepts(std::size_t number) const {
    if (!computes_rows(number)) return false;
    const ValueId result = graph_.nodes()[number].outputs[0];
    return std::all_of(readers_[result].begin(), readers_[result].end(), [&](std::size_t reader) {
      return nodes_.contains(reader) && reads_rows(graph_.nodes()[reader], result);
    });
  }
  void add(std::size_t number) { nodes_.insert(number); }

 private:
  /// Of the largest tensor of the node that is not constant. A product has more iterations.
  double most_elements(const GraphNode& node) const {
    std::int64_t most = 0;
    for (const text::TensorInfo& tensor : node.program->tensors) {
      if (!tensor.is_input) most = std::max(most, TensorType{tensor.type, tensor.shape}.elements());
    }
    for (const ValueId input : node.inputs) {
      if (!graph_.value(input).is_constant) most = std::max(most, graph_.type(input).elements());
    }
    return static_cast<double>(most);
  }

  bool has_rows(const text::Stage& stage) const {
    if (stage.axes.size() < rows_.size()) return false;
    for (std::size_t d = 0; d < rows_.size(); ++d) {
      if (stage.axes[d].extent != rows_[d]) return false;
    }
    return true;
  }

  bool reads_rows(const GraphNode& node, ValueId value) const {
    bool reads = true;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != value) continue;
      for (const text::Stage& stage : node.program->stages) {
        text::for_each_access(stage.body, [&](const text::Access& access, const text::Term&, bool) {
          if (access.tensor != input_name(node, i)) return;
          reads = reads && is_of_row(access, stage, node.program->find_tensor(access.tensor)->shape, rows_.size());
        });
      }
    }
    return reads;
  }

  const Graph& graph_;
  const std::vector<std::vector<std::size_t>>& readers_;
  std::set<std::size_t> nodes_;
  Shape rows_;
};

class RowJoiner {
 public:
  explicit RowJoiner(const Graph& graph) : graph_(graph), readers_(readers_of(graph)), is_output_(outputs_of(graph)) {}

  Graph run() {
    const std::size_t count = graph_.nodes().size();
    is_taken_.resize(count);
    std::vector<std::optional<GraphNode>> joined(count);  // at the place of the group's last node
    for (std::size_t last = count; last-- > 0;) joined[last] = joined_at(last);

    GraphRewrite rewrite(graph_);
    for (std::size_t n = 0; n < count; ++n) {
      if (joined[n]) {
        GraphNode node = std::move(*joined[n]);
        node.inputs = rewrite.at(node.inputs);
        rewrite.add(std::move(node), graph_.nodes()[n].outputs);
      } else if (!is_taken_[n]) {
        rewrite.copy(n);
      }
    }
    return rewrite.finish();
  }

 private:
  /// The node of the largest group that ends here; nullopt: none has several nodes, one of which reduces.
  std::optional<GraphNode> joined_at(std::size_t last) {
    const GraphNode& node = graph_.nodes()[last];
    if (is_taken_[last] || node.is_view() || node.outputs.size() != 1) return std::nullopt;
    if (graph_.value(node.outputs[0]).is_constant) return std::nullopt;
    const std::size_t rank = graph_.type(node.outputs[0]).shape.size();
    for (std::size_t rows = rank; rows-- > 0;) {
      RowGroup group(graph_, readers_, last, rows);
      if (!group.computes_rows(last)) continue;
      grow(group);
      if (group.nodes().size() == 1 || !group.reduces()) continue;
      const std::vector<std::size_t> nodes(group.nodes().begin(), group.nodes().end());
      try {
        GraphNode made = merged(graph_, nodes, node.outputs);
        for (const std::size_t member : nodes) is_taken_[member] = true;
        return made;
      } catch (const text::ExpressionError&) {
        return std::nullopt;  // the text is too long: they stay by themselves
      }
    }
    return std::nullopt;
  }

  void grow(RowGroup& group) const {
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      const std::set<std::size_t> nodes = group.nodes();
      for (const std::size_t number : nodes) {
        for (const ValueId input : graph_.nodes()[number].inputs) {
          const auto producer = graph_.value(input).node;
          if (!producer || is_taken_[*producer] || group.nodes().contains(*producer)) continue;
          if (group.nodes().size() >= kMaxRowGroup) return;
          if (is_output_[input] || graph_.value(input).is_constant || !group.accepts(*producer)) continue;
          group.add(*producer);
          has_grown = true;
        }
      }
    }
  }

  const Graph& graph_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<bool> is_output_, is_taken_;
};

}  // namespace

Graph join_rows(const Graph& graph) { return RowJoiner(graph).run(); }

}  // namespace nestwright
