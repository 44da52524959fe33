// What to measure before the layouts of a graph are chosen.
// Thread rule: a pure function.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "graph/layout/possible_layouts.h"
#include "nestwright/model/graph.h"

namespace nestwright {

/// A kernel of a graph in a layout, or a conversion.
struct LayoutTask {
  std::string workload;  ///< its canonical expression, after named() (graph/passes/passes.h); empty: it costs nothing
  std::vector<std::pair<std::size_t, int>> nodes;  ///< nodes of the graph, and their layouts
  std::vector<LayoutConversion> conversions;
};

/// All kernels of a joined graph in all layouts `possible`, and all possible_conversions(): equal workloads once, in
/// the order of layouts and nodes, those of conversions last. Kernels that cost nothing because their tensors are
/// placed in each other (graph/program/placement.h) are among them.
std::vector<LayoutTask> layout_tasks(const Graph& graph, const std::vector<Layouts>& possible);

}  // namespace nestwright
