// oneDNN 2 and 3 on what is bound by memory: softmax, layer normalisation, reduction, transposition (as a reorder) and
// functions element by element (as binary with post-operations), each a primitive made beforehand on plain layouts.
// Thread rule: one thread at a time.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include <optional>
#include <string>

#include "bench/comparison/operation.h"

namespace nestwright::bench {

struct PrimitiveCalls {
  std::string primitive;  ///< by its name in oneDNN
  Calls calls;
};

/// Nothing where oneDNN has no primitive for the workload.
std::optional<PrimitiveCalls> memory_bound_calls(const dnnl::engine& engine, const OperationRequest& request);

}  // namespace nestwright::bench
