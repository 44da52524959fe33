// Memory-bound operators by oneDNN 2 and 3: softmax, layer normalisation, reduction, transposition (as a reorder) and
// element-wise functions (binary with post-operations), each a primitive that is made in advance on plain layouts.
// Thread rule: one thread at a time.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include <optional>
#include <string>

#include "bench/comparison/timing/operation.h"

namespace nestwright::bench {

struct PrimitiveCalls {
  std::string primitive;  ///< its name in oneDNN
  Calls calls;
};

/// nullopt where oneDNN has no primitive for the workload.
std::optional<PrimitiveCalls> memory_bound_calls(const dnnl::engine& engine, const OperationRequest& request);

}  // namespace nestwright::bench
