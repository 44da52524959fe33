#include "schedule/state/stage_operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "expression/operations.h"
#include "nestwright/error.h"
#include "schedule/state/scan_parts.h"

namespace nestwright {
namespace {

class LoadReplacer : public ir::Mutator {
 public:
  using Mutator::mutate;
  LoadReplacer(const Buffer& buffer, const std::function<Expr(const std::vector<Expr>&)>& replacement)
      : buffer_(buffer), replacement_(replacement) {}
  Expr mutate(const Expr& e) override {
    const Expr changed = mutate_children(e);
    const auto* load = changed.as<ir::Load>();
    return load != nullptr && load->buffer == buffer_ ? replacement_(load->indices) : changed;
  }

 private:
  const Buffer& buffer_;
  const std::function<Expr(const std::vector<Expr>&)>& replacement_;
};

/// The stage or placeholder operation whose result is `buffer`.
Operation operation_of(const ScheduleState& state, const Buffer& buffer) {
  for (const std::vector<Tensor>* placeholders : {&state.inputs, &state.states}) {
    for (const Tensor& placeholder : *placeholders) {
      if (placeholder.buffer() == buffer) return placeholder.op();
    }
  }
  const int stage = state.producer(buffer).stage;
  if (stage >= 0) return state.stages[static_cast<std::size_t>(stage)].op;
  throw InternalError(fmt::format("internal error: '{}' is read, but no part of the schedule", buffer->name));
}

void add_operation(const ScheduleState& state, const Buffer& buffer, std::vector<Operation>& operations) {
  const Operation op = operation_of(state, buffer);
  if (std::find(operations.begin(), operations.end(), op) == operations.end()) operations.push_back(op);
}

std::vector<Operation> inputs_of(const ScheduleState& state, const ComputeOp& compute) {
  std::vector<Operation> result;
  const auto look = [&](const Expr& part) {
    if (const auto* load = part.as<ir::Load>()) add_operation(state, load->buffer, result);
  };
  for (const Expr& body : compute.bodies) ir::for_each_expr(body, look);
  return result;
}

std::vector<Operation> inputs_of(const ScheduleState& state, const Operation& op) {
  const ScanOp* scan = op.scan();
  if (scan == nullptr) return inputs_of(state, *op.compute());
  std::vector<Operation> result;
  for (const Buffer& init : scan->init) add_operation(state, init, result);
  for (const Buffer& update : scan->update) add_operation(state, update, result);
  return result;
}

}  // namespace

int find_stage(const ScheduleState& state, const Tensor& tensor) {
  for (std::size_t i = 0; i < state.stages.size(); ++i) {
    if (state.stages[i].origin.op() == tensor.op()) return static_cast<int>(i);
  }
  return -1;
}

std::string tensor_name(const ScheduleState& state, const Tensor& tensor) {
  const int stage = find_stage(state, tensor);
  if (stage >= 0) {
    const StageState& found = state.stages[static_cast<std::size_t>(stage)];
    return result_name(found.name, static_cast<std::size_t>(tensor.result()), found.op->results.size());
  }
  if (const auto it = std::find(state.states.begin(), state.states.end(), tensor); it != state.states.end()) {
    return state.state_names[static_cast<std::size_t>(it - state.states.begin())];
  }
  const auto it = std::find(state.inputs.begin(), state.inputs.end(), tensor);
  return it == state.inputs.end() ? std::string()
                                  : state.input_names[static_cast<std::size_t>(it - state.inputs.begin())];
}

std::string unique_name(const ScheduleState& state, const std::string& name) {
  const auto taken = [&](const std::string& candidate) {
    return std::count(state.input_names.begin(), state.input_names.end(), candidate) > 0 ||
           std::count(state.state_names.begin(), state.state_names.end(), candidate) > 0 ||
           std::any_of(state.stages.begin(), state.stages.end(),
                       [&](const StageState& s) { return s.name == candidate; });
  };
  std::string candidate = name;
  for (int n = 2; taken(candidate); ++n) candidate = fmt::format("{}_{}", name, n);
  return candidate;
}

bool reads(const ComputeOp& op, const Buffer& buffer) {
  const auto loads = [&](const Expr& part) {
    const auto* load = part.as<ir::Load>();
    return load != nullptr && load->buffer == buffer;
  };
  return std::any_of(op.bodies.begin(), op.bodies.end(), [&](const Expr& body) { return ir::any_expr(body, loads); });
}

ComputeOp replace_loads(ComputeOp op, const Buffer& buffer,
                        const std::function<Expr(const std::vector<Expr>&)>& replacement) {
  for (Expr& body : op.bodies) body = LoadReplacer(buffer, replacement).mutate(body);
  return op;
}

ComputeOp substitute(ComputeOp op, const ir::Substitution& values) {
  for (Expr& body : op.bodies) body = ir::substitute(body, values);
  return op;
}

Operation make_operation(const ScheduleState& state, std::string name, ComputeOp op, std::vector<Buffer> results) {
  std::vector<Operation> inputs = inputs_of(state, op);
  return Operation(std::make_shared<const Operation::Node>(
      Operation::Node{std::move(name), std::move(op), std::move(results), std::move(inputs)}));
}

StageState make_stage(std::string name, Operation op) {
  StageState stage;
  stage.name = std::move(name);
  stage.origin = Tensor(op);
  stage.scope = op->results.front()->scope;
  stage.leaves = op.compute()->axes;
  stage.leaves.insert(stage.leaves.end(), op.compute()->reduce_axes.begin(), op.compute()->reduce_axes.end());
  stage.named = stage.leaves;
  stage.op = std::move(op);
  return stage;
}

void insert_stage(ScheduleState& state, int index, StageState stage) {
  const auto shift = [index](int& number) { number += number >= index ? 1 : 0; };
  for (StageState& other : state.stages) {
    shift(other.attach.stage);
    shift(other.tile_stage);
    shift(other.carried_from);
  }
  state.stages.insert(state.stages.begin() + index, std::move(stage));
  attach_to_steps(state, index);
}

void replace_operation(ScheduleState& state, int index, ComputeOp op) {
  StageState& stage = state.stages[static_cast<std::size_t>(index)];
  const std::string name = stage.op->name;
  const std::vector<Buffer> results = stage.op->results;
  stage.op = make_operation(state, name, std::move(op), results);
  // Consumers come later, so one pass in order propagates every change.
  for (std::size_t i = static_cast<std::size_t>(index) + 1; i < state.stages.size(); ++i) {
    StageState& consumer = state.stages[i];
    std::vector<Operation> inputs = inputs_of(state, consumer.op);
    if (inputs == consumer.op->inputs) continue;
    Operation::Node changed = *consumer.op.operator->();
    changed.inputs = std::move(inputs);
    consumer.op = Operation(std::make_shared<const Operation::Node>(std::move(changed)));
  }
}

}  // namespace nestwright
