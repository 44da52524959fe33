// A tensor that a product adds to its result is added by the node that reads the result, if that is no product: a norm
// reads both tensors, and the product has one operand less.
#include <algorithm>
#include <string>
#include <utility>

#include "graph/grouping/kinds.h"
#include "graph/grouping/row_chains.h"
#include "graph/program/edit.h"
#include "graph/program/linear_form.h"
#include "graph/program/merge.h"
#include "graph/program/node_form.h"
#include "graph/program/placement.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

/// The number of the input that the node adds to the rest of its result, element by element; nullopt if there is none.
std::optional<std::size_t> added_input(const Graph& graph, const GraphNode& node) {
  const text::Stage& last = node.program->stages.back();
  const TensorType& result = graph.type(node.outputs[0]);
  if (last.reduction) return std::nullopt;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string& name = input_name(node, i);
    const bool may_be_added = graph.type(node.inputs[i]) == result && !graph.value(node.inputs[i]).is_constant &&
                              count_reads(*node.program, name) == 1 && reads_in_place(*node.program, name);
    const auto form = may_be_added ? linear_form(last.body, name) : std::nullopt;
    if (form && !form->scale && form->offset) return i;
  }
  return std::nullopt;
}

/// The node without that term.
GraphNode without_added(const GraphNode& node, std::size_t input) {
  text::Program program = *node.program;
  text::Term& body = program.stages.back().body;
  body = *linear_form(body, input_name(node, input))->offset;
  return changed_node(node, std::move(program));
}

/// "Y[i0,i1]=X[i0,i1]+R[i0,i1]"
std::string addition_text(std::size_t rank) {
  std::string indices;
  for (std::size_t d = 0; d < rank; ++d) indices += (d == 0 ? "i" : ",i") + std::to_string(d);
  return "Y[" + indices + "]=X[" + indices + "]+R[" + indices + "]";
}

/// Adds the product without the addition, and its reader with it, to `to`, in which `at` gives the place of a value.
/// Returns the value of the reader's result.
template <class At>
ValueId add_moved(const Graph& joined, const std::vector<std::size_t>& nodes, Graph& to, const At& at) {
  const GraphNode &product = joined.nodes()[nodes[0]], &reader = joined.nodes()[nodes[1]];
  const std::size_t input = *added_input(joined, product);
  GraphNode rest = without_added(product, input);
  for (ValueId& value : rest.inputs) value = at(value);
  const ValueId partial = to.add_node(std::move(rest)).front();
  const ValueId sum = to.apply("Add", addition_text(joined.type(product.outputs[0]).shape.size()),
                               {{"X", partial}, {"R", at(product.inputs[input])}});
  const std::size_t addition = *to.value(sum).node;
  GraphNode copy = reader;
  for (ValueId& value : copy.inputs) value = value == product.outputs[0] ? sum : at(value);
  const ValueId result = to.add_node(std::move(copy)).front();
  const std::vector<std::size_t> both{addition, *to.value(result).node};
  return to.add_node(merged(to, both, {result})).front();
}

bool can_move(const Graph& joined, const std::vector<std::size_t>& nodes) {
  Graph tried;
  std::map<ValueId, ValueId> places;
  const auto at = [&](ValueId value) {
    const auto [place, is_new] = places.try_emplace(value);
    if (is_new) place->second = tried.add_input("", joined.type(value));
    return place->second;
  };
  try {
    add_moved(joined, nodes, tried, at);
    return true;
  } catch (const text::ExpressionError&) {
    return false;
  }
}

}  // namespace

std::vector<std::vector<std::size_t>> find_residuals(const Graph& joined) {
  const RowChains chains(joined);
  std::vector<std::vector<std::size_t>> sites;
  for (std::size_t n = 0; n < joined.nodes().size(); ++n) {
    const GraphNode& node = joined.nodes()[n];
    if (node.is_view() || node.outputs.size() != 1 || has_no_reduction(node)) continue;
    const auto reader = chains.only_reader(n);
    if (!reader || joined.nodes()[*reader].is_view() || joined.nodes()[*reader].outputs.size() != 1) continue;
    if (is_placement(joined.nodes()[*reader])) continue;  // that costs nothing, but as an addition it would
    const bool repeats = multiply_adds(*joined.nodes()[*reader].program) >
                         4.0 * static_cast<double>(joined.type(node.outputs[0]).elements());
    const auto input = repeats ? std::nullopt : added_input(joined, node);
    if (input && can_move(joined, {n, *reader})) sites.push_back({n, *reader});
  }
  return sites;
}

void move_residual(const Graph& joined, const std::vector<std::size_t>& nodes, GraphRewrite& rewrite) {
  const ValueId result = add_moved(joined, nodes, rewrite.to(), [&](ValueId value) { return rewrite.at(value); });
  rewrite.replace(joined.nodes()[nodes[1]].outputs[0], result);
}

}  // namespace nestwright
