// All hand-written templates of Nestwright, and the operator of each. Generated templates have tests of their own
// (tests/templates/sketch).
#pragma once

#include <vector>

#include "nestwright/error.h"
#include "nestwright/registry.h"

namespace nestwright {

inline std::vector<const Template*> all_templates() {
  std::vector<const Template*> all;
  for (const std::shared_ptr<const Operator>& op : builtin_registry().operators()) {
    for (const Template& t : op->templates) {
      if (!t.is_generic) all.push_back(&t);
    }
  }
  return all;
}

inline const std::shared_ptr<const Operator>& operator_of(const Template& t) {
  for (const std::shared_ptr<const Operator>& op : builtin_registry().operators()) {
    if (op->find_template(t.name) != nullptr) return op;
  }
  throw InternalError("the template " + t.name + " is of no operator");
}

}  // namespace nestwright
