#include "network/variant.h"

#include <algorithm>

#include "graph/grouping/grouping.h"
#include "graph/layout/with_layouts.h"
#include "graph/passes/passes.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

[[noreturn]] void refuse() { throw UsageError("the network's variant is one of another graph: tune the model again"); }

Graph regrouped(const Graph& joined, const std::vector<NetworkVariant::Grouping>& groupings) {
  if (groupings.empty()) return joined;
  const std::vector<GroupingSite> sites = grouping_sites(joined);
  std::vector<bool> chosen;
  for (const GroupingSite& site : sites) {
    chosen.push_back(std::ranges::find(groupings, NetworkVariant::Grouping{site.kind, site.nodes}) != groupings.end());
  }
  if (std::ranges::count(chosen, true) != static_cast<std::ptrdiff_t>(groupings.size())) refuse();
  return with_groupings(joined, sites, chosen);
}

}  // namespace

Graph kernels_of_variant(const Graph& joined, const NetworkVariant& variant) {
  const Graph grouped = regrouped(joined, variant.groupings);
  if (variant.blocked.empty()) return named(grouped);
  std::vector<int> blocks;
  Layouts layouts(grouped.nodes().size(), 0);
  for (const auto& [block, nodes] : variant.blocked) {
    if (block < 2 || (!blocks.empty() && block % blocks.back() != 0)) refuse();
    blocks.push_back(block);
    for (const std::size_t node : nodes) {
      if (node >= layouts.size()) refuse();
      layouts[node] = block;
    }
  }
  const std::vector<Layouts> possible = possible_layouts(grouped, blocks);
  for (std::size_t n = 0; n < layouts.size(); ++n) {
    if (std::ranges::find(possible[n], layouts[n]) == possible[n].end()) refuse();
  }
  return named(with_layouts(grouped, layouts).graph);
}

}  // namespace nestwright
