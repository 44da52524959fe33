#include "graph/grouping/kinds.h"

#include <utility>

#include "graph/program/merge.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

constexpr GroupingRule kRules[] = {
    {{"attention", "a product, its rows normalised, and their product as one"}, find_attentions, merge_nodes},
    {{"reduced-product", "a product and the rows reduced from it as one"}, find_reduced_products, merge_nodes},
    {{"product-of-rows", "rows and the product that reads them as one"}, find_products_of_rows, merge_nodes},
    {{"siblings", "products or convolutions of one input as one, with all their filters"},
     find_siblings,
     join_siblings},
    {{"residual", "a tensor added by the node that reads the sum"}, find_residuals, move_residual},
    {{"scaled-weights", "scales of channels multiplied by the weights of their reader"},
     find_scaled_weights,
     scale_weights},
};

}  // namespace

std::span<const GroupingRule> grouping_rules() { return kRules; }

void merge_nodes(const Graph& joined, const std::vector<std::size_t>& nodes, GraphRewrite& rewrite) {
  const std::vector<ValueId>& results = joined.nodes()[nodes.back()].outputs;
  GraphNode node = merged(joined, nodes, results);
  const std::vector<ValueId> old = node.outputs;
  node.inputs = rewrite.at(node.inputs);
  rewrite.add(std::move(node), old);
}

bool can_merge(const Graph& joined, const std::vector<std::size_t>& nodes) {
  try {
    merged(joined, nodes, joined.nodes()[nodes.back()].outputs);
    return true;
  } catch (const text::ExpressionError&) {
    return false;
  }
}

}  // namespace nestwright
