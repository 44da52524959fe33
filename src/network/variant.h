// Makes the kernels of a model's joined graph in other ways than the default one: kernels_of_variant().
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "nestwright/model/graph.h"
#include "nestwright/records.h"

namespace nestwright {

/// The graph of kernels of a joined graph (graph/passes/passes.h): its groupings are changed, then the nodes have their
/// layouts, then it is named. Throws UsageError if the variant is one of another graph.
Graph kernels_of_variant(const Graph& joined, const NetworkVariant& variant);

/// What the variant does, one line each, with the labels of the nodes: "attention: /layer.0/Softmax, /layer.1/Softmax",
/// "channels in blocks of 16: /conv1/Conv". Throws as kernels_of_variant().
std::vector<std::string> describe_variant(const Graph& joined, const NetworkVariant& variant);

}  // namespace nestwright
