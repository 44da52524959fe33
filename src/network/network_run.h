// Runs a compiled network in this process.
// Thread rule: one run at a time; what was compiled must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "nestwright/array.h"
#include "nestwright/model/graph.h"
#include "nestwright/parallel_pool.h"
#include "network/compiled_network.h"
#include "runtime/compiled_kernel.h"

namespace nestwright {

class NetworkRun {
 public:
  /// `graph` is what was compiled, and need not outlive this.
  NetworkRun(const CompiledNetwork& compiled, const Graph& graph);

  /// Is told after each step which buffers its kernel had.
  using AfterStep = std::function<void(std::size_t step, std::span<void* const> buffers)>;

  /// As Network::run().
  void operator()(std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs, const AfterStep& after = {});

 private:
  void check_output(std::size_t number, std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs) const;
  void* address(const StepBuffer& buffer, std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs);
  void run_steps(std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs, const AfterStep& after);

  const CompiledNetwork& compiled_;
  std::vector<TensorType> input_types_, output_types_;
  std::vector<std::string> names_;  ///< of inputs, then outputs
  Array arena_;
  std::shared_ptr<ParallelPool> pool_;  ///< null: there are no kernels
  std::vector<CompiledKernel> kernels_;
};

}  // namespace nestwright
