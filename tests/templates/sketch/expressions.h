// Generated spaces of expressions that are not operators of the registry.
// Thread rule: pure functions.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "templates/framework/space/completion.h"
#include "templates/sketch/sketch_template.h"

namespace nestwright::testing_sketch {

/// A workload whose operator computes `outputs` from `inputs`.
inline Workload workload_of(std::vector<Tensor> inputs, const std::vector<Tensor>& outputs,
                            std::vector<std::size_t> constant_inputs = {}) {
  Definition definition;
  definition.constant_inputs = std::move(constant_inputs);
  definition.inputs = static_cast<int>(inputs.size());
  definition.args = std::move(inputs);
  definition.args.insert(definition.args.end(), outputs.begin(), outputs.end());
  for (const Tensor& output : outputs) definition.flops += count_flops(output);
  Operator op;
  op.name = "expression";
  op.define = [definition](const Workload&) { return definition; };
  return {std::make_shared<const Operator>(std::move(op)), {}, std::make_shared<const Definition>(definition)};
}

}  // namespace nestwright::testing_sketch
