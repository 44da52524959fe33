#include "executor.h"

#include "memory_plan.h"
#include "text_operator/text_operator.h"

namespace mnist {

using namespace nestwright;

Compiler::Compiler(Target target, const std::string& database, bool unscheduled)
    : target_(std::move(target)), unscheduled_(unscheduled) {
  if (!database.empty()) log_ = TuningLog::open(database, OpenMode::kRead);
  options_.pool = make_pool(PoolKind::kSpin, target_.threads);
}

const Function& Compiler::compile(const std::string& expression) {
  const auto compiled = functions_.find(expression);
  if (compiled != functions_.end()) return compiled->second;
  const Task task{workload_of(expression), target_};
  const auto add = [&](const std::string& source, const Function& function) -> const Function& {
    ++sources_[source];
    return functions_.emplace(expression, function).first->second;
  };
  if (unscheduled_) {
    const Definition definition = task.workload.op->define(task.workload);
    const Schedule schedule = create_schedule(definition.outputs());
    return add("unscheduled", build(schedule, definition.args, target_, "kernel", options_));
  }
  const Lookup best = look_up(task, log_ ? &*log_ : nullptr);
  return add(match_name(best.match), build(program_of(task, *best.source, best.config, "kernel"), target_, options_));
}

void Executor::prepare(const std::map<Value, TensorType>& inputs) {
  const std::vector<TensorType> types = infer_types(graph_, inputs);
  kernels_ = make_kernels(graph_, types);
  std::map<Value, Lifetime> lifetimes;
  for (std::size_t step = 0; step < kernels_.size(); ++step) {
    const Value result = kernels_[step].result;
    for (const Value argument : kernels_[step].arguments) {
      if (const auto read = lifetimes.find(argument); read != lifetimes.end()) read->second.last = step;
    }
    if (!graph_.outputs.contains(result)) lifetimes[result] = {types[result].bytes(), step, step};
  }
  std::vector<Lifetime> tensors;
  for (const auto& [value, lifetime] : lifetimes) tensors.push_back(lifetime);
  const MemoryPlan plan = plan_memory(tensors);
  memory_ = Array::empty(kInt8, {static_cast<std::int64_t>(plan.bytes)});
  temporaries_.clear();
  for (const auto& [value, lifetime] : lifetimes) {
    std::int8_t* const data = memory_.as<std::int8_t>().data() + plan.offsets[temporaries_.size()];
    temporaries_.emplace(value, ArrayView(data, types[value].type, types[value].shape));
  }
  inputs_ = inputs;
}

void Executor::run(const Bindings& bound) {
  std::map<Value, TensorType> inputs;
  for (Value v = 0; v < graph_.nodes.size(); ++v) {
    if (graph_.nodes[v].op == nullptr) inputs[v] = {bound.at(v).type(), bound.at(v).shape()};
  }
  if (inputs != inputs_) prepare(inputs);
  for (const Kernel& kernel : kernels_) {
    std::vector<ArrayRef> arguments;
    const auto add = [&](Value v) {
      const auto temporary = temporaries_.find(v);
      arguments.emplace_back(temporary != temporaries_.end() ? temporary->second : bound.at(v));
    };
    for (const Value argument : kernel.arguments) add(argument);
    add(kernel.result);
    compiler_->compile(kernel.expression).call(arguments);
  }
}

}  // namespace mnist
