// A network of dense layers with relu between them, trained by gradient descent with momentum.
// Thread rule: one thread at a time.
#pragma once

#include <deque>

#include "executor.h"

namespace mnist {

/// Adds the layers that are applied to `x`. `parameters`: the weights, then the bias of each layer.
Value add_layers(Graph& graph, Value x, const std::vector<Value>& parameters);

class Network {
 public:
  /// `sizes`: of an image and of each layer's result. `rate`: of learning. Weights are random, the same in every run.
  /// `compiler` must outlive it.
  Network(const std::vector<std::int64_t>& sizes, float rate, Compiler& compiler);

  /// One step on a batch: images are rows of float32, labels are int64. Returns the sum of the losses before the step.
  double train(const nestwright::ArrayView& images, const nestwright::ArrayView& labels);
  /// Returns how many labels are predicted right.
  double test(const nestwright::ArrayView& images, const nestwright::ArrayView& labels) {
    return run(testing_, images, labels);
  }

 private:
  struct Pass {
    Executor executor;
    Bindings memory = {};
    Value result = 0;
  };
  double run(Pass& pass, const nestwright::ArrayView& images, const nestwright::ArrayView& labels);

  std::deque<nestwright::Array> arrays_;  ///< parameters, velocities and scalars
  Pass training_, testing_;
  Value inverse_batch_ = 0;
};

}  // namespace mnist
