// identity_of() a graph: equal for graphs of equal kernels that are connected alike, whatever their weights.
// Thread rule: a pure function.
#pragma once

#include <string>

#include "nestwright/model/graph.h"

namespace nestwright {

/// A hash of the expressions of all nodes, of their inputs and of the graph's inputs and outputs, as 16 hexadecimal
/// digits. The same in every build and version: databases store it.
std::string identity_of(const Graph& graph);

}  // namespace nestwright
