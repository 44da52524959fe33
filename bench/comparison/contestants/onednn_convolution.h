// Convolutions by oneDNN 2 and 3: the faster of its direct and its Winograd primitive, each on the operator's layouts
// and on those that it prefers. Thread rule: one thread at a time.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include <optional>
#include <string>
#include <variant>

#include "bench/comparison/timing/operation.h"

namespace nestwright::bench {

struct ConvolutionCalls {
  std::string detail;  ///< the implementation that runs, its layouts, and those that it beats
  Calls calls;
  Calls stores;  ///< as Operation::stores
};

/// nullopt where the workload is no convolution. Tensors in another layout than the primitive's are reordered: weights
/// in each call, or once before all calls where they are prepacked; images and results in each call, or outside of all
/// calls where the weights are Weights::kBlocked.
std::optional<std::variant<ConvolutionCalls, CannotDo>> convolution_calls(const dnnl::engine& engine,
                                                                          const OperationRequest& request);

}  // namespace nestwright::bench
