// An expression text with random data and the reference for it.
#pragma once

#include <cmath>
#include <random>
#include <string>

#include "measure/check/elements.h"
#include "nestwright/array.h"
#include "reference/host_run.h"
#include "reference/reference.h"
#include "text/expression.h"
#include "text/tensors.h"

namespace nestwright {

struct TextWithReference {
  Definition definition;
  HostTensors inputs;

  explicit TextWithReference(const std::string& text, double low = -1, double high = 1) {
    const text::Signature signature = text::make_tensors(text::Expression::parse(text).program());
    definition.args = signature.args;
    definition.inputs = signature.inputs;
    std::mt19937_64 random(7);
    for (int i = 0; i < signature.inputs; ++i) {
      const Tensor& tensor = signature.args[static_cast<std::size_t>(i)];
      Array array = Array::empty(tensor.dtype(), ir::constants_of(tensor.shape()));
      const bool is_float = tensor.dtype().is_float();
      std::vector<double>& values = inputs.emplace_back();
      for (std::int64_t e = 0; e < array.elements(); ++e) {
        const double value = std::uniform_real_distribution<double>(low, high)(random);
        values.push_back(is_float ? value : std::floor(100 * value));
      }
      encode_elements(tensor.dtype(), values, array.data());
      for (std::int64_t e = 0; e < array.elements(); ++e) {
        values[static_cast<std::size_t>(e)] = element_at(tensor.dtype(), array.data(), e);
      }
    }
  }

  Reference reference(const ReferenceOptions& options = {}) const {
    return compute_reference(definition, inputs, options);
  }

  /// The outputs of the unscheduled expression, in its own types.
  std::vector<std::vector<double>> compute(RunBy by = RunBy::kCompiler) const {
    std::vector<const std::vector<double>*> values;
    for (const std::vector<double>& input : inputs) values.push_back(&input);
    const auto first_output = definition.args.begin() + definition.inputs;
    return run_unscheduled({definition.args.begin(), first_output}, values, {first_output, definition.args.end()}, by);
  }
};

/// The elements of output 0 that are further from their reference than the bound.
inline std::size_t wrong_elements(const std::vector<double>& got, const Reference& reference) {
  std::size_t wrong = 0;
  for (std::size_t e = 0; e < got.size(); ++e) {
    const double expected = reference.expected[0][e];
    const bool is_right = got[e] == expected || std::abs(got[e] - expected) <= reference.bound[0][e];
    wrong += is_right ? 0 : 1;
  }
  return wrong;
}

}  // namespace nestwright
