// Uses a tuned kernel from C++: looks up the best configuration, compiles it and returns a callable.
//
//   AppliedKernel matmul = apply_best(parse_workload("matmul m=512 n=512 k=512"), Target::host(), "nestwright.db");
//   matmul.function(a, b, c);
//
// Thread rule: apply_best may be called from any thread; an AppliedKernel serves one caller at a time.
#pragma once

#include <string>
#include <vector>

#include "kernel/function.h"
#include "lookup/lookup.h"
#include "templates/framework/template/workload.h"

namespace nestwright {

/// A compiled kernel with its configuration.
struct AppliedKernel {
  Lookup found;  ///< the configuration, and how it matched
  Function function;
};

/// Compiles the best known configuration for this process, of the template named `only` if it is not empty, as it was
/// tuned for `caches` in this state when a call begins. An empty `database` selects the template's default. Throws
/// UsageError if this machine cannot run the target's code or no template serves the workload, LogError, CompileError.
AppliedKernel apply_best(const Workload& workload, const Target& target, const std::string& database,
                         const std::string& only = {}, CacheState caches = CacheState::kWarm);

}  // namespace nestwright
