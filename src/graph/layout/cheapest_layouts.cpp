#include "graph/layout/cheapest_layouts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "graph/passes/rewrite.h"
#include "graph/program/node_form.h"

namespace nestwright {
namespace {

using NodeCosts = LayoutProblem::NodeCosts;
using TensorCosts = LayoutProblem::TensorCosts;

/// The number of the layout in which a node in `layout` reads or computes the tensor.
std::size_t number_of(const TensorCosts& tensor, int layout) {
  const auto found = std::ranges::find(tensor.layouts, layout);
  return found == tensor.layouts.end() ? 0 : static_cast<std::size_t>(found - tensor.layouts.begin());
}

std::size_t number_of(const NodeCosts& node, int layout) {
  return static_cast<std::size_t>(std::ranges::find(node.layouts, layout) - node.layouts.begin());
}

/// A set of layouts of a tensor: a bit for each.
using LayoutSet = std::size_t;

double conversion_cost(const TensorCosts& tensor, std::size_t from, LayoutSet needed) {
  double cost = 0;
  for (std::size_t to = 0; to < tensor.layouts.size(); ++to) {
    if (to != from && (needed >> to & 1) != 0) cost += tensor.costs[from][to];
  }
  return cost;
}

/// Makes variables and terms of a problem: a variable for each node, the number of its layout; and for each tensor one
/// for each reader, the set of layouts that this and the readers before it need. So no term has more than three
/// variables, however many readers a tensor has.
class LayoutTerms {
 public:
  LayoutTerms(const LayoutProblem& problem, const Layouts& start) : problem_(problem) {
    for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
      const NodeCosts& node = problem.nodes[n];
      values_.push_back(node.layouts.size());
      start_.push_back(number_of(node, start[n]));
      terms_.push_back({.variables = {n}, .costs = node.costs});
    }
    for (const TensorCosts& tensor : problem.tensors) add(tensor);
  }

  Minimum minimize(std::size_t max_table) { return minimize_sum(values_, std::move(terms_), start_, max_table); }

 private:
  /// The set of one layout: that in which a node reads the tensor.
  LayoutSet read_by(const TensorCosts& tensor, std::size_t node, std::size_t layout) const {
    return LayoutSet{1} << number_of(tensor, problem_.nodes[node].layouts[layout]);
  }

  bool is_fixed(std::size_t node) const { return problem_.nodes[node].layouts.size() == 1; }

  void add(const TensorCosts& tensor) {
    if (tensor.layouts.size() < 2) return;
    LayoutSet always = tensor.is_output ? 1 : 0;
    std::vector<std::size_t> readers;
    for (const std::size_t reader : tensor.readers) {
      if (is_fixed(reader)) {
        always |= read_by(tensor, reader, 0);
      } else {
        readers.push_back(reader);
      }
    }
    std::optional<std::size_t> before;  // the variable of the readers so far
    for (const std::size_t reader : readers) before = add_reader(tensor, reader, always, before);
    add_conversions(tensor, always, before);
  }

  /// Adds the variable of a reader, whose set is that of the variable `before`, or `always`, and what it reads.
  std::size_t add_reader(const TensorCosts& tensor, std::size_t reader, LayoutSet always,
                         std::optional<std::size_t> before) {
    const std::size_t sets = std::size_t{1} << tensor.layouts.size(), set = values_.size();
    CostTerm term{.variables = {reader, set}, .costs = {}};
    if (before) term.variables.insert(term.variables.begin(), *before);
    for (LayoutSet earlier = before ? 0 : always; earlier < (before ? sets : always + 1); ++earlier) {
      for (std::size_t layout = 0; layout < problem_.nodes[reader].layouts.size(); ++layout) {
        const LayoutSet both = earlier | read_by(tensor, reader, layout);
        for (LayoutSet is = 0; is < sets; ++is) {
          term.costs.push_back(is == both ? 0 : std::numeric_limits<double>::infinity());
        }
      }
    }
    values_.push_back(sets);
    start_.push_back((before ? start_[*before] : always) | read_by(tensor, reader, start_[reader]));
    terms_.push_back(std::move(term));
    return set;
  }

