#include "network/variant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "graph/grouping/grouping.h"
#include "graph/layout/with_layouts.h"
#include "graph/passes/passes.h"
#include "graph/program/node_form.h"
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

std::string label_of(const Graph& graph, std::size_t node) {
  if (node >= graph.nodes().size()) refuse();
  return label_or_op(graph.nodes()[node]);
}

}  // namespace

std::vector<std::string> describe_variant(const Graph& joined, const NetworkVariant& variant) {
  std::map<std::string, std::vector<std::string>> labels;
  for (const NetworkVariant::Grouping& grouping : variant.groupings) {
    labels[grouping.kind].push_back(label_of(joined, grouping.nodes.at(0)));
  }
  const Graph grouped = regrouped(joined, variant.groupings);
  for (const auto& [block, nodes] : variant.blocked) {
    for (const std::size_t node : nodes) {
      if (label_of(grouped, node).empty()) continue;  // a view
      labels[fmt::format("channels in blocks of {}", block)].push_back(label_of(grouped, node));
    }
  }
  std::vector<std::string> lines;
  for (const auto& [what, of] : labels) lines.push_back(fmt::format("{}: {}", what, fmt::join(of, ", ")));
  return lines;
}

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
