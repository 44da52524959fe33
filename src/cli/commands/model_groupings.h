// What `nestwright model --groupings` prints: where kernels of a model may be made in another way.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "nestwright/model/graph.h"

namespace nestwright::cli {

/// Of each kind of groupings in the joined graph that has sites: how many there are, and for each group of sites with
/// equal tasks the kernels before and after.
std::string groupings_text(const Graph& joined);

}  // namespace nestwright::cli
