// Runs graphs of tests on random numbers.
// Thread rule: pure functions.
#pragma once

#include <random>
#include <span>
#include <utility>
#include <vector>

#include "graph/evaluate.h"
#include "nestwright/model/graph.h"
#include "reference/host_run.h"

namespace nestwright {

inline std::vector<float> random_numbers(const TensorType& type, unsigned seed, float low = -1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> numbers(low, 1);
  std::vector<float> values(static_cast<std::size_t>(type.elements()));
  for (float& value : values) value = numbers(generator);
  return values;
}

/// The elements of all outputs on seeded inputs.
inline std::vector<std::vector<double>> outputs_of_run(const Graph& graph) {
  GraphEvaluator evaluator(graph);
  unsigned seed = 1;
  for (const GraphPort& input : graph.inputs()) {
    const TensorType& type = graph.type(input.value);
    Array array = Array::empty(type.type, type.shape);
    const std::vector<float> values = random_numbers(type, seed++);
    array.copy_from(std::as_bytes(std::span(values)));
    evaluator.set(input.value, std::make_shared<const Array>(std::move(array)));
  }
  std::vector<std::vector<double>> outputs;
  for (const GraphPort& output : graph.outputs()) outputs.push_back(doubles_of(*evaluator.get(output.value)));
  return outputs;
}

}  // namespace nestwright
