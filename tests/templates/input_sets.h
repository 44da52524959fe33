// The sets of inputs on which a workload is checked: numbers in [-1, 1], integers if the operator is exact on
// them, and numbers of large and small magnitudes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nestwright/registry.h"
#include "templates/framework/template/operator_data.h"

namespace nestwright::testing_inputs {

struct NamedInputs {
  std::string name;  ///< for messages
  CheckedInputs data;
};

/// `uniform`: inputs in [-1, 1], rounded to the operator's types.
inline std::vector<NamedInputs> input_sets(const Workload& workload, HostTensors uniform) {
  const Operator& op = *workload.op;
  Reference reference = op.reference(workload, uniform);
  std::vector<NamedInputs> sets{{"numbers in [-1, 1]", {std::move(uniform), std::move(reference)}}};
  HostTensors whole = op.integer_inputs ? op.integer_inputs(workload) : HostTensors();
  if (!whole.empty()) {
    Reference exact = op.reference(workload, whole);
    for (std::vector<double>& bounds : exact.bound) bounds.assign(bounds.size(), 0);
    sets.push_back({"integers", {std::move(whole), std::move(exact)}});
  }
  CheckedInputs wide = wide_input_data(workload, op.define(workload), sets.front().data);
  if (!wide.inputs.empty()) sets.push_back({"large and small magnitudes", std::move(wide)});
  return sets;
}

}  // namespace nestwright::testing_inputs
