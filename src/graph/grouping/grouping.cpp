#include "graph/grouping/grouping.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "graph/grouping/kinds.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/program/placement.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

const GroupingRule& rule_of(const GroupingSite& site) {
  const auto found =
      std::ranges::find_if(grouping_rules(), [&](const GroupingRule& r) { return site.kind == r.kind.name; });
  check(found != grouping_rules().end(), "a site has a kind of the table");
  return *found;
}

/// Copies a graph in its order, but for nodes that others need earlier.
class Regrouping {
 public:
  Regrouping(const Graph& graph, std::span<const GroupingSite> sites, const std::vector<bool>& chosen)
      : graph_(graph), sites_(sites), rewrite_(graph), site_of_(graph.nodes().size()), is_done_(graph.nodes().size()) {
    for (std::size_t s = 0; s < sites.size(); ++s) {
      const auto is_free = [&](std::size_t node) { return !site_of_[node]; };
      if (!chosen[s] || !std::ranges::all_of(sites[s].nodes, is_free)) continue;
      for (const std::size_t node : sites[s].nodes) site_of_[node] = s;
    }
  }

  Graph run() {
    for (std::size_t n = 0; n < graph_.nodes().size(); ++n) require_node(n);
    return rewrite_.finish();
  }

 private:
  void require_node(std::size_t number) {
    if (is_done_[number]) return;
    const std::optional<std::size_t> site = site_of_[number];
    const std::vector<std::size_t> nodes = site ? sites_[*site].nodes : std::vector<std::size_t>{number};
    for (const std::size_t node : nodes) is_done_[node] = true;
    for (const std::size_t node : nodes) {
      for (const ValueId input : graph_.nodes()[node].inputs) {
        if (const auto producer = graph_.value(input).node) require_node(*producer);
      }
    }
    if (site) {
      rule_of(sites_[*site]).change(graph_, nodes, rewrite_);
    } else {
      rewrite_.copy(number);
    }
  }

  const Graph& graph_;
  std::span<const GroupingSite> sites_;
  GraphRewrite rewrite_;
  std::vector<std::optional<std::size_t>> site_of_;
  std::vector<bool> is_done_;
};

bool is_task(const Graph& graph, const GraphNode& node) {
  return !node.is_view() && !graph.value(node.outputs[0]).is_constant && !is_placement(node);
}

/// What the tasks of a site depend on: the expressions of its nodes, and which values they have in common.
std::pair<std::vector<std::string>, std::vector<std::size_t>> pattern_of(const Graph& named_graph, const Graph& joined,
                                                                         const GroupingSite& site) {
  std::vector<std::string> texts{site.kind};
  std::map<ValueId, std::size_t> numbers;
  std::vector<std::size_t> values;
  for (const std::size_t n : site.nodes) {
    const GraphNode& node = named_graph.nodes()[n];
    texts.push_back(node.is_view() ? "" : named_graph.expression_of(node));
    for (const std::vector<ValueId>* list : {&joined.nodes()[n].inputs, &joined.nodes()[n].outputs}) {
      for (const ValueId value : *list) values.push_back(numbers.emplace(value, numbers.size()).first->second);
    }
  }
  return {std::move(texts), std::move(values)};
}

/// The tasks of the nodes of a changed graph whose programs `joined` does not have.
std::vector<std::string> new_tasks(const Graph& joined, const Graph& changed) {
  std::set<const text::Program*> known;
  for (const GraphNode& node : joined.nodes()) known.insert(node.program.get());
  const Graph named_graph = named(changed);
  check(named_graph.nodes().size() == changed.nodes().size(), "naming keeps the nodes");
  std::vector<std::string> tasks;
  for (std::size_t n = 0; n < changed.nodes().size(); ++n) {
    const GraphNode& node = named_graph.nodes()[n];
    if (!known.contains(changed.nodes()[n].program.get()) && is_task(named_graph, node)) {
      tasks.push_back(named_graph.expression_of(node));
    }
  }
  return tasks;
}

}  // namespace

std::vector<GroupingKind> grouping_kinds() {
  std::vector<GroupingKind> kinds;
  for (const GroupingRule& rule : grouping_rules()) kinds.push_back(rule.kind);
  return kinds;
}

std::vector<GroupingSite> grouping_sites(const Graph& joined) {
  std::vector<GroupingSite> sites;
  for (const GroupingRule& rule : grouping_rules()) {
    for (std::vector<std::size_t>& nodes : rule.find(joined)) sites.push_back({rule.kind.name, std::move(nodes)});
  }
  return sites;
}

Graph with_groupings(const Graph& joined, std::span<const GroupingSite> sites, const std::vector<bool>& chosen) {
  check(sites.size() == chosen.size(), "each site is chosen or not");
  return Regrouping(joined, sites, chosen).run();
}

std::vector<GroupingTasks> grouping_tasks(const Graph& joined, std::span<const GroupingSite> sites) {
  const Graph named_graph = named(joined);
  check(named_graph.nodes().size() == joined.nodes().size(), "naming keeps the nodes");
  std::map<std::pair<std::vector<std::string>, std::vector<std::size_t>>, GroupingTasks> known;
  std::vector<GroupingTasks> all;
  for (const GroupingSite& site : sites) {
    const auto [at, is_new] = known.try_emplace(pattern_of(named_graph, joined, site));
    if (is_new) {
      for (const std::size_t n : site.nodes) {
        const GraphNode& node = named_graph.nodes()[n];
        if (is_task(named_graph, node)) at->second.before.push_back(named_graph.expression_of(node));
      }
      at->second.after = new_tasks(joined, with_groupings(joined, {&site, 1}, {true}));
    }
    all.push_back(at->second);
  }
  return all;
}

}  // namespace nestwright
