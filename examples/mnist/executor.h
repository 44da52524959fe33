// Compiles and runs graphs.
// Thread rule: one thread at a time, because all kernels share a pool of threads.
#pragma once

#include <optional>

#include <nestwright/nestwright.h>
#include "graph.h"

namespace mnist {

/// Compiles kernels, each once.
class Compiler {
 public:
  /// A kernel's schedule is the best one of the database, or the default of its operator's first template where there
  /// is none. `unscheduled`: the plain loops that create_schedule() gives, instead.
  Compiler(const std::string& database, bool unscheduled);

  const nestwright::Function& compile(const std::string& expression);
  const std::map<std::string, nestwright::Function>& functions() const { return functions_; }
  /// How many kernels have a schedule from the database.
  int tuned() const { return tuned_; }

 private:
  std::optional<nestwright::TuningLog> log_;
  bool unscheduled_;
  nestwright::Target target_ = nestwright::Target::host();
  nestwright::BuildOptions options_;
  std::map<std::string, nestwright::Function> functions_;  ///< by their expressions
  int tuned_ = 0;
};

/// A tensor that step `first` writes and that step `last` is the last to read, and where it lies in a block of memory.
struct Temporary {
  std::size_t bytes = 0, first = 0, last = 0, offset = 0;
};

/// Chooses the offsets, and returns the size of the block. Tensors share bytes if they are never needed at the same
/// time.
std::size_t plan_memory(std::map<Value, Temporary>& tensors);

using Memory = std::map<Value, nestwright::ArrayView>;

/// Computes some values of a graph.
class Executor {
 public:
  /// The graph and the compiler must outlive it.
  Executor(const Graph& graph, std::set<Value> outputs, Compiler& compiler)
      : graph_(graph), outputs_(std::move(outputs)), compiler_(compiler) {}

  /// `memory` has the graph's inputs and the outputs. Where the shapes of inputs are not those of the last run, kernels
  /// are made, and temporary values are placed, anew. Throws nestwright::UsageError where shapes do not agree.
  void run(const Memory& memory);
  const std::map<Value, Temporary>& temporaries() const { return temporaries_; }

 private:
  void prepare(const Types& inputs);

  const Graph& graph_;
  std::set<Value> outputs_;
  Compiler& compiler_;
  Types inputs_;  ///< that it is prepared for
  std::vector<Kernel> kernels_;
  std::map<Value, Temporary> temporaries_;
  nestwright::Array block_;
  Memory memory_;  ///< of the temporary values, in the block
};

}  // namespace mnist
