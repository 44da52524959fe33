// Compiles and runs graphs.
// Thread rule: one thread at a time, because all kernels share a pool of threads.
#pragma once

#include <optional>

#include "expressions.h"
#include "memory_plan.h"
#include "nestwright.h"

namespace mnist {

/// Compiles kernels, each once.
class Compiler {
 public:
  /// A kernel's schedule is the best one of the database, or the default of its operator's first template where there
  /// is none. `unscheduled`: the plain loops that create_schedule() gives, instead.
  Compiler(nestwright::Target target, const std::string& database, bool unscheduled);

  const nestwright::Function& compile(const std::string& expression);
  const std::map<std::string, nestwright::Function>& functions() const { return functions_; }
  /// How many schedules came from where: "exact", "nearest", "default", "unscheduled".
  const std::map<std::string, int>& sources() const { return sources_; }

 private:
  nestwright::Target target_;
  std::optional<nestwright::TuningLog> log_;
  bool unscheduled_;
  nestwright::BuildOptions options_;
  std::map<std::string, nestwright::Function> functions_;  ///< by their expressions
  std::map<std::string, int> sources_;
};

using Memory = std::map<Value, nestwright::ArrayView>;

/// Computes some values of a graph.
class Executor {
 public:
  /// Both references must outlive it; nodes that are added to the graph later change nothing.
  Executor(const Graph& graph, std::set<Value> outputs, Compiler& compiler);

  /// `memory` has the graph's inputs and the outputs. Where the types of inputs are not those of the last run, kernels
  /// are made, and temporary values are placed, anew. Throws nestwright::UsageError where shapes do not agree.
  void run(const Memory& memory);

  const std::vector<Lifetime>& temporaries() const { return temporaries_; }
  const MemoryPlan& plan() const { return plan_; }

 private:
  void prepare(const Types& inputs);

  const Graph& graph_;
  std::set<Value> outputs_, needed_;
  Compiler& compiler_;
  Types inputs_;  ///< that it is prepared for
  std::vector<Kernel> kernels_;
  std::vector<Lifetime> temporaries_;
  MemoryPlan plan_;
  nestwright::Array block_;
  Memory memory_;  ///< of temporary values, in the block
};

}  // namespace mnist
