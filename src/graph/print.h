// Prints a graph, a line for each node.
//
//   input x: float32[1, 3, 6, 6]
//   v3: float32[1, 5, 6, 6] = Conv(x, w, b)    Y[i0,i1,i2,i3]=...   // /layer1/conv1
//   output y = v3
//
// Thread rule: a pure function.
#pragma once

#include <string>

#include "nestwright/model/graph.h"

namespace nestwright {

std::string to_string(const Graph& graph);

}  // namespace nestwright
