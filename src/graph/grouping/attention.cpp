#include <optional>

#include "graph/grouping/kinds.h"
#include "graph/grouping/row_chains.h"

namespace nestwright {

std::vector<std::vector<std::size_t>> find_attentions(const Graph& joined) {
  const RowChains chains(joined);
  std::vector<std::vector<std::size_t>> sites;
  for (std::size_t scores = 0; scores < joined.nodes().size(); ++scores) {
    const auto rows = chains.reducer_of(scores);
    const auto product = rows ? chains.product_of(*rows) : std::nullopt;
    if (product && can_merge(joined, {scores, *rows, *product})) sites.push_back({scores, *rows, *product});
  }
  return sites;
}

std::vector<std::vector<std::size_t>> find_reduced_products(const Graph& joined) {
  const RowChains chains(joined);
  std::vector<std::vector<std::size_t>> sites;
  for (std::size_t product = 0; product < joined.nodes().size(); ++product) {
    const auto rows = chains.reducer_of(product);
    if (rows && can_merge(joined, {product, *rows})) sites.push_back({product, *rows});
  }
  return sites;
}

std::vector<std::vector<std::size_t>> find_products_of_rows(const Graph& joined) {
  const RowChains chains(joined);
  std::vector<std::vector<std::size_t>> sites;
  for (std::size_t rows = 0; rows < joined.nodes().size(); ++rows) {
    const GraphNode& node = joined.nodes()[rows];
    const bool may_reduce = !node.is_view() && node.outputs.size() == 1;
    const auto product = may_reduce ? chains.product_of(rows) : std::nullopt;
    if (!product) continue;
    bool reduces = false;
    for (const ValueId input : node.inputs) reduces = reduces || chains.reduces_rows(rows, input);
    if (reduces && can_merge(joined, {rows, *product})) sites.push_back({rows, *product});
  }
  return sites;
}

}  // namespace nestwright
