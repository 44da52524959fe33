#include "network/plan.h"

#include <algorithm>
#include <map>
#include <optional>

#include "nestwright/error.h"
#include "network/arena.h"

namespace nestwright {
namespace {

/// The value whose memory a value is: that of the input, constant or result from which views were made.
ValueId memory_of(const Graph& graph, ValueId value) {
  while (const auto node = graph.value(value).node) {
    if (!graph.nodes()[*node].is_view() || graph.value(value).is_constant) break;
    value = graph.nodes()[*node].inputs[0];
  }
  return value;
}

class Planner {
 public:
  explicit Planner(const Graph& graph) : graph_(graph) {
    plan_.tasks = network_tasks(graph);
    for (std::size_t t = 0; t < plan_.tasks.size(); ++t) {
      for (const std::size_t node : plan_.tasks[t].nodes) task_of_[node] = t;
    }
  }

  NetworkPlan run() {
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      places_[graph_.inputs()[i].value] = {Place::In::kInput, i};
    }
    place_outputs();
    find_lifetimes();
    plan_.live_bytes = largest_live_bytes(tensors_);
    plan_.arena_bytes = place_in_arena(tensors_);
    for (const auto& [value, number] : number_of_) places_[value] = {Place::In::kArena, 0, tensors_[number].offset};
    for (const auto& [node, task] : task_of_) {
      NetworkStep step{task, node, {}};
      for (const ValueId input : graph_.nodes()[node].inputs) step.buffers.push_back(place_of(input));
      for (const ValueId output : graph_.nodes()[node].outputs) step.buffers.push_back(place_of(output));
      plan_.steps.push_back(std::move(step));
    }
    return std::move(plan_);
  }

 private:
  Place place_of(ValueId value) const {
    const ValueId memory = memory_of(graph_, value);
    if (graph_.value(memory).is_constant) return {Place::In::kConstant, memory};
    return places_.at(memory);
  }

  /// A result that is an output is computed in the caller's memory; other outputs are copied.
  void place_outputs() {
    for (std::size_t o = 0; o < graph_.outputs().size(); ++o) {
      const ValueId value = graph_.outputs()[o].value;
      const ValueId memory = memory_of(graph_, value);
      const Place place{Place::In::kOutput, o};
      if (!graph_.value(memory).is_constant && places_.emplace(memory, place).second) continue;
      plan_.copies.push_back({place_of(value), place, graph_.type(value).size_bytes()});
    }
  }

  /// Finds the tensors of the arena, and when they are needed.
  void find_lifetimes() {
    std::size_t step = 0;
    for (const auto& [node, task] : task_of_) {
      for (const ValueId output : graph_.nodes()[node].outputs) {
        if (places_.contains(output)) continue;
        number_of_[output] = tensors_.size();
        tensors_.push_back({.bytes = graph_.type(output).size_bytes(), .first = step, .last = step});
      }
      for (const ValueId input : graph_.nodes()[node].inputs) {
        const auto known = number_of_.find(memory_of(graph_, input));
        if (known != number_of_.end()) tensors_[known->second].last = step;
      }
      ++step;
    }
  }

  const Graph& graph_;
  NetworkPlan plan_;
  std::map<std::size_t, std::size_t> task_of_;  ///< by node, in order
  std::map<ValueId, Place> places_;
  std::map<ValueId, std::size_t> number_of_;  ///< of values in the arena, into tensors_
  std::vector<ArenaTensor> tensors_;
};

}  // namespace

NetworkPlan plan_network(const Graph& graph) { return Planner(graph).run(); }

}  // namespace nestwright
