#include "graph/grouping/choice.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "nestwright/error.h"

namespace nestwright {
std::optional<double> time_of_all(const std::vector<std::string>& tasks, const TaskTime& time_of) {
  double sum = 0;
  for (const std::string& task : tasks) {
    const std::optional<double> time = time_of(task);
    if (!time) return std::nullopt;
    sum += *time;
  }
  return sum;
}

std::vector<bool> faster_groupings(std::span<const GroupingSite> sites, std::span<const GroupingTasks> tasks,
                                   const TaskTime& time_of, double scale) {
  check(sites.size() == tasks.size(), "each site has its tasks");
  std::vector<double> saved(sites.size());
  for (std::size_t s = 0; s < sites.size(); ++s) {
    const auto before = time_of_all(tasks[s].before, time_of), after = time_of_all(tasks[s].after, time_of);
    if (before && after) saved[s] = *before - scale * *after;
  }
  std::vector<std::size_t> order(sites.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return saved[a] > saved[b]; });
  std::vector<bool> chosen(sites.size());
  std::set<std::size_t> taken;
  for (const std::size_t s : order) {
    const auto is_free = [&](std::size_t node) { return !taken.contains(node); };
    if (saved[s] <= 0 || !std::ranges::all_of(sites[s].nodes, is_free)) continue;
    chosen[s] = true;
    taken.insert(sites[s].nodes.begin(), sites[s].nodes.end());
  }
  return chosen;
}

}  // namespace nestwright
