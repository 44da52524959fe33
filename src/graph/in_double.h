// The same graph in double precision: what results are compared with.
// Thread rule: a pure function.
#pragma once

#include "nestwright/model/graph.h"

namespace nestwright {

/// A graph in which all floating-point tensors, its inputs among them, are float64. Constants are converted.
Graph in_double(const Graph& graph);

}  // namespace nestwright
