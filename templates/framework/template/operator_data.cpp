#include "templates/framework/template/operator_data.h"

#include <fmt/format.h>

#include <string>

#include "nestwright/error.h"

namespace nestwright {
namespace {

/// What one function of an operator returned for a workload.
class Returned {
 public:
  Returned(const Workload& workload, const Definition& definition, const char* function)
      : workload_(workload), definition_(definition), function_(function) {}

  void check_inputs(const HostTensors& inputs) const {
    require(inputs.size(), static_cast<std::size_t>(definition_.inputs), "a tensor for each input");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Tensor& tensor = definition_.args[i];
      require(inputs[i].size(), elements_of(tensor), fmt::format("a value for each element of '{}'", tensor.name()));
    }
  }

  void check_reference(const Reference& reference) const {
    const std::vector<Tensor> outputs = definition_.outputs();
    require(reference.expected.size(), outputs.size(), "expected values for each output");
    require(reference.bound.size(), outputs.size(), "bounds for each output");
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const std::size_t elements = elements_of(outputs[o]);
      const std::string& name = outputs[o].name();
      require(reference.expected[o].size(), elements, fmt::format("an expected value for each element of '{}'", name));
      require(reference.bound[o].size(), elements, fmt::format("a bound for each element of '{}'", name));
    }
  }

  void require(std::size_t got, std::size_t wanted, const std::string& what) const {
    if (got == wanted) return;
    throw UsageError(
        fmt::format("what the function '{}' of the operator '{}' returns does not fit {}: return {} ({}, not {})",
                    function_, workload_.op->name, workload_.str(), what, wanted, got));
  }

 private:
  static std::size_t elements_of(const Tensor& tensor) { return static_cast<std::size_t>(tensor.buffer()->elements()); }

  const Workload& workload_;
  const Definition& definition_;
  const char* function_;
};

}  // namespace

void check_definition(const Workload& workload, const Definition& definition) {
  if (definition.inputs >= 0 && static_cast<std::size_t>(definition.inputs) <= definition.args.size()) return;
  throw UsageError(fmt::format(
      "the function 'define' of the operator '{}' returns {} inputs among {} tensors for {}: list the inputs, then the "
      "outputs, and say how many are inputs",
      workload.op->name, definition.inputs, definition.args.size(), workload.str()));
}

std::vector<std::size_t> constant_operands(const Workload& workload) {
  const std::vector<std::size_t>& declared = workload.definition->constant_inputs;
  if (!declared.empty()) return declared;
  for (const OperatorParameter& parameter : workload.op->parameters) {
    if (parameter.name != "prepared" || parameter.choices.empty()) continue;
    Workload prepared = workload;
    for (ParameterValue& value : prepared.parameters) {
      if (value.name == parameter.name) value = {value.name, parameter.choices.back()};
    }
    try {
      return workload.op->define(prepared).constant_inputs;
    } catch (const UsageError&) {
      return {};  // this workload cannot prepare them
    }
  }
  return {};
}

std::vector<std::optional<DataRange>> input_ranges(const Workload& workload, const Definition& definition) {
  const auto inputs = static_cast<std::size_t>(definition.inputs);
  if (!workload.op->ranges) return std::vector<std::optional<DataRange>>(inputs);
  std::vector<std::optional<DataRange>> ranges = workload.op->ranges(workload);
  Returned(workload, definition, "ranges").require(ranges.size(), inputs, "a range for each input");
  return ranges;
}

Reference reference_data(const Workload& workload, const Definition& definition, const HostTensors& inputs,
                         const ReferenceLimit& limit) {
  const auto* const limited = workload.op->reference.target<LimitedReference>();
  Reference reference =
      limited != nullptr ? limited->compute(workload, inputs, limit) : workload.op->reference(workload, inputs);
  Returned(workload, definition, "reference").check_reference(reference);
  return reference;
}

HostTensors integer_input_data(const Workload& workload, const Definition& definition) {
  if (!workload.op->integer_inputs) return {};
  HostTensors whole = workload.op->integer_inputs(workload);
  if (!whole.empty()) Returned(workload, definition, "integer_inputs").check_inputs(whole);
  return whole;
}

CheckedInputs wide_input_data(const Workload& workload, const Definition& definition, const CheckedInputs& uniform,
                              const ReferenceLimit& limit) {
  if (!workload.op->wide_inputs) return {};
  const auto* const limited = workload.op->wide_inputs.target<LimitedWideInputs>();
  CheckedInputs wide =
      limited != nullptr ? limited->compute(workload, uniform, limit) : workload.op->wide_inputs(workload, uniform);
  if (wide.inputs.empty()) return {};
  const Returned returned(workload, definition, "wide_inputs");
  returned.check_inputs(wide.inputs);
  if (wide.reference.expected.empty()) {
    wide.reference = reference_data(workload, definition, wide.inputs, limit);
  } else {
    returned.check_reference(wide.reference);
  }
  return wide;
}

}  // namespace nestwright
