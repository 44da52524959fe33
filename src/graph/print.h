// Prints a graph, a line for each node.
//
//   input x: float32[1, 3, 6, 6]
//   %3: float32[1, 5, 6, 6] = Conv(%0:x, %1:w, %2:b)  // /layer1/conv1
//       Y[i0,i1,i2,i3]=...
//   output y = %3
//
// Thread rule: a pure function.
#pragma once

#include <string>

#include "nestwright/model/graph.h"

namespace nestwright {

std::string to_string(const Graph& graph);

}  // namespace nestwright
