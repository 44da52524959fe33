// References that may take long: they are given a time, and may keep what they compute.
//
// Operator::reference and Operator::wide_inputs may hold the functions of this header, which reference_data() and
// wide_input_data() (operator_data.h) call with a limit, and everyone else without one:
//
//   op.reference = LimitedReference{[](const Workload& w, const HostTensors& in, const ReferenceLimit& limit) {...}};
//
// Thread rule: their functions are pure and may run on several threads at once.
#pragma once

#include <functional>
#include <string>

#include "nestwright/template.h"

namespace nestwright {

struct ReferenceLimit {
  double seconds = 5;        ///< about so long may it compute: elements that do not fit have an infinite bound
  bool is_exact = false;     ///< nothing is rounded on these inputs: all bounds that are finite are 0
  bool is_first = true;      ///< these are the inputs of a workload on which the reference itself is checked most
  std::string kept_in = {};  ///< a directory for what was computed, which is looked up there; empty: none
};

struct LimitedReference {
  std::function<Reference(const Workload&, const HostTensors& inputs, const ReferenceLimit&)> compute;

  Reference operator()(const Workload& workload, const HostTensors& inputs) const {
    return compute(workload, inputs, {});
  }
};

struct LimitedWideInputs {
  std::function<CheckedInputs(const Workload&, const CheckedInputs& uniform, const ReferenceLimit&)> compute;

  CheckedInputs operator()(const Workload& workload, const CheckedInputs& uniform) const {
    return compute(workload, uniform, {});
  }
};

}  // namespace nestwright
