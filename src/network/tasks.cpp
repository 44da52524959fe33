#include "network/tasks.h"

#include <fmt/format.h>

#include <map>

namespace nestwright {

std::vector<NetworkTask> tasks_of(const Graph& graph, const std::function<bool(std::size_t)>& is_called) {
  std::vector<NetworkTask> tasks;
  std::map<std::string, std::size_t> known;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    if (!is_kernel(graph, node) || !is_called(n)) continue;
    std::string workload = graph.expression_of(node);
    const auto [at, is_new] = known.emplace(workload, tasks.size());
    if (is_new) {
      tasks.push_back({.workload = std::move(workload),
                       .label = label_or_op(node),
                       .op = node.op,
                       .multiply_adds = multiply_adds(*node.program)});
    }
    tasks[at->second].nodes.push_back(n);
  }
  for (NetworkTask& task : tasks) {
    if (task.nodes.size() > 1) task.label += fmt::format(", {}x", task.nodes.size());
  }
  return tasks;
}

}  // namespace nestwright
