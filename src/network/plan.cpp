#include "network/plan.h"

#include <algorithm>
#include <map>

#include "nestwright/error.h"
#include "network/arena.h"
#include "network/storage.h"

namespace nestwright {
namespace {

std::vector<NetworkTask> called_tasks(const Graph& graph, const StorageMap& storage) {
  return tasks_of(graph, [&](std::size_t node) { return !storage.is_free(node); });
}

class Planner {
 public:
  Planner(const Graph& graph, const InPlaceInput& in_place) : graph_(graph), storage_(graph), in_place_(in_place) {
    plan_.tasks = called_tasks(graph, storage_);
    for (std::size_t t = 0; t < plan_.tasks.size(); ++t) {
      for (const std::size_t node : plan_.tasks[t].nodes) task_of_[node] = t;
    }
  }

  NetworkPlan run() {
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      places_[graph_.inputs()[i].value] = {Place::In::kInput, i};
    }
    place_outputs();
    share_operands();
    place_others();
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
    if (graph_.value(value).is_constant) return {Place::In::kConstant, value};
    const ValueStorage storage = storage_.of(value);
    Place place = places_.at(storage.root);
    place.offset += storage.offset;
    return place;
  }

  /// A result that is an output is computed in the caller's memory; other outputs are copied.
  void place_outputs() {
    for (std::size_t o = 0; o < graph_.outputs().size(); ++o) {
      const ValueId value = graph_.outputs()[o].value;
      const Place place{Place::In::kOutput, o};
      if (!graph_.value(value).is_constant) {
        const ValueStorage storage = storage_.of(value);
        const bool is_whole = graph_.type(storage.root).size_bytes() == graph_.type(value).size_bytes();
        if (is_whole && places_.emplace(storage.root, place).second) continue;
      }
      copied_.emplace_back(o, value);
    }
  }

  /// The steps at which the memory of each root is written first and read last.
  struct Lifetime {
    std::size_t first = 0, last = 0;
  };
  std::map<ValueId, Lifetime> lifetimes() const {
    std::map<ValueId, Lifetime> times;
    std::size_t step = 0;
    for (const auto& [node, task] : task_of_) {
      const auto touch = [&](ValueId value) {
        if (graph_.value(value).is_constant) return;
        times.emplace(storage_.of(value).root, Lifetime{step, step}).first->second.last = step;
      };
      for (const ValueId input : graph_.nodes()[node].inputs) touch(input);
      for (const ValueId output : graph_.nodes()[node].outputs) touch(output);
      ++step;
    }
    for (const auto& [output, value] : copied_) {
      if (!graph_.value(value).is_constant) times[storage_.of(value).root].last = step;
    }
    return times;
  }

  /// Lets results be written in the place of operands that nothing reads afterwards.
  void share_operands() {
    if (!in_place_) return;
    std::map<ValueId, Lifetime> times = lifetimes();
    std::size_t step = 0;
    for (const auto& [node, task] : task_of_) {
      const std::optional<std::size_t> input = in_place_(task);
      if (input) share_operand(graph_.nodes()[node], *input, step, times);
      ++step;
    }
  }

  void share_operand(const GraphNode& node, std::size_t input, std::size_t step, std::map<ValueId, Lifetime>& times) {
    const ValueId operand = node.inputs[input], result = node.outputs[0];
    if (graph_.value(operand).is_constant) return;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      // Where it is read as another input, too, nothing is known of the order of reads and writes.
      const bool is_other = i != input && !graph_.value(node.inputs[i]).is_constant;
      if (is_other && storage_.of(node.inputs[i]).root == storage_.of(operand).root) return;
    }
    const ValueStorage from = storage_.of(operand), to = storage_.of(result);
    const bool is_free = to.root == result && !places_.contains(to.root) && !places_.contains(from.root);
    const bool is_whole = graph_.type(from.root).size_bytes() == graph_.type(result).size_bytes();
    // A result that others lie in was written before.
    if (!is_free || !is_whole || times.at(from.root).last != step || times.at(to.root).first != step) return;
    storage_.share(result, operand);
    times[from.root].last = times.at(to.root).last;
  }

  void place_others() {
    std::vector<ArenaTensor> tensors;
    std::vector<ValueId> roots;
    for (const auto& [root, time] : lifetimes()) {
      if (places_.contains(root)) continue;
      roots.push_back(root);
      tensors.push_back({.bytes = graph_.type(root).size_bytes(), .first = time.first, .last = time.last});
    }
    plan_.live_bytes = largest_live_bytes(tensors);
    plan_.arena_bytes = place_in_arena(tensors);
    for (std::size_t i = 0; i < roots.size(); ++i) places_[roots[i]] = {Place::In::kArena, 0, tensors[i].offset};
    for (const auto& [output, value] : copied_) {
      plan_.copies.push_back({place_of(value), {Place::In::kOutput, output}, graph_.type(value).size_bytes()});
    }
  }

  const Graph& graph_;
  StorageMap storage_;
  const InPlaceInput& in_place_;
  NetworkPlan plan_;
  std::map<std::size_t, std::size_t> task_of_;           ///< by node, in order
  std::map<ValueId, Place> places_;                      ///< of roots
  std::vector<std::pair<std::size_t, ValueId>> copied_;  ///< outputs, with their values
};

}  // namespace

NetworkPlan plan_network(const Graph& graph, const InPlaceInput& in_place) { return Planner(graph, in_place).run(); }

std::vector<NetworkTask> network_tasks(const Graph& graph) { return called_tasks(graph, StorageMap(graph)); }

}  // namespace nestwright
