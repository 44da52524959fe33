// Tensors that a sum reads with a stride are copied once, by phases, so that vectors of its axis are contiguous.
//
//   Y[n] = sum(k, X[2*k]*Q[n, k] + X[2*k + 1]*R[n, k])
//
//   X.phases[p, k] = X[2*k + p]
//   Y[n] = sum(k, X.phases[0, k]*Q[n, k] + X.phases[1, k]*R[n, k])
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/tensor.h"

namespace nestwright {

/// The largest stride of a read that a copy makes contiguous; vectors of larger ones are not worth it.
inline constexpr std::int64_t kMaxStride = 8;

/// Replaces such reads in `value`: those with an axis of the reduction in the last index, with a coefficient from 2 to
/// kMaxStride, and in no other one. The axis has as many points as the dimension has groups of that many elements.
/// `terms` is how often the value is computed; tensors whose elements are read less than sixteen times each, or of
/// which only one phase is, are read as they are. Appends the copies to `stages`.
Expr read_by_phases(const Expr& value, const std::vector<IterVar>& reduce_axes, double terms,
                    std::vector<Tensor>& stages);

}  // namespace nestwright
