// Runs the programs of expression texts on the check inputs of kernels.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "measure/check/elements.h"
#include "nestwright/array.h"
#include "nestwright/build.h"
#include "nestwright/lower.h"
#include "nestwright/tensor.h"
#include "nestwright/text_operator.h"
#include "search/task/check_data.h"

namespace nestwright {

/// The sets of check inputs on which the results of a program in loop form are wrong: "uniform whole wide", or some of
/// them.
inline std::string wrong_on(const CheckData& data, const ir::Program& loops, const Target& target,
                            const std::vector<Tensor>& args) {
  const Function built = build(loops, target);
  std::string wrong;
  const auto check_set = [&](const char* name, const HostTensors& inputs, const HostTensors& expected,
                             const HostTensors& bound) {
    if (inputs.empty() && std::string(name) != "uniform") return;
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < args.size(); ++i) {
      arrays.push_back(Array::empty(args[i].dtype(), ir::constants_of(passed_shape(args[i]))));
      if (i < inputs.size()) encode_elements(args[i].dtype(), inputs[i], arrays[i].data());
    }
    std::vector<ArrayRef> references, constants;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      (loops.parameters[i].is_constant ? constants : references).emplace_back(arrays[i]);
    }
    const Function function = loops.preparation.defined() ? built.prepare_of(constants) : built;
    function.call(references);
    for (std::size_t o = 0; o < expected.size(); ++o) {
      const std::size_t at = args.size() - expected.size() + o;
      const std::vector<double> none;
      const Comparison compared =
          compare_elements(args[at].dtype(), arrays[at].data(), expected[o], bound.empty() ? none : bound[o]);
      if (compared.first_wrong < 0) continue;
      wrong += (wrong.empty() ? "" : " ") + std::string(name);
      return;
    }
  };
  check_set("uniform", data.inputs, data.expected, data.bound);
  check_set("whole", data.integer_inputs, data.integer_expected, data.integer_bound);
  check_set("wide", data.wide_inputs, data.wide_expected, data.wide_bound);
  return wrong;
}

/// The same for the unscheduled program of another text, run in place of the workload's.
inline std::string wrong_on(const CheckData& data, const std::string& text) {
  const Workload workload = workload_of(text);
  const Definition definition = workload.op->define(workload);
  Target target = Target::host();
  target.threads = 1;
  const ir::Program program = lower(create_schedule(definition.outputs()), definition.args, target, "other");
  return wrong_on(data, program, target, definition.args);
}

}  // namespace nestwright
