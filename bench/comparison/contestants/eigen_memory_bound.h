// Memory-bound operators by Eigen's expressions, which run on one thread.
// Thread rule: one thread at a time.
#pragma once

#include <optional>

#include "bench/comparison/timing/operation.h"

namespace nestwright::bench {

/// nullopt where Eigen has no expression for the workload.
std::optional<Calls> eigen_memory_bound_calls(const OperationRequest& request);

}  // namespace nestwright::bench
