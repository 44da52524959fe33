// Several products or convolutions of one input as one: their filters follow each other in its constants, and their
// results in its result, of which they are parts along the first dimension, which cost nothing.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "graph/grouping/filters.h"
#include "graph/grouping/kinds.h"
#include "graph/program/edit.h"
#include "graph/program/merge.h"
#include "graph/program/node_form.h"
#include "graph/program/placement.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr std::size_t kMaxSiblings = 32;  ///< the text of a concatenation has a limit
constexpr std::int64_t kSomeFilters = 2;  ///< in the form in which nodes of different numbers of filters are compared

/// A node in the form in which its filters are joined with those of others.
struct FilterForm {
  text::Program program;  ///< that reads inputs under the names of the node
  FilterDimensions dimensions;
  std::int64_t filters = 1;  ///< the first dimension of its result
  bool is_stacked = false;   ///< the first dimension was added
};

bool is_constant(const Graph& graph, const GraphNode& node, std::size_t input) {
  return graph.value(node.inputs[input]).is_constant;
}

/// The form in which the first dimension of the result is that of the filters; nullopt if it is not.
std::optional<FilterForm> form_of_filters(const Graph& graph, const GraphNode& node) {
  const auto dimensions = filter_dimensions(*node.program);
  if (!dimensions) return std::nullopt;
  bool has_filters = false;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if ((*dimensions)[i] && !is_constant(graph, node, i)) return std::nullopt;
    has_filters = has_filters || (*dimensions)[i];
  }
  if (!has_filters) return std::nullopt;
  return FilterForm{*node.program, *dimensions, graph.type(node.outputs[0]).shape[0], false};
}

/// The form in which the node is one filter, whose constants are all its own.
FilterForm stacked_form(const Graph& graph, const GraphNode& node) {
  std::set<std::string> own;
  FilterForm form{.dimensions = FilterDimensions(node.inputs.size()), .is_stacked = true};
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!is_constant(graph, node, i)) continue;
    own.insert(input_name(node, i));
    form.dimensions[i] = 0;
  }
  form.program = as_one_filter(*node.program, own);
  return form;
}

/// What nodes to join have in common: the expression, but for the number of filters, and the inputs that all read.
std::string key_of(const Graph& graph, const GraphNode& node, const FilterForm& form) {
  GraphNode compared = node;
  compared.program =
      std::make_shared<const text::Program>(checked(with_filters(form.program, form.dimensions, kSomeFilters)));
  std::vector<bool> constants;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) constants.push_back(is_constant(graph, node, i));
  std::string key = graph.expression_of(with_canonical_names(compared, constants));
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    key += form.dimensions[i] ? " *" : fmt::format(" {}", node.inputs[i]);
  }
  return key;
}

std::size_t most_dimensions(const GraphNode& node) {
  std::size_t most = 0;
  for (const text::TensorInfo& tensor : node.program->tensors) most = std::max(most, tensor.shape.size());
  return most;
}

class Siblings {
 public:
  explicit Siblings(const Graph& graph)
      : graph_(graph), readers_(readers_of(graph)), is_output_(outputs_of(graph)), is_taken_(graph.nodes().size()) {}

  /// A product or a convolution with constants, whose result other kernels read where it lies.
  bool may_join(std::size_t number) const {
    const GraphNode& node = graph_.nodes()[number];
    if (is_taken_[number] || node.is_view() || node.outputs.size() != 1 || has_no_reduction(node)) return false;
    const ValueId result = node.outputs[0];
    const std::vector<std::int64_t>& shape = graph_.type(result).shape;
    if (is_output_[result] || graph_.value(result).is_constant || shape.empty()) return false;
    if (most_dimensions(node) >= text::kMaxRank) return false;  // stacked, there is one more
    if (multiply_adds(*node.program) < 2.0 * static_cast<double>(graph_.type(result).elements())) return false;
    return std::ranges::none_of(readers_[result], [&](std::size_t reader) {
      return !graph_.nodes()[reader].is_view() && concatenation_offsets(graph_.nodes()[reader]);
    });
  }

  /// Appends the groups of nodes whose forms `form_of(node)` can be joined.
  template <class FormOf>
  void add_groups(const FormOf& form_of, std::vector<std::vector<std::size_t>>& groups) {
    std::map<std::string, std::vector<std::size_t>> by_key;
    for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
      if (!may_join(n)) continue;
      const std::optional<FilterForm> form = form_of(graph_.nodes()[n]);
      if (form) by_key[key_of(graph_, graph_.nodes()[n], *form)].push_back(n);
    }
    for (const auto& [key, nodes] : by_key) {
      if (nodes.size() < 2 || nodes.size() > kMaxSiblings) continue;
      for (const std::size_t node : nodes) is_taken_[node] = true;
      groups.push_back(nodes);
    }
  }

 private:
  const Graph& graph_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<bool> is_output_, is_taken_;
};

