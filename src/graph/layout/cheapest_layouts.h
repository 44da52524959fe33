// Finds the layouts of a graph's nodes with the least sum of times, those of conversions among them, as NeoCPU does
// (Liu et al., USENIX ATC 2019), and exactly where branches join, too.
//
//   const Graph graph = joined(model);
//   const std::vector<Layouts> possible = possible_layouts(graph, blocks);
//   const LayoutCosts costs = ...;  // times of layout_tasks(graph, possible)
//   const LayoutChoice choice = cheapest_layouts(layout_problem(graph, possible, costs));
//   const Graph kernels = named(with_layouts(graph, choice.layouts).graph);
//
// Thread rule: pure functions. Costs are in any one unit, such as seconds.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "graph/layout/minimize_sum.h"
#include "graph/layout/possible_layouts.h"
#include "nestwright/model/graph.h"

namespace nestwright {

struct LayoutProblem {
  struct NodeCosts {
    Layouts layouts;            ///< that it may have, 0 first
    std::vector<double> costs;  ///< in each of them; infinite where it cannot be computed
  };
  struct TensorCosts {
    std::optional<std::size_t> node;   ///< that computes it; absent: it is as in the file
    std::vector<std::size_t> readers;  ///< nodes
    bool is_output = false;            ///< of the graph: it is needed as in the file
    Layouts layouts;                   ///< that it may have, 0 first; for a node in another one it is as in the file
    /// costs[a][b]: to convert it from layouts[a] to layouts[b], once for all nodes that read it so; 0 if no assignment
    /// needs that.
    std::vector<std::vector<double>> costs;
  };
  std::vector<NodeCosts> nodes;
  std::vector<TensorCosts> tensors;  ///< that may be converted
};

/// The costs of a graph's kernels and conversions.
struct LayoutCosts {
  /// Of a kernel (graph/program/node_form.h), in a layout that it may have.
  std::function<double(std::size_t node, int layout)> node;
  /// Of one of possible_conversions().
  std::function<double(ValueId value, int from, int to)> conversion;
};

/// The problem for a graph whose nodes may have the layouts `possible`.
LayoutProblem layout_problem(const Graph& graph, const std::vector<Layouts>& possible, const LayoutCosts& costs);

/// The sum of the costs of an assignment. Requires layouts that the nodes may have.
double cost_of(const LayoutProblem& problem, const Layouts& layouts);

struct LayoutChoice {
  Layouts layouts;
  double cost = 0;
  bool is_exact = true;
};

/// The cheapest assignment, by elimination of variables. Of several ones one with small layouts is returned. Where
/// branches are so entangled that a table would have more than `max_table` entries, some nodes get the layout that they
/// have in the cheapest of the assignments in which all nodes that may have one layout have it; is_exact says so.
LayoutChoice cheapest_layouts(const LayoutProblem& problem, std::size_t max_table = kMaxTable);

/// The assignment in which the nodes that may have this layout, at a finite cost, have it, and the others 0.
Layouts uniform_layouts(const LayoutProblem& problem, int layout);

}  // namespace nestwright
