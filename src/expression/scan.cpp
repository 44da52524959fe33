#include "nestwright/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "expression/operations.h"
#include "expression/scan_steps.h"
#include "ir/traversal/linear.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

class ScanCheck {
 public:
  ScanCheck(const std::vector<Tensor>& init, const std::vector<Tensor>& update, const std::vector<Tensor>& states,
            const std::string& name)
      : init_(init), update_(update), states_(states), name_(name) {}

  void run() const {
    if (states_.empty()) refuse("it has no state: give at least one, a placeholder");
    if (init_.size() != states_.size() || update_.size() != states_.size()) {
      refuse(fmt::format("{} init, {} update and {} states are given: give one of each for every state", init_.size(),
                         update_.size(), states_.size()));
    }
    check_all(init_, "init");
    check_all(update_, "update");
    check_all(states_, "state");
    for (const Tensor& state : states_) {
      if (!state.op().is_placeholder()) {
        refuse(
            fmt::format("state '{}' is computed: a state is a placeholder, whose values the scan gives", state.name()));
      }
      if (state.rank() == 0) refuse(fmt::format("state '{}' has no axis: its leading one is the time", state.name()));
    }
    check_results(init_, "init");
    check_results(update_, "update");
    for (std::size_t s = 0; s < states_.size(); ++s) check_shapes(s);
  }

  [[noreturn]] void refuse(const std::string& why) const { throw UsageError(fmt::format("scan '{}': {}", name_, why)); }

 private:
  void check_all(const std::vector<Tensor>& tensors, const char* part) const {
    for (const Tensor& tensor : tensors) {
      if (!tensor.defined()) refuse(fmt::format("a tensor given as {} is undefined", part));
      if (std::count(tensors.begin(), tensors.end(), tensor) > 1) {
        refuse(fmt::format("'{}' is given twice as {}: make a tensor for each", tensor.name(), part));
      }
    }
  }

  void check_results(const std::vector<Tensor>& tensors, const char* part) const {
    for (const Tensor& tensor : tensors) {
      if (tensor.op().is_placeholder() || tensor.op().scan() != nullptr) {
        refuse(fmt::format("{} '{}' is no compute: make one that copies it", part, tensor.name()));
      }
      for (std::size_t r = 0; r < tensor.op()->results.size(); ++r) {
        const Tensor other(tensor.op(), static_cast<int>(r));
        if (std::count(tensors.begin(), tensors.end(), other) == 0) {
          refuse(
              fmt::format("'{}' is computed together with {} '{}', but is none itself: give all results of one "
                          "compute, or make it a tensor of its own",
                          other.name(), part, tensor.name()));
        }
      }
    }
  }

  static bool same(const Expr& a, const Expr& b) {
    ir::Linear difference = ir::to_linear(a);
    difference.add(ir::to_linear(b), -1);
    return difference.is_constant() && difference.constant == 0;
  }

  void check_shapes(std::size_t s) const {
    const Tensor &state = states_[s], &init = init_[s], &update = update_[s];
    for (const Tensor* other : {&init, &update}) {
      if (other->dtype() != state.dtype()) {
        refuse(fmt::format("'{}' is {}, but state '{}' is {}", other->name(), other->dtype().str(), state.name(),
                           state.dtype().str()));
      }
      if (other->rank() != state.rank()) {
        refuse(fmt::format("'{}' has {} dimensions, but state '{}' has {}", other->name(), other->rank(), state.name(),
                           state.rank()));
      }
    }
    for (int d = 0; d < state.rank(); ++d) {
      const auto at = static_cast<std::size_t>(d);
      for (const Tensor* other : {&init, &update}) {
        if ((d == 0 && other == &init) || same(other->shape()[at], state.shape()[at])) continue;
        refuse(fmt::format("extent {} of '{}' is {}, but that of state '{}' is {}", d, other->name(),
                           ir::to_string(other->shape()[at]), state.name(), ir::to_string(state.shape()[at])));
      }
    }
    if (!same(state.shape()[0], states_[0].shape()[0])) {
      refuse(fmt::format("state '{}' has {} steps, but state '{}' has {}", state.name(),
                         ir::to_string(state.shape()[0]), states_[0].name(), ir::to_string(states_[0].shape()[0])));
    }
    const std::int64_t* k = ir::as_const_int(init.shape()[0]);
    if (k == nullptr) {
      refuse(fmt::format("the first extent of init '{}' is {}: it gives a constant number of steps", init.name(),
                         ir::to_string(init.shape()[0])));
    }
    if (!same(init.shape()[0], init_[0].shape()[0])) {
      refuse(fmt::format("init '{}' gives {} steps, but init '{}' gives {}", init.name(), *k, init_[0].name(),
                         ir::to_string(init_[0].shape()[0])));
    }
    const std::int64_t* steps = ir::as_const_int(state.shape()[0]);
    if (steps != nullptr && *steps <= *k) {
      refuse(fmt::format("state '{}' has {} steps, of which init gives {}: there is none left to update", state.name(),
                         *steps, *k));
    }
  }

