// An index that is constant in each lane, as all indices of register buffers are once loops are unrolled and
// vectorised. Internal to lower/. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "nestwright/expr_nodes.h"

namespace nestwright {

/// Lane number l has the value base + l*stride.
struct ConstantIndex {
  std::int64_t base = 0, stride = 0;
  int lanes = 1;
};

/// Nothing for an index that is not constant, or not a scalar, a ramp or a broadcast.
std::optional<ConstantIndex> constant_index(const ir::Expr& index);

}  // namespace nestwright
