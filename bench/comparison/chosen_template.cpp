#include "bench/comparison/chosen_template.h"

#include <fmt/format.h>

#include <memory>

#include "support/error.h"
#include "templates/registry.h"

namespace nestwright::bench {

Workload with_template(const Workload& workload, const std::string& name) {
  if (name.empty() || workload.op->find_template(name) != nullptr) return workload;
  const Template* const known = builtin_registry().find_template(name);
  if (known == nullptr || !known->is_generic) {
    throw UsageError(fmt::format("there is no template '{}' of {}: see nestwright templates", name, workload.op->name));
  }
  Operator op = *workload.op;
  op.templates.push_back(*known);
  Workload result = workload;
  result.op = std::make_shared<const Operator>(std::move(op));
  return result;
}

}  // namespace nestwright::bench
