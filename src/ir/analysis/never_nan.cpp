#include "ir/analysis/never_nan.h"

#include <cmath>

#include "ir/core/one_of.h"
#include "ir/traversal/rewrite.h"

namespace nestwright::ir {

NeverNaN::NeverNaN(const Program& program) {
  // Assumes that of all buffers which only stores write, and removes those for which it is not so, until none is left.
  const auto for_each = [&](const std::function<void(const Stmt&)>& f) {
    for (const Kernel& kernel : program.kernels) for_each_stmt(kernel.body, f);
  };
  for_each([&](const Stmt& s) {
    if (const auto* store = s.as<Store>()) buffers_.insert(store->buffer);
  });
  for (const Parameter& parameter : program.parameters) {
    if (parameter.role != Role::kOutput) buffers_.erase(parameter.buffer);
  }
  for_each([&](const Stmt& s) {
    const auto* instruction = s.as<TensorInstruction>();
    if (instruction == nullptr) return;
    for (const Operand& operand : instruction->operands) buffers_.erase(operand.buffer);
  });
  for (bool changed = true; changed;) {
    changed = false;
    for_each([&](const Stmt& s) { changed = remove_where_stored(s) || changed; });
  }
}

bool NeverNaN::remove_where_stored(const Stmt& s) {
  if (const auto* let = s.as<Let>()) bindings_[let->var] = is_number(let->value);
  const auto* store = s.as<Store>();
  return store != nullptr && !is_number(store->value) && buffers_.erase(store->buffer) > 0;
}

bool NeverNaN::is_number(const Expr& e) const {
  if (!e.type().is_float()) return true;
  return std::visit(overloaded{
                        [](const FloatImm& n) { return !std::isnan(n.value); },
                        [&](const VarRef& n) {
                          const auto found = bindings_.find(n.var);
                          return found != bindings_.end() && found->second;
                        },
                        [&](const Binary& n) {
                          const bool is_extremum = n.op == BinaryOp::kMin || n.op == BinaryOp::kMax;
                          return is_extremum && (is_number(n.a) || is_number(n.b));
                        },
                        [&](const Select& n) { return is_number(n.if_true) && is_number(n.if_false); },
                        [&](const Cast& n) { return is_number(n.value); },
                        [&](const Load& n) { return buffers_.contains(n.buffer); },
                        [&](const Broadcast& n) { return is_number(n.value); },
                        [&](const Call& n) {
                          const bool keeps = is_hint(n.intrinsic) || n.intrinsic == Intrinsic::kAbs;
                          return keeps && is_number(n.args.front());
                        },
                        [](const OneOf<IntImm, Not, Ramp, CallExtern, Reduce> auto&) { return false; },
                    },
                    e.node().value);
}

}  // namespace nestwright::ir