/// The forms of nodes that are joined, the same for all.
std::vector<FilterForm> forms_of(const Graph& graph, const std::vector<std::size_t>& nodes) {
  std::vector<FilterForm> forms;
  for (const std::size_t n : nodes) {
    const std::optional<FilterForm> form = form_of_filters(graph, graph.nodes()[n]);
    if (form) forms.push_back(*form);
  }
  bool have_filters = forms.size() == nodes.size();
  for (std::size_t n = 1; n < nodes.size() && have_filters; ++n) {
    have_filters = key_of(graph, graph.nodes()[nodes[0]], forms[0]) == key_of(graph, graph.nodes()[nodes[n]], forms[n]);
  }
  if (have_filters) return forms;
  forms.clear();
  for (const std::size_t n : nodes) forms.push_back(stacked_form(graph, graph.nodes()[n]));
  return forms;
}

std::string indices_text(std::size_t rank) {
  std::string text;
  for (std::size_t d = 0; d < rank; ++d) text += fmt::format("{}i{}", d == 0 ? "" : ",", d);
  return text;
}

/// The constants behind each other along a dimension.
ValueId concatenated_constants(Graph& graph, const std::vector<ValueId>& parts, std::size_t along) {
  const std::vector<std::int64_t> shape = graph.type(parts[0]).shape;
  std::vector<std::string> names;
  for (std::size_t p = 0; p < parts.size(); ++p) names.push_back(fmt::format("X{}", p));
  std::vector<GraphOperand> operands;
  std::string body;
  std::int64_t begin = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    std::string read;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      read += fmt::format("{}i{}", d == 0 ? "" : ",", d);
      if (d == along && begin > 0) read += fmt::format("-{}", begin);
    }
    begin += graph.type(parts[p]).shape[along];
    const bool is_last = p + 1 == parts.size();
    body += is_last ? fmt::format("X{}[{}]", p, read) : fmt::format("select(i{}<{},X{}[{}],", along, begin, p, read);
    operands.push_back({names[p], parts[p]});
  }
  body += std::string(parts.size() - 1, ')');
  std::string text = fmt::format("Y[{}]={}", indices_text(shape.size()), body);
  for (std::size_t d = 0; d < shape.size(); ++d) text += fmt::format(" i{}={}", d, d == along ? begin : shape[d]);
  return graph.apply("Concat", text, operands);
}

/// The elements from `begin` on along the first dimension.
ValueId part_of(Graph& graph, ValueId whole, std::int64_t begin, const std::vector<std::int64_t>& shape) {
  std::string read = begin == 0 ? "i0" : fmt::format("i0+{}", begin);
  for (std::size_t d = 1; d < shape.size(); ++d) read += fmt::format(",i{}", d);
  std::string text = fmt::format("Y[{}]=X[{}]", indices_text(shape.size()), read);
  for (std::size_t d = 0; d < shape.size(); ++d) text += fmt::format(" i{}={}", d, shape[d]);
  return graph.apply("Slice", text, {{"X", whole}});
}

}  // namespace

std::vector<std::vector<std::size_t>> find_siblings(const Graph& joined) {
  Siblings siblings(joined);
  std::vector<std::vector<std::size_t>> groups;
  siblings.add_groups([&](const GraphNode& node) { return form_of_filters(joined, node); }, groups);
  siblings.add_groups([&](const GraphNode& node) { return std::optional(stacked_form(joined, node)); }, groups);
  std::ranges::sort(groups);
  return groups;
}

void join_siblings(const Graph& joined, const std::vector<std::size_t>& nodes, GraphRewrite& rewrite) {
  const std::vector<FilterForm> forms = forms_of(joined, nodes);
  const FilterForm& form = forms[0];
  Graph& to = rewrite.to();
  std::int64_t filters = 0;
  for (const FilterForm& other : forms) filters += other.filters;

  GraphNode node = joined.nodes()[nodes[0]];
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!form.dimensions[i]) {
      node.inputs[i] = rewrite.at(node.inputs[i]);
      continue;
    }
    std::vector<ValueId> parts;
    for (const std::size_t n : nodes) {
      const ValueId constant = rewrite.at(joined.nodes()[n].inputs[i]);
      std::vector<std::int64_t> shape = to.type(constant).shape;
      shape.insert(shape.begin(), 1);
      parts.push_back(form.is_stacked ? to.reshape(constant, shape) : constant);
    }
    node.inputs[i] = concatenated_constants(to, parts, *form.dimensions[i]);
  }
  node.program = std::make_shared<const text::Program>(checked(with_filters(form.program, form.dimensions, filters)));
  node.outputs.clear();
  const ValueId whole = to.add_node(std::move(node)).front();

  std::int64_t begin = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const ValueId result = joined.nodes()[nodes[n]].outputs[0];
    std::vector<std::int64_t> shape = to.type(whole).shape;
    shape[0] = forms[n].filters;
    const ValueId part = part_of(to, whole, begin, shape);
    begin += forms[n].filters;
    rewrite.replace(result, form.is_stacked ? to.reshape(part, joined.type(result).shape) : part);
  }
}

}  // namespace nestwright
