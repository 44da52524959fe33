#include "nestwright/lower.h"

#include <fmt/format.h>

#include "nestwright/error.h"

namespace nestwright {

Arg strided(Tensor output, std::vector<Expr> strides) {
  if (!output.defined()) throw UsageError("a tensor that is undefined cannot be strided: make it by compute first");
  if (output.op()->passed_shape) {
    throw UsageError(
        fmt::format("tensor '{}' is passed in another shape, so that it cannot be strided", output.name()));
  }
  if (strides.size() != output.shape().size()) {
    throw UsageError(fmt::format("tensor '{}' has {} dimensions, but {} strides: give one for each", output.name(),
                                 output.shape().size(), strides.size()));
  }
  for (const Expr& stride : strides) {
    if (!stride.defined() || stride.type() != ir::Type{kIndex}) {
      throw UsageError(fmt::format("a stride of tensor '{}' is not of type {}", output.name(), ir::Type{kIndex}.str()));
    }
  }
  Arg result(std::move(output));
  result.strides = std::move(strides);
  return result;
}

}  // namespace nestwright
