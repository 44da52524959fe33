#include "network/samples.h"

#include <algorithm>
#include <cmath>

#include "graph/evaluate.h"
#include "graph/in_double.h"
#include "measure/check/elements.h"
#include "reference/host_run.h"

namespace nestwright {
namespace {

/// As exporter/c/self_test/uniform.c.in: in [-1, 1); xorshift after Marsaglia.
class Uniform {
 public:
  double next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1;
  }

 private:
  std::uint64_t state_ = 88172645463325252U;
};

std::vector<double> drawn(const TensorType& type, Uniform& uniform) {
  std::vector<double> values(static_cast<std::size_t>(type.elements()));
  for (double& value : values) {
    const double number = uniform.next();
    value = type.type.is_float() ? number : (number < 0 ? 0 : 1);
  }
  return values;
}

Array array_of(ir::Type type, const std::vector<std::int64_t>& shape, const std::vector<double>& values) {
  Array array = Array::empty(type, shape);
  encode_elements(type, values, array.data());
  return array;
}

std::vector<std::vector<double>> outputs_on(const Graph& graph, const std::vector<std::vector<double>>& inputs) {
  GraphEvaluator evaluator(graph);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ValueId value = graph.inputs()[i].value;
    const TensorType& type = graph.type(value);
    evaluator.set(value, std::make_shared<const Array>(array_of(type.type, type.shape, inputs[i])));
  }
  std::vector<std::vector<double>> outputs;
  for (const GraphPort& output : graph.outputs()) outputs.push_back(doubles_of(*evaluator.get(output.value)));
  return outputs;
}

}  // namespace

NetworkSamples make_samples(const Graph& graph) {
  NetworkSamples samples;
  Uniform uniform;
  std::vector<std::vector<double>> inputs;
  for (const GraphPort& input : graph.inputs()) {
    const TensorType& type = graph.type(input.value);
    samples.inputs.push_back(array_of(type.type, type.shape, drawn(type, uniform)));
    inputs.push_back(doubles_of(samples.inputs.back()));  // rounded to the type
  }
  samples.expected = outputs_on(in_double(graph), inputs);
  const std::vector<std::vector<double>> rounded = outputs_on(graph, inputs);
  for (std::size_t o = 0; o < rounded.size(); ++o) {
    double error = 0, magnitude = 0;
    for (std::size_t i = 0; i < rounded[o].size(); ++i) {
      if (!std::isfinite(rounded[o][i]) || !std::isfinite(samples.expected[o][i])) continue;
      error = std::max(error, std::abs(rounded[o][i] - samples.expected[o][i]));
      magnitude = std::max(magnitude, std::abs(samples.expected[o][i]));
    }
    samples.tolerance.push_back(std::max(16 * error, 1e-6 * magnitude));
  }
  return samples;
}

}  // namespace nestwright
