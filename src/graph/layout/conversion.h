// Nodes that convert a tensor from one layout to another: views around a transposition.
//
//   0 to 16      Y[p,s,q]=X[p,q,s]             p blocks, s rows and columns, q channels of a block
//   16 to 0      Y[p,q,s]=X[p,s,q]
//   16 to 32     Y[p,s,r,q]=X[p,r,s,q]         r small blocks of a large one
//
// Thread rule: functions that change their graph only.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/model/graph.h"

namespace nestwright {

/// Adds views and a node that transposes, and returns the tensor in layout `to`. `value` is in layout `from`, which is
/// another, of a tensor that has this shape in the file. Requires that one of two blocks divides the other.
ValueId add_conversion(Graph& graph, ValueId value, const std::vector<std::int64_t>& shape, int from, int to);

}  // namespace nestwright
