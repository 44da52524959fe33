// Compiles and runs graphs.
// Thread rule: one thread at a time, because all kernels share a pool of threads.
#pragma once

#include <optional>

#include "expressions.h"
#include "nestwright.h"

namespace mnist {

/// Compiles kernels, each once.
class Compiler {
 public:
  /// With a database, a kernel's schedule is the best one that is recorded there, else the default of its operator's
  /// first template. `unscheduled`: the plain loops that create_schedule() gives, instead.
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

/// The memory of a graph's inputs and outputs. An output may have the memory of an input which nothing reads later.
using Bindings = std::map<Value, nestwright::ArrayView>;

class Executor {
 public:
  /// `compiler` must outlive it.
  Executor(Graph graph, Compiler& compiler) : graph_(std::move(graph)), compiler_(&compiler) {}

  /// Infers shapes, compiles and plans memory first where the types of inputs are not those of the last run. Throws
  /// nestwright::UsageError where inputs and outputs do not fit.
  void run(const Bindings& bound);

  std::size_t temporary_bytes() const { return memory_.size_bytes(); }
  const Bindings& temporaries() const { return temporaries_; }

 private:
  void prepare(const std::map<Value, TensorType>& inputs);

  Graph graph_;
  Compiler* compiler_;
  std::map<Value, TensorType> inputs_;  ///< that it is prepared for
  std::vector<Kernel> kernels_;
  nestwright::Array memory_;  ///< of the values that are neither inputs nor outputs
  Bindings temporaries_;
};

}  // namespace mnist
