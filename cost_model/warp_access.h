// What a warp of a device does at once with an access. Thread rule: pure functions.
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

/// `address` gives the element of the buffer that is accessed where loop variables have these values and every other
/// one is 0. No bytes where the buffer lies in neither global nor shared memory. Requires a loop bound to threadIdx.
WarpAccess warp_access(std::span<const NestLoop> loops, const ir::Buffer& buffer,
                       const std::function<std::int64_t(std::span<const LoopValue>)>& address);

}  // namespace nestwright
