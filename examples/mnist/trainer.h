// Trains a network of dense layers (layers.h) by gradient descent with momentum.
// Thread rule: one thread at a time.
#pragma once

#include <functional>
#include <map>
#include <set>

#include <nestwright/nestwright.h>
#include "layers.h"

namespace mnist {

using nestwright::ArrayRef;
using nestwright::ArrayView;

class Trainer {
 public:
  /// Weights are random, the same in every run. A kernel has the best schedule of `log`, the one of the nearest shape,
  /// or the default of its operator, which it has if `log` is null. `log` must outlive the trainer. `unscheduled`: the
  /// plain loops that create_schedule() gives, instead.
  Trainer(Shape sizes, const nestwright::TuningLog* log, bool unscheduled);

  /// One step on a batch: images are rows of float32, labels are int64. Returns the sum of the losses before the step.
  /// The first batch of a size compiles the network for it; this holds for tests, too.
  double train(const ArrayView& images, const ArrayView& labels);
  /// Returns how many labels are predicted right.
  double test(const ArrayView& images, const ArrayView& labels);

  /// The workloads of all kernels that were compiled.
  const std::set<std::string>& workloads() const { return workloads_; }

 private:
  using Run = std::function<void(std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs)>;

  Run compile(const Graph& graph);

  Shape sizes_;
  const nestwright::TuningLog* log_;
  bool unscheduled_;
  std::vector<nestwright::Array> state_, next_state_;  ///< all parameters, then the velocity of each
  std::map<std::int64_t, Run> training_, testing_;     ///< by the sizes of batches
  std::set<std::string> workloads_;
};

}  // namespace mnist
