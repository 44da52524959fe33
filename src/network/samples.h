// Inputs of a network and the outputs that are right for them: what a compiled network is checked with.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "nestwright/array.h"
#include "nestwright/model/graph.h"

namespace nestwright {

/// The elements of a tensor in double precision.
struct ExpectedTensor {
  std::vector<double> values;
  /// How far an element may be from its value: 16 times the largest error of the graph's own types, computed without
  /// schedules, and at least 1e-6 of the largest magnitude.
  double tolerance = 0;

  /// The largest error of finite elements as a share of the tolerance; nullopt if an element is wrong.
  std::optional<double> error_of(const std::vector<double>& actual) const;
};

struct NetworkSamples {
  std::vector<Array> inputs;                  ///< seeded_inputs()
  std::vector<ExpectedTensor> outputs;        ///< of the graph
  std::map<ValueId, ExpectedTensor> results;  ///< of the graph's kernels, if they were asked for
};

enum class SamplesOf : std::uint8_t { kOutputs, kKernels };

/// The inputs are those that an exported self-test draws. Takes as long as two runs of the graph without schedules.
NetworkSamples make_samples(const Graph& graph, SamplesOf of = SamplesOf::kOutputs);

}  // namespace nestwright
