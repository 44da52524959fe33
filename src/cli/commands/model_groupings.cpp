#include "cli/commands/model_groupings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/grouping/grouping.h"
#include "graph/program/node_form.h"

namespace nestwright::cli {
namespace {

/// Sites of equal tasks.
struct SiteGroup {
  GroupingTasks tasks;
  std::vector<std::string> labels;  ///< of the first node of each site
};

std::vector<SiteGroup> groups_of(const Graph& joined, const std::vector<GroupingSite>& sites) {
  const std::vector<GroupingTasks> tasks = grouping_tasks(joined, sites);
  std::vector<SiteGroup> groups;
  for (std::size_t s = 0; s < sites.size(); ++s) {
    auto group = std::ranges::find(groups, tasks[s], &SiteGroup::tasks);
    if (group == groups.end()) group = groups.insert(groups.end(), {tasks[s], {}});
    group->labels.push_back(label_or_op(joined.nodes()[sites[s].nodes.front()]));
  }
  return groups;
}

}  // namespace

std::string groupings_text(const Graph& joined) {
  const std::vector<GroupingSite> sites = grouping_sites(joined);
  std::string text;
  for (const GroupingKind& kind : grouping_kinds()) {
    std::vector<GroupingSite> of_kind;
    std::ranges::copy_if(sites, std::back_inserter(of_kind), [&](const auto& site) { return site.kind == kind.name; });
    if (of_kind.empty()) continue;
    text += fmt::format("{}: {} ({})\n", kind.name, of_kind.size(), kind.summary);
    for (const SiteGroup& group : groups_of(joined, of_kind)) {
      text += fmt::format("  {}x, first {}\n", group.labels.size(), group.labels.front());
      text += fmt::format("    now    {}\n", fmt::join(group.tasks.before, "\n           "));
      text += fmt::format("    or     {}\n", fmt::join(group.tasks.after, "\n           "));
    }
  }
  return text.empty() ? "no kernel may be made in another way\n" : text;
}

}  // namespace nestwright::cli
