// Computes the memory transactions of one access by a warp. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cost_model/loop_nest.h"

namespace nestwright {

struct LoopValue {
  ir::Var var;
  std::int64_t value = 0;
};

/// The access of the first warp. `address` returns the accessed element of `buffer` for the given loop variables, with
/// all others 0. The result has no bytes where the buffer is in neither global nor shared memory. Requires a loop bound
/// to threadIdx.
WarpAccess warp_access(std::span<const NestLoop> loops, const ir::Buffer& buffer,
                       const std::function<std::int64_t(std::span<const LoopValue>)>& address);

}  // namespace nestwright
