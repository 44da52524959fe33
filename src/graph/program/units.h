// Removes dimensions and axes of one element from expressions.
//
//   Y[n,o,y,x]=sum(c,r,s,X[n,c,y+r,x+s]*W[o,c,r,s])+B[o]   n=1 r=1 s=1
//   Y[o,y,x]=sum(c,X[c,y,x]*W[o,c])+B[o]
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/model/graph.h"
#include "text/syntax/program.h"

namespace nestwright {

/// The program without them; it has to be checked. Dimensions stay where an access may be outside of its tensor.
text::Program without_units(const text::Program& program);

/// The node with such a program: its tensors have other shapes than its values. nullopt if it has no inputs then, or if
/// it has to stay as it is.
std::optional<GraphNode> node_without_units(const GraphNode& node);

/// The term with sums and products of literals 0 and 1 folded.
text::Term folded(text::Term term);

}  // namespace nestwright
