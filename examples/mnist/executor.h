// Compiles and runs graphs.
// Thread rule: one thread at a time, because all kernels share a pool of threads.
#pragma once

#include <optional>

#include "graph.h"
#include "nestwright.h"

namespace mnist {

/// Compiles kernels, each once.
class Compiler {
 public:
  /// A kernel's schedule is the best one of the database, or the default of its operator's first template where there
  /// is none. `unscheduled`: the plain loops that create_schedule() gives, instead.
  Compiler(const std::string& database, bool unscheduled);

  const nestwright::Function& compile(const std::string& expression);
  const std::map<std::string, nestwright::Function>& functions() const { return functions_; }
  /// How many schedules came from where: "exact", "nearest", "default", "unscheduled".
  const std::map<std::string, int>& sources() const { return sources_; }

 private:
  std::optional<nestwright::TuningLog> log_;
  bool unscheduled_;
  nestwright::Target target_ = nestwright::Target::host();
  nestwright::BuildOptions options_;
  std::map<std::string, nestwright::Function> functions_;  ///< by their expressions
  std::map<std::string, int> sources_;
};

/// A tensor that step `first` writes and that step `last` is the last to read.
struct Lifetime {
  std::size_t bytes = 0, first = 0, last = 0;
};

/// Where tensors lie in one block of memory: those that are never needed at the same time may share bytes.
struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< of each tensor, in cache lines of its own
  std::size_t bytes = 0;             ///< of the block
};
MemoryPlan plan_memory(std::vector<Lifetime> tensors);

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
  const std::vector<Lifetime>& temporaries() const { return temporaries_; }
  const MemoryPlan& plan() const { return plan_; }

 private:
  void prepare(const Types& inputs);

  const Graph& graph_;
  std::set<Value> outputs_;
  Compiler& compiler_;
  Types inputs_;  ///< that it is prepared for
  std::vector<Kernel> kernels_;
  std::vector<Lifetime> temporaries_;
  MemoryPlan plan_;
  nestwright::Array block_;
  Memory memory_;  ///< of temporary values, in the block
};

}  // namespace mnist
