// A network as machine code: the kernels of a plan, compiled in their best known configurations, and the constants as
// the kernels read them.
// Thread rule: compile_network() uses all cores; its result is a value.
#pragma once

#include <string>
#include <vector>

#include "codegen/backend.h"
#include "nestwright/array.h"
#include "nestwright/lookup.h"
#include "nestwright/model/network.h"
#include "network/candidates.h"
#include "network/plan.h"

namespace nestwright {

/// The compiled kernel of a task.
struct NetworkKernel {
  Task task;
  Lookup found;
  ir::Program program;  ///< in vector form
  CompiledObject object;
  bool is_parallel = false;
};

/// A pointer that a step passes to its kernel: a place, or, in the place of a constant, where in the weights its
/// elements or what was prepared of it lie. Absent: the kernel does not read it.
struct StepBuffer {
  enum class In : std::uint8_t { kInput, kOutput, kArena, kWeights, kNone } in = In::kNone;
  std::size_t number = 0;  ///< of the input or output
  std::size_t offset = 0;  ///< from the beginning of that memory, in bytes
};

struct CompiledStep {
  std::size_t kernel = 0;
  std::string label;
  std::vector<StepBuffer> buffers;  ///< one for each parameter of the program
};

struct CompiledCopy {
  StepBuffer from, to;
  std::size_t bytes = 0;
};

struct CompiledNetwork {
  NetworkPlan plan;
  std::vector<NetworkKernel> kernels;
  std::vector<CompiledStep> steps;
  /// Of each step, with each candidate of its task; the first is the step itself. Empty if all tasks have one.
  std::vector<std::vector<CompiledStep>> alternatives;
  std::vector<CompiledCopy> copies;
  Array weights;  ///< bytes, 64-byte aligned
};

/// Compiles a graph, which has gone through its passes, for a CPU, with the configurations of look_up_network(). Throws
/// UsageError if this machine cannot run the target's code, because constants are packed here, and as look_up() does;
/// CompileError. Kernels are called SYMBOL_kernel0, SYMBOL_kernel1, ....
CompiledNetwork compile_network(const Graph& graph, const Target& target, const TuningLog* log,
                                const std::string& symbol, const NetworkOptions& options);

/// The same with all candidates of the graph's tasks, which are in the order of network_tasks(). A result lies in the
/// place of an operand only where all candidates allow it.
CompiledNetwork compile_candidates(const Graph& graph, const Target& target,
                                   const std::vector<TaskCandidates>& candidates, const std::string& symbol,
                                   const NetworkOptions& options);

}  // namespace nestwright