  const std::vector<Tensor>&init_, &update_, &states_;
  const std::string& name_;
};

std::vector<Buffer> buffers_of(const std::vector<Tensor>& tensors) {
  std::vector<Buffer> result;
  for (const Tensor& tensor : tensors) result.push_back(tensor.buffer());
  return result;
}

void add_operations(const std::vector<Tensor>& tensors, std::vector<Operation>& operations) {
  for (const Tensor& tensor : tensors) {
    if (std::find(operations.begin(), operations.end(), tensor.op()) == operations.end()) {
      operations.push_back(tensor.op());
    }
  }
}

void collect_inputs(const Operation& op, std::set<Operation>& seen) {
  if (!seen.insert(op).second) return;
  for (const Operation& input : op->inputs) collect_inputs(input, seen);
}

}  // namespace

std::vector<Tensor> scan(const std::vector<Tensor>& init, const std::vector<Tensor>& update,
                         const std::vector<Tensor>& states, const std::vector<Tensor>& inputs, std::string name) {
  check_name(name);
  const ScanCheck check(init, update, states, name);
  check.run();
  ScanOp op;
  op.init = buffers_of(init);
  op.update = buffers_of(update);
  op.states = buffers_of(states);
  const Expr& first = init[0].shape()[0];
  const Expr& steps = states[0].shape()[0];
  op.steps.axes.emplace_back("t", first, ir::to_linear(steps - first).expr(), AxisKind::kTime);

  std::vector<Operation> parts, updates;
  add_operations(init, parts);
  for (const Operation& part : parts) {
    if (depends_on_states(part, op.states)) {
      check.refuse(fmt::format("init '{}' is made from a state, which has no values yet", part->name));
    }
  }
  add_operations(update, updates);
  if (std::none_of(updates.begin(), updates.end(),
                   [&](const Operation& u) { return depends_on_states(u, op.states); })) {
    check.refuse("no update is made from a state: make it by compute");
  }
  step_offsets(op, updates, name);
  add_operations(update, parts);
  std::set<Operation> made_from;
  for (const Operation& part : parts) collect_inputs(part, made_from);
  for (const Tensor& input : inputs) {
    if (!input.defined() || made_from.count(input.op()) == 0) {
      check.refuse(fmt::format("input '{}' is not what init and update are made from",
                               input.defined() ? input.name() : "undefined"));
    }
  }

  std::vector<Buffer> results;
  for (const Tensor& state : states) {
    const Buffer& like = state.buffer();
    results.emplace_back(result_name(name, results.size(), states.size()), like->element, like->shape,
                         ir::Scope::kGlobal, std::vector<Expr>(), like->element.bytes());
  }
  const Operation made = make_operation({std::move(name), std::move(op), std::move(results), std::move(parts)});
  std::vector<Tensor> tensors;
  for (std::size_t r = 0; r < states.size(); ++r) tensors.emplace_back(made, static_cast<int>(r));
  return tensors;
}

Tensor scan(const Tensor& init, const Tensor& update, const Tensor& state, const std::vector<Tensor>& inputs,
            std::string name) {
  return scan(std::vector{init}, std::vector{update}, std::vector{state}, inputs, std::move(name)).front();
}

}  // namespace nestwright
