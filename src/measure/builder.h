// Compiles candidates in worker processes, several at once, each under limits of time and memory: a compiler that
// aborts, hangs or swells costs one candidate. Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "ir/core/program.h"
#include "measure/measurement.h"
#include "target/target.h"

namespace nestwright {

struct BuildRequest {
  ir::Program program;  ///< loop form
  Pipeline pipeline = Pipeline::kSearch;
};

struct BuildResult {
  Outcome outcome = Outcome::kOk;  ///< kOk, kInvalidConfig or kCompileError
  std::string message;
  CompiledObject object;  ///< of one that was refused for its resources (measure/hopeless.h) these alone
  double compile_ms = 0;  ///< of expanding and compiling
};

struct BuilderOptions {
  int processes = 2;
  double timeout_s = 10;
  /// Of address space; for devices eight times as much, as their compilers reserve more than they use.
  std::int64_t memory_bytes = std::int64_t{2} << 30;
};

class Builder {
 public:
  virtual ~Builder() = default;
  /// One result a request, in order.
  virtual std::vector<BuildResult> build(const std::vector<BuildRequest>& requests) = 0;
};

/// Throws Error where the executable cannot be started; build() does so where it cannot be started again.
/// Builders in nestwright-worker processes (see measure/worker_process.h for how the executable is found).
std::unique_ptr<Builder> make_local_builder(const Target& target, const BuilderOptions& options = {});

}  // namespace nestwright
