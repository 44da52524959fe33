// Finds the operator of a registry whose templates serve texts.
// Thread rule: a pure function.
#pragma once

#include <algorithm>
#include <memory>

#include "nestwright/registry.h"

namespace nestwright {

/// The registry's operator of that name. nullptr if there is none, or if it has other parameters than `op`, and so is
/// another operator.
inline const Operator* find_same_operator(const Registry& registry, const Operator& op) {
  const auto names = [](const OperatorParameter& a, const OperatorParameter& b) { return a.name == b.name; };
  for (const std::shared_ptr<const Operator>& other : registry.operators()) {
    if (other->name == op.name && std::ranges::equal(other->parameters, op.parameters, names)) return other.get();
  }
  return nullptr;
}

}  // namespace nestwright
