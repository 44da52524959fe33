#include "network/samples.h"

#include <algorithm>
#include <cmath>

#include "graph/evaluate.h"
#include "graph/in_double.h"
#include "graph/seeded_inputs.h"
#include "measure/check/elements.h"
#include "network/tasks.h"
#include "reference/host_run.h"

namespace nestwright {
namespace {

Array array_of(ir::Type type, const std::vector<std::int64_t>& shape, const std::vector<double>& values) {
  Array array = Array::empty(type, shape);
  encode_elements(type, values, array.data());
  return array;
}

void set_inputs(GraphEvaluator& evaluator, const Graph& graph, const std::vector<std::vector<double>>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ValueId value = graph.inputs()[i].value;
    const TensorType& type = graph.type(value);
    evaluator.set(value, std::make_shared<const Array>(array_of(type.type, type.shape, inputs[i])));
  }
}

/// What is right, and how far from it the graph's own types are.
ExpectedTensor expected_of(std::vector<double> values, const std::vector<double>& rounded) {
  double error = 0, magnitude = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(rounded[i]) || !std::isfinite(values[i])) continue;
    error = std::max(error, std::abs(rounded[i] - values[i]));
    magnitude = std::max(magnitude, std::abs(values[i]));
  }
  return {std::move(values), std::max(16 * error, 1e-6 * magnitude)};
}

}  // namespace

std::optional<double> ExpectedTensor::error_of(const std::vector<double>& actual) const {
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Infinities and numbers that are none have to be there, too.
    if (actual[i] == values[i] || (std::isnan(actual[i]) && std::isnan(values[i]))) continue;
    const double error = std::abs(actual[i] - values[i]);
    if (!(error <= tolerance)) return std::nullopt;
    worst = std::max(worst, error / tolerance);
  }
  return worst;
}

NetworkSamples make_samples(const Graph& graph, SamplesOf of) {
  NetworkSamples samples{.inputs = seeded_inputs(graph), .outputs = {}, .results = {}};
  std::vector<std::vector<double>> inputs;
  for (const Array& input : samples.inputs) inputs.push_back(doubles_of(input));
  const Graph precise = in_double(graph);
  GraphEvaluator exact(precise), rounded(graph);
  set_inputs(exact, precise, inputs);
  set_inputs(rounded, graph, inputs);
  const auto expected = [&](ValueId in_precise, ValueId value) {
    return expected_of(doubles_of(*exact.get(in_precise)), doubles_of(*rounded.get(value)));
  };
  for (std::size_t o = 0; o < graph.outputs().size(); ++o) {
    samples.outputs.push_back(expected(precise.outputs()[o].value, graph.outputs()[o].value));
  }
  for (std::size_t n = 0; of == SamplesOf::kKernels && n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    if (!is_kernel(graph, node)) continue;
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      samples.results[node.outputs[o]] = expected(precise.nodes()[n].outputs[o], node.outputs[o]);
    }
  }
  return samples;
}

}  // namespace nestwright
