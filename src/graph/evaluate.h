// Computes values of a graph without schedules: what folds constants, and what kernels are judged by.
// Thread rule: one thread at a time per evaluator; it reads a graph that must outlive it, and that may grow.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "nestwright/array.h"
#include "nestwright/model/graph.h"

namespace nestwright {

/// The elements of a value, of the type and shape that the graph gives it.
using SharedArray = std::shared_ptr<const Array>;

/// The results of a node that is not a view, for the elements of its inputs.
std::vector<Array> results_of(const GraphNode& node, const std::vector<const Array*>& inputs);

class GraphEvaluator {
 public:
  explicit GraphEvaluator(const Graph& graph) : graph_(graph) {}

  /// Gives a value its elements, those of an input above all. Requires an array of the value's type.
  void set(ValueId value, SharedArray array) { known_[value] = std::move(array); }
  /// The elements of a value, computed once. Throws UsageError if it depends on an input that was not set.
  SharedArray get(ValueId value);
  /// The elements of integers or truth values as int64; the largest one for those of uint64 that it does not hold.
  std::vector<std::int64_t> integers(ValueId value);

 private:
  void compute(const GraphNode& node);

  const Graph& graph_;
  std::map<ValueId, SharedArray> known_;
};

}  // namespace nestwright