  /// Adds the costs of the conversions to the set of the variable `needed`, or to `always`.
  void add_conversions(const TensorCosts& tensor, LayoutSet always, std::optional<std::size_t> needed) {
    CostTerm term;
    if (tensor.node) term.variables.push_back(*tensor.node);
    if (needed) term.variables.push_back(*needed);
    const Layouts as_in_file{0};
    for (const int layout : tensor.node ? problem_.nodes[*tensor.node].layouts : as_in_file) {
      const std::size_t from = number_of(tensor, layout), sets = std::size_t{1} << tensor.layouts.size();
      for (LayoutSet set = needed ? 0 : always; set < (needed ? sets : always + 1); ++set) {
        term.costs.push_back(conversion_cost(tensor, from, set));
      }
    }
    terms_.push_back(std::move(term));
  }

  const LayoutProblem& problem_;
  std::vector<std::size_t> values_, start_;
  std::vector<CostTerm> terms_;
};

/// The cheapest assignment in which all nodes that may have one layout have it.
Layouts cheapest_uniform(const LayoutProblem& problem) {
  std::set<int> all{0};
  for (const NodeCosts& node : problem.nodes) all.insert(node.layouts.begin(), node.layouts.end());
  Layouts best;
  double least = std::numeric_limits<double>::infinity();
  for (const int layout : all) {
    Layouts layouts = uniform_layouts(problem, layout);
    const double cost = cost_of(problem, layouts);
    if (!best.empty() && cost >= least) continue;
    best = std::move(layouts);
    least = cost;
  }
  return best;
}

}  // namespace

LayoutProblem layout_problem(const Graph& graph, const std::vector<Layouts>& possible, const LayoutCosts& costs) {
  LayoutProblem problem;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const bool has_cost = is_kernel(graph, graph.nodes()[n]);
    NodeCosts node{.layouts = possible[n], .costs = {}};
    for (const int layout : possible[n]) node.costs.push_back(has_cost ? costs.node(n, layout) : 0);
    problem.nodes.push_back(std::move(node));
  }
  const std::vector<std::vector<std::size_t>> readers = readers_of(graph);
  const std::vector<bool> is_output = outputs_of(graph);
  std::map<ValueId, std::vector<LayoutConversion>> conversions;
  for (const LayoutConversion& conversion : possible_conversions(graph, possible)) {
    conversions[conversion.value].push_back(conversion);
  }
  for (const auto& [value, all] : conversions) {
    TensorCosts tensor{.node = graph.value(value).node, .readers = readers[value], .is_output = is_output[value]};
    std::set<int> layouts{0};
    for (const LayoutConversion& conversion : all) layouts.insert({conversion.from, conversion.to});
    tensor.layouts.assign(layouts.begin(), layouts.end());
    tensor.costs.assign(layouts.size(), std::vector<double>(layouts.size()));
    for (const LayoutConversion& conversion : all) {
      double& cost = tensor.costs[number_of(tensor, conversion.from)][number_of(tensor, conversion.to)];
      cost = costs.conversion(value, conversion.from, conversion.to);
    }
    problem.tensors.push_back(std::move(tensor));
  }
  return problem;
}

double cost_of(const LayoutProblem& problem, const Layouts& layouts) {
  double cost = 0;
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    cost += problem.nodes[n].costs[number_of(problem.nodes[n], layouts[n])];
  }
  for (const TensorCosts& tensor : problem.tensors) {
    LayoutSet needed = tensor.is_output ? 1 : 0;
    for (const std::size_t reader : tensor.readers) needed |= LayoutSet{1} << number_of(tensor, layouts[reader]);
    cost += conversion_cost(tensor, tensor.node ? number_of(tensor, layouts[*tensor.node]) : 0, needed);
  }
  return cost;
}

LayoutChoice cheapest_layouts(const LayoutProblem& problem, std::size_t max_table) {
  const Minimum minimum = LayoutTerms(problem, cheapest_uniform(problem)).minimize(max_table);
  LayoutChoice choice{.layouts = {}, .cost = minimum.cost, .is_exact = minimum.is_exact};
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    choice.layouts.push_back(problem.nodes[n].layouts[minimum.values[n]]);
  }
  return choice;
}

Layouts uniform_layouts(const LayoutProblem& problem, int layout) {
  Layouts layouts;
  for (const NodeCosts& node : problem.nodes) {
    const std::size_t number = number_of(node, layout);
    const bool has = number < node.layouts.size() && std::isfinite(node.costs[number]);
    layouts.push_back(has ? layout : 0);
  }
  return layouts;
}

}  // namespace nestwright
