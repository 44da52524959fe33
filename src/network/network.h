// A network that runs in this process.
//
//   Network network(compile_network(graph, Target::host(), &log, {.symbol = "resnet50"}), graph);
//   network.run(inputs, outputs);
//
// Thread rule: one run at a time; different networks run beside each other.
#pragma once

#include <memory>
#include <vector>

#include "nestwright/array.h"
#include "nestwright/graph.h"
#include "nestwright/parallel_pool.h"
#include "network/compiled_network.h"
#include "runtime/compiled_kernel.h"

namespace nestwright {

class Network {
 public:
  /// `graph` is what it was compiled from.
  Network(CompiledNetwork compiled, const Graph& graph);

  /// Takes an array for each input and output of the graph, in order. Throws UsageError for one that does not have the
  /// type and shape, or is not compact.
  void run(std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs);

  const CompiledNetwork& compiled() const { return compiled_; }

 private:
  void* address(const StepBuffer& buffer, std::span<const ArrayRef> inputs, std::span<const ArrayRef> outputs);

  CompiledNetwork compiled_;
  std::vector<TensorType> input_types_, output_types_;
  std::vector<std::string> names_;  ///< of inputs, then outputs
  Array arena_;
  std::vector<CompiledKernel> kernels_;
};

}  // namespace nestwright
