#include "search/network/variant_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "graph/grouping/choice.h"
#include "graph/passes/passes.h"
#include "graph/program/node_form.h"
#include "nestwright/model/network.h"
#include "nestwright/text_operator.h"
#include "network/variant.h"

namespace nestwright {
namespace {

constexpr double kMargin = 0.98;     // a change has to take less than this part of the time
constexpr double kPromising = 1.25;  // most time of an alternative that is tuned, relative to the default
constexpr double kNearlyBest = 1.1;
constexpr std::size_t kTunedLayouts = 2;                            // of each kernel
constexpr double kConversion_ns = 500, kConversionBytesPerNs = 60;  // estimated: tensors are in the last cache
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string label_in_layout(const Graph& graph, std::size_t node, int layout) {
  return fmt::format("{} in blocks of {}", label_or_op(graph.nodes()[node]), layout);
}

NetworkVariant variant_of(const std::vector<NetworkVariant::Grouping>& groupings, const Layouts& layouts) {
  NetworkVariant variant{groupings, {}};
  for (std::size_t n = 0; n < layouts.size(); ++n) {
    if (layouts[n] != 0) variant.blocked[layouts[n]].push_back(n);
  }
  return variant;
}

/// Tasks in order, equal workloads once.
class TaskSet {
 public:
  void add(const std::string& workload, const std::string& label, double calls) {
    const auto [known, is_new] = known_.try_emplace(workload, tasks_.size());
    if (is_new) {
      tasks_.push_back({workload, label, calls});
    } else {
      tasks_[known->second].calls += calls;
    }
  }
  std::vector<VariantTask> take() { return std::move(tasks_); }

