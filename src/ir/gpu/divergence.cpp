#include "ir/gpu/divergence.h"

#include <algorithm>
#include <utility>

#include "ir/traversal/rewrite.h"

namespace nestwright::ir {

void DivergenceAnalysis::within(const For& loop, const std::function<void()>& walk) {
  if (is_device_thread(loop.kind)) {
    const For*& own = threads_[dimension_of(loop.kind)];
    const For* const outer = std::exchange(own, &loop);
    walk();
    own = outer;
    return;
  }
  enclosing_.push_back({dependences(loop.min) | dependences(loop.extent), &loop});
  walk();
  enclosing_.pop_back();
}

void DivergenceAnalysis::within(const IfThenElse& choice, const std::function<void()>& walk) {
  enclosing_.push_back({dependences(choice.condition), nullptr});
  walk();
  enclosing_.pop_back();
}

void DivergenceAnalysis::define(const Let& let) { lets_[let.var] = dependences(let.value); }

std::string DivergenceAnalysis::innermost_divergence() const {
  const auto found = std::find_if(enclosing_.rbegin(), enclosing_.rend(),
                                  [&](const ControlFlow& flow) { return is_divergent(flow.on); });
  if (found == enclosing_.rend()) return {};
  return found->loop != nullptr ? "the loop over " + found->loop->var.name() : "a condition";
}

std::int64_t DivergenceAnalysis::threads(std::size_t dimension) const {
  if (threads_[dimension] == nullptr) return 1;
  const std::int64_t* extent = as_const_int(threads_[dimension]->extent);
  return extent != nullptr ? *extent : 0;
}

DivergenceAnalysis::Dependences DivergenceAnalysis::dependences(const Expr& e) const {
  Dependences on = 0;
  if (!e.defined()) return on;
  for_each_expr(e, [&](const Expr& part) {
    if (const auto* load = part.as<Load>()) {
      const Scope scope = load->buffer->scope;
      if (scope == Scope::kLocal || scope == Scope::kRegister) on |= kPrivateMemory;
    }
    const auto* ref = part.as<VarRef>();
    if (ref == nullptr) return;
    if (const auto let = lets_.find(ref->var); let != lets_.end()) on |= let->second;
    for (std::size_t d = 0; d < threads_.size(); ++d) {
      if (threads_[d] != nullptr && threads_[d]->var == ref->var) on |= 1U << d;
    }
  });
  return on;
}

// Reads the extents of threadIdx only here: those of the inner loops are not known when an outer condition is entered.
bool DivergenceAnalysis::is_divergent(Dependences on) const {
  std::int64_t before = 1;  // threads in the faster dimensions
  for (std::size_t d = 0; d < threads_.size(); ++d) {
    const bool is_constant = before > 0 && before % group_ == 0;
    if ((on >> d & 1U) != 0 && !is_constant) return true;
    before *= threads(d);
  }
  return (on & kPrivateMemory) != 0;
}

}  // namespace nestwright::ir
