#include "graph/layout/layout_tasks.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "graph/layout/blocked_shape.h"
#include "graph/layout/conversion.h"
#include "graph/layout/with_layouts.h"
#include "graph/passes/passes.h"
#include "graph/program/node_form.h"

namespace nestwright {
namespace {

/// The expressions of the kernels, in order.
std::vector<std::string> workloads_of(const Graph& graph) {
  std::vector<std::string> workloads;
  for (const GraphNode& node : graph.nodes()) {
    if (is_kernel(graph, node)) workloads.push_back(graph.expression_of(node));
  }
  return workloads;
}

/// Empty: the conversion is a view.
std::string conversion_workload(const TensorType& type, int from, int to) {
  Graph graph;
  const ValueId input = graph.add_input("x", {type.type, shape_in(type.shape, from)});
  graph.add_output("y", add_conversion(graph, input, type.shape, from, to));
  const std::vector<std::string> workloads = workloads_of(named(graph));
  return workloads.empty() ? "" : workloads[0];
}

class LayoutTasks {
 public:
  LayoutTask& at(const std::string& workload) {
    const auto [known, is_new] = known_.try_emplace(workload, tasks_.size());
    if (is_new) tasks_.push_back({.workload = workload, .nodes = {}, .conversions = {}});
    return tasks_[known->second];
  }
  std::vector<LayoutTask> finish() { return std::move(tasks_); }

 private:
  std::vector<LayoutTask> tasks_;
  std::map<std::string, std::size_t> known_;
};

}  // namespace

std::vector<LayoutTask> layout_tasks(const Graph& graph, const std::vector<Layouts>& possible) {
  LayoutTasks tasks;
  std::set<int> all{0};
  for (const Layouts& layouts : possible) all.insert(layouts.begin(), layouts.end());
  // What a node computes depends on its own layout only.
  for (const int layout : all) {
    Layouts layouts;
    for (const Layouts& own : possible) layouts.push_back(std::ranges::find(own, layout) == own.end() ? 0 : layout);
    const GraphInLayouts uniform = with_layouts(graph, layouts);
    const std::vector<std::string> workloads = workloads_of(named(uniform.graph));
    for (std::size_t k = 0; k < workloads.size(); ++k) {
      const std::optional<std::size_t> node = uniform.kernels[k].node;
      if (node && layouts[*node] == layout) tasks.at(workloads[k]).nodes.emplace_back(*node, layout);
    }
  }
  std::map<std::tuple<std::string, int, int>, std::string> known;  // workloads by type and layouts
  for (const LayoutConversion& conversion : possible_conversions(graph, possible)) {
    const TensorType& type = graph.type(conversion.value);
    const auto [at, is_new] = known.try_emplace({type.str(), conversion.from, conversion.to});
    if (is_new) at->second = conversion_workload(type, conversion.from, conversion.to);
    tasks.at(at->second).conversions.push_back(conversion);
  }
  return tasks.finish();
}

}  // namespace nestwright