 private:
  std::vector<VariantTask> tasks_;
  std::map<std::string, std::size_t> known_;
};

}  // namespace

VariantSearch::VariantSearch(const Graph& joined, const Target& target, CacheState caches, const TuningLog& log)
    : joined_(joined), target_(target), caches_(caches), log_(log) {
  const int lanes = target.lanes(kFloat32);
  if (lanes > 1) blocks_ = {lanes, 2 * lanes};
  sites_ = grouping_sites(joined);
  site_tasks_ = grouping_tasks(joined, sites_);
  for (const NetworkTask& task : network_tasks(named(joined))) {
    default_calls_[task.workload] = static_cast<double>(task.nodes.size());
  }
}

double VariantSearch::default_ns() {
  double sum = 0;
  for (const auto& [workload, calls] : default_calls_) sum += calls * time_of(workload).value_or(0);
  return sum;
}

std::optional<double> VariantSearch::time_of(const std::string& workload) {
  if (workload.empty()) return 0;  // it costs nothing
  const TaskContext context(Task{workload_of(workload), target_, caches_});
  const auto best = log_.best(filter_of(context.key()), context.usable_templates());
  return best ? std::optional(best->timing.median_ns) : std::nullopt;
}

std::vector<bool> VariantSearch::chosen_groupings(double scale, std::vector<NetworkVariant::Grouping>& groupings) {
  std::vector<bool> chosen =
      faster_groupings(sites_, site_tasks_, [this](const std::string& workload) { return time_of(workload); }, scale);
  for (std::size_t s = 0; s < sites_.size(); ++s) {
    if (chosen[s]) groupings.push_back({sites_[s].kind, sites_[s].nodes});
  }
  return chosen;
}

VariantSearch::Grouped VariantSearch::grouped() {
  std::vector<NetworkVariant::Grouping> groupings;
  const std::vector<bool> chosen = chosen_groupings(1, groupings);
  const Graph graph = groupings.empty() ? joined_ : with_groupings(joined_, sites_, chosen);
  Grouped made{std::move(groupings), graph, {}, {}, {}};
  made.possible = possible_layouts(made.graph, blocks_);
  made.tasks = layout_tasks(made.graph, made.possible);
  made.problem = layout_problem(made.graph, made.possible, costs_of(made));
  return made;
}

LayoutCosts VariantSearch::costs_of(const Grouped& grouped) {
  std::map<std::pair<std::size_t, int>, double> nodes;
  std::map<std::tuple<ValueId, int, int>, double> conversions;
  for (const LayoutTask& task : grouped.tasks) {
    const std::optional<double> time = time_of(task.workload);
    for (const auto& node : task.nodes) {
      if (time) nodes[node] = *time;
    }
    for (const LayoutConversion& c : task.conversions) {
      const auto bytes = static_cast<double>(grouped.graph.type(c.value).size_bytes());
      conversions[{c.value, c.from, c.to}] = time.value_or(kConversion_ns + 2 * bytes / kConversionBytesPerNs);
    }
  }
  LayoutCosts costs;
  costs.node = [nodes, negligible = kNegligible * default_ns()](std::size_t node, int layout) {
    const auto as_in_file = nodes.find({node, 0});
    // A kernel that was never timed stays as it is.
    if (as_in_file == nodes.end()) return layout == 0 ? 0.0 : kInfinity;
    const auto found = nodes.find({node, layout});
    if (found != nodes.end()) return found->second;
    return as_in_file->second < negligible ? as_in_file->second : kInfinity;
  };
  costs.conversion = [conversions](ValueId value, int from, int to) {
    const auto found = conversions.find({value, from, to});
    return found == conversions.end() ? kInfinity : found->second;
  };
  return costs;
}

std::vector<VariantTask> VariantSearch::unknown() {
  TaskSet tasks;
  for (std::size_t s = 0; s < sites_.size(); ++s) {
    for (const std::string& workload : site_tasks_[s].after) {
      if (!time_of(workload)) tasks.add(workload, label_of_site(s), 1);
    }
  }
  struct Expected {
    VariantTask task;
    int layout;
    double ns;    ///< in the layout of the file, all calls
    double work;  ///< multiply-adds, where times lack
  };
  std::vector<Expected> expected;
  const Grouped now = grouped();
  const LayoutCosts costs = costs_of(now);
  const double negligible = kNegligible * default_ns();
  for (const LayoutTask& task : now.tasks) {
    if (task.nodes.empty() || task.nodes.front().second == 0 || time_of(task.workload)) continue;
    const auto& [node, layout] = task.nodes.front();
    const auto calls = static_cast<double>(task.nodes.size());
    const double ns = costs.node(node, 0);
    if (ns > 0 && ns < negligible) continue;
    expected.push_back({{task.workload, label_in_layout(now.graph, node, layout), calls},
                        layout,
                        ns * calls,
                        multiply_adds(*now.graph.nodes()[node].program) * calls});
  }
  std::ranges::stable_sort(expected, [](const Expected& a, const Expected& b) {
    return std::tuple(a.layout, -a.ns, -a.work) < std::tuple(b.layout, -b.ns, -b.work);
  });
  for (const Expected& each : expected) tasks.add(each.task.workload, each.task.label, each.task.calls);
  return tasks.take();
}

std::string VariantSearch::label_of_site(std::size_t site) const {
  return fmt::format("{}, {}", sites_[site].kind, joined_.nodes()[sites_[site].nodes.front()].label);
}

std::vector<VariantTask> VariantSearch::promising() {
  TaskSet tasks;
  for (std::size_t s = 0; s < sites_.size(); ++s) {
    const auto time = [this](const std::string& workload) { return time_of(workload); };
    const auto before = time_of_all(site_tasks_[s].before, time), after = time_of_all(site_tasks_[s].after, time);
    if (!before || !after || *after > kPromising * *before) continue;
    for (const std::string& workload : site_tasks_[s].after) {
      tasks.add(workload, label_of_site(s), 1);
    }
  }
  const Grouped now = grouped();
  const LayoutCosts costs = costs_of(now);
  for (const LayoutTask& task : now.tasks) {
    if (task.nodes.empty() || task.nodes.front().second == 0 || !time_of(task.workload)) continue;
    const auto& [node, layout] = task.nodes.front();
    const double cost = costs.node(node, layout);
    const auto faster = static_cast<std::size_t>(
        std::ranges::count_if(now.possible[node], [&](int other) { return costs.node(node, other) < cost; }));
    if (cost > kPromising * costs.node(node, 0) || faster >= kTunedLayouts) continue;
    tasks.add(task.workload, label_in_layout(now.graph, node, layout), static_cast<double>(task.nodes.size()));
  }
  const NetworkVariant variant = best_of(now);
  if (!variant.is_default()) {
    for (const NetworkTask& task : network_tasks(kernels_of_variant(joined_, variant))) {
      tasks.add(task.workload, task.label + " of the fastest variant", static_cast<double>(task.nodes.size()));
    }
  }
  std::vector<VariantTask> found = tasks.take();
  std::erase_if(
      found, [&](const VariantTask& task) { return task.workload.empty() || default_calls_.contains(task.workload); });
  return found;
}

NetworkVariant VariantSearch::best_of(const Grouped& grouped) {
  const LayoutChoice choice = cheapest_layouts(grouped.problem);
  const Layouts as_in_file(grouped.graph.nodes().size(), 0);
  const bool saves = choice.cost < kMargin * cost_of(grouped.problem, as_in_file);
  return variant_of(grouped.groupings, saves ? choice.layouts : as_in_file);
}

NetworkVariant VariantSearch::best() { return best_of(grouped()); }

std::vector<NetworkVariant> VariantSearch::contenders() {
  const Grouped now = grouped();
  const NetworkVariant best = best_of(now);
  NetworkVariant nearly_best;
  chosen_groupings(1 / kNearlyBest, nearly_best.groupings);
  std::vector<NetworkVariant> contenders{best, std::move(nearly_best)};
  if (best.blocked.empty()) return contenders;
  contenders.push_back({now.groupings, {}});
  for (const int block : blocks_) contenders.push_back(variant_of(now.groupings, uniform_layouts(now.problem, block)));
  return contenders;
}

NetworkVariant VariantSearch::uniform(int block) {
  const Grouped now = grouped();
  return variant_of(now.groupings, uniform_layouts(now.problem, block));
}

}  // namespace nestwright
