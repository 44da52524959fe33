// A network of dense layers with relu between them, trained by gradient descent with momentum.
// Thread rule: one thread at a time.
#pragma once

#include <deque>

#include "executor.h"

namespace mnist {

using nestwright::ArrayView;

class Network {
 public:
  /// `sizes`: of an image and of each layer's result. Weights are random, the same in every run. `compiler` must
  /// outlive the network.
  Network(const std::vector<std::int64_t>& sizes, Compiler& compiler);
  Network(const Network&) = delete;

  /// One step on a batch: images are rows of float32, labels are int64. Returns the sum of the losses before the step.
  double train(const ArrayView& images, const ArrayView& labels);
  /// Returns how many labels are predicted right.
  double test(const ArrayView& images, const ArrayView& labels) { return run(*tester_, images, labels, right_); }

 private:
  double run(Executor& executor, const ArrayView& images, const ArrayView& labels, Value result);

  Graph graph_;
  std::deque<nestwright::Array> arrays_;
  Memory memory_;
  Value images_, labels_, inverse_batch_, loss_, right_;  ///< 1/batch: gradients are those of the mean
  std::vector<std::pair<Value, Value>> updates_;          ///< parameters and velocities before and after a step
  std::optional<Executor> trainer_, tester_;
};

/// Adds layers that are applied to `x`. `parameters`: the weights, then the bias of each layer.
Value add_layers(Graph& graph, Value x, const std::vector<Value>& parameters);

}  // namespace mnist
