// Inputs of a network and the outputs that are right for them: what a compiled network is checked with.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "nestwright/array.h"
#include "nestwright/model/graph.h"

namespace nestwright {

/// One vector or number for each output of a graph.
struct NetworkSamples {
  std::vector<Array> inputs;                  ///< numbers in [-1, 1), integers of 0 and 1
  std::vector<std::vector<double>> expected;  ///< computed in double precision
  /// How far an element may be from its expected value: 16 times the largest error of the graph's own types, computed
  /// without schedules, and at least 1e-6 of the largest magnitude.
  std::vector<double> tolerance;
};

/// The inputs are those that an exported self-test draws. Takes as long as two runs of the graph without schedules.
NetworkSamples make_samples(const Graph& graph);

}  // namespace nestwright
