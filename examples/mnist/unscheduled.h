// Runs the kernels of a graph as the plain loops that create_schedule() gives, to compare schedules with.
// Thread rule: one thread at a time.
#pragma once

#include <map>

#include <nestwright/nestwright.h>

namespace mnist {

class UnscheduledNetwork {
 public:
  /// Compiles each node that is no view.
  explicit UnscheduledNetwork(nestwright::Graph graph);

  /// As nestwright::Network::run().
  void run(std::span<const nestwright::ArrayRef> inputs, std::span<const nestwright::ArrayRef> outputs);

 private:
  const nestwright::Function& compile(const std::string& expression);

  nestwright::Graph graph_;
  std::shared_ptr<nestwright::ParallelPool> pool_ = nestwright::make_pool(nestwright::PoolKind::kSerial, 1);
  std::map<std::string, nestwright::Function> functions_;  ///< by their expressions
  std::vector<const nestwright::Function*> kernels_;       ///< of the nodes; null: a view
  std::map<nestwright::ValueId, nestwright::Array> results_;
};

}  // namespace mnist
