#include "unscheduled.h"

#include <cstring>

namespace mnist {

using namespace nestwright;

UnscheduledNetwork::UnscheduledNetwork(Graph graph) : graph_(std::move(graph)) {
  for (const GraphNode& node : graph_.nodes()) {
    kernels_.push_back(node.is_view() ? nullptr : &compile(graph_.expression_of(node)));
    if (node.is_view()) continue;
    for (const ValueId v : node.outputs) results_.emplace(v, Array::empty(graph_.type(v).type, graph_.type(v).shape));
  }
}

const Function& UnscheduledNetwork::compile(const std::string& expression) {
  const auto known = functions_.find(expression);
  if (known != functions_.end()) return known->second;
  const Workload workload = workload_of(expression);
  const Definition& definition = *workload.definition;
  const Schedule schedule = create_schedule(definition.outputs());
  return functions_.emplace(expression, build(schedule, definition.args, Target::host(), "kernel", {.pool = pool_}))
      .first->second;
}

void UnscheduledNetwork::run(std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs) {
  std::map<ValueId, ArrayView> memory;
  const auto bind = [&](ValueId v, auto* data) {
    memory.emplace(v, ArrayView(data, graph_.type(v).type, graph_.type(v).shape));
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) bind(graph_.inputs()[i].value, inputs[i].data);
  for (ValueId v = 0; v < graph_.values().size(); ++v) {
    if (graph_.value(v).data) bind(v, static_cast<const void*>(graph_.value(v).data->bytes.data()));
  }
  for (auto& [v, array] : results_) bind(v, array.data());
  for (std::size_t n = 0; n < kernels_.size(); ++n) {
    const GraphNode& node = graph_.nodes()[n];
    if (node.is_view()) {
      bind(node.outputs[0], memory.at(node.inputs[0]).data());
      continue;
    }
    std::vector<ArrayRef> arguments;
    for (const ValueId v : node.inputs) arguments.emplace_back(memory.at(v));
    for (const ValueId v : node.outputs) arguments.emplace_back(memory.at(v));
    kernels_[n]->call(arguments);
  }
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const ValueId v = graph_.outputs()[o].value;
    std::memcpy(outputs[o].data, memory.at(v).data(), graph_.type(v).size_bytes());
  }
}

}  // namespace mnist
