// Compiles candidates in worker processes, several at once, each with limits on time and memory, so that a compiler
// that aborts, hangs or exhausts memory costs one candidate.
// Thread rule: one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "nestwright/measurement.h"
#include "nestwright/program.h"
#include "nestwright/target.h"

namespace nestwright {

/// The result for one candidate.
struct BuildResult {
  Outcome outcome = Outcome::kOk;  ///< kOk, kInvalidConfig or kCompileError
  std::string message;
  bool is_skipped = false;  ///< the time was over before it was compiled: nothing is known of the candidate
  CompiledObject object;    ///< if resource_rejection() refused it, only the resources
  double compile_ms = 0;    ///< to expand and compile
};

/// The processes of a builder, and the limits of each.
struct BuilderOptions {
  int processes = 2;
  double timeout_s = 10;
  /// The limit of address space; for devices eight times as much, because their compilers reserve more than they use.
  std::int64_t memory_bytes = std::int64_t{2} << 30;
  /// Called with what a worker that died or was killed had written to its standard error. May be empty.
  std::function<void(const std::string&)> on_output = {};
};

class Builder {
 public:
  virtual ~Builder() = default;
  /// Compiles programs in loop form. Returns one result for each, in order. Those that are not compiled once `is_over`
  /// (may be empty), which is called several times a second, returns true are skipped.
  virtual std::vector<BuildResult> build(const std::vector<ir::Program>& programs, Pipeline pipeline,
                                         const std::function<bool()>& is_over = {}) = 0;
};

/// Makes a builder whose workers are nestwright-worker processes (measure/process/worker_process.h says how the
/// executable is found). Throws Error if it cannot be started; build() throws the same if it cannot be restarted.
std::unique_ptr<Builder> make_local_builder(const Target& target, const BuilderOptions& options = {});

}  // namespace nestwright
