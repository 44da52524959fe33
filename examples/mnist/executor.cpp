#include "executor.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <nestwright/text_operator.h>

namespace mnist {

using namespace nestwright;

Compiler::Compiler(const std::string& database, bool unscheduled) : unscheduled_(unscheduled) {
  if (!database.empty()) log_ = TuningLog::open(database, OpenMode::kRead);
  options_.pool = make_pool(PoolKind::kSpin, target_.threads);
}

const Function& Compiler::compile(const std::string& expression) {
  const auto compiled = functions_.find(expression);
  if (compiled != functions_.end()) return compiled->second;
  const Task task{workload_of(expression), target_};
  const auto add = [&](const Function& function) -> const Function& {
    return functions_.emplace(expression, function).first->second;
  };
  if (unscheduled_) {
    const Definition definition = task.workload.op->define(task.workload);
    return add(build(create_schedule(definition.outputs()), definition.args, target_, "kernel", options_));
  }
  const Lookup best = look_up(task, log_ ? &*log_ : nullptr);
  if (best.match != MatchKind::kDefault) ++tuned_;
  return add(build(program_of(task, *best.source, best.config, "kernel"), target_, options_));
}

// The largest tensors first, each at the lowest place that is free during all of its lifetime.
std::size_t plan_memory(std::map<Value, Temporary>& tensors) {
  constexpr std::size_t kLine = 64;  // each tensor begins at a cache line
  const auto end_of = [](const Temporary& t) { return t.offset + (t.bytes + kLine - 1) / kLine * kLine; };
  std::vector<Temporary*> order;
  for (auto& [value, tensor] : tensors) order.push_back(&tensor);
  std::ranges::stable_sort(order, std::greater(), &Temporary::bytes);
  std::size_t bytes = 0;
  std::vector<const Temporary*> placed;  // in the order of their offsets
  for (Temporary* const tensor : order) {
    tensor->offset = 0;
    for (const Temporary* const other : placed) {
      if (tensor->last < other->first || other->last < tensor->first) continue;
      if (end_of(*tensor) <= other->offset) break;
      tensor->offset = std::max(tensor->offset, end_of(*other));
    }
    placed.insert(std::ranges::upper_bound(placed, tensor->offset, {}, &Temporary::offset), tensor);
    bytes = std::max(bytes, end_of(*tensor));
  }
  return bytes;
}

void Executor::prepare(const Types& inputs) {
  Types types = inputs;
  kernels_ = make_kernels(graph_, outputs_, types);
  temporaries_.clear();
  for (std::size_t step = 0; step < kernels_.size(); ++step) {
    for (const Value argument : kernels_[step].arguments) {
      if (temporaries_.contains(argument)) temporaries_[argument].last = step;
    }
    const auto& [type, shape] = types.at(kernels_[step].result);
    const std::int64_t bytes =
        std::accumulate(shape.begin(), shape.end(), std::int64_t{type.bytes()}, std::multiplies());
    if (outputs_.contains(kernels_[step].result)) continue;
    temporaries_[kernels_[step].result] = {static_cast<std::size_t>(bytes), step, step};
  }
  block_ = Array::empty(kInt8, {static_cast<std::int64_t>(plan_memory(temporaries_))});
  memory_.clear();
  for (const auto& [v, temporary] : temporaries_) {
    void* const data = block_.as<std::int8_t>().data() + temporary.offset;
    memory_.emplace(v, ArrayView(data, types.at(v).type, types.at(v).shape));
  }
  inputs_ = inputs;
}

void Executor::run(const Memory& memory) {
  Types inputs;
  for (const auto& [v, view] : memory) {
    if (graph_.nodes[v].op == nullptr) inputs[v] = {view.type(), view.shape()};
  }
  if (inputs != inputs_) prepare(inputs);
  for (const Kernel& kernel : kernels_) {
    std::vector<ArrayRef> arguments;
    const auto add = [&](Value v) { arguments.emplace_back(memory_.contains(v) ? memory_.at(v) : memory.at(v)); };
    for (const Value argument : kernel.arguments) add(argument);
    add(kernel.result);
    compiler_.compile(kernel.expression).call(arguments);
  }
}

}  // namespace mnist
