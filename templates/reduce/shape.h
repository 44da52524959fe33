// The dimensions of a reduction, as few as there need be. Internal to templates/reduce.
// Thread rule: plain data and a pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "expression/tensor.h"
#include "templates/framework/workload.h"

namespace nestwright {

/// Neighbouring dimensions of one kind.
struct ReduceGroup {
  std::int64_t extent;
  bool reduced;
};

/// Outermost first, kept and reduced ones alternate; those of extent 1 are left out. At least one, and at least one
/// that is reduced. Throws UsageError for an axis that the shape does not have.
std::vector<ReduceGroup> reduce_groups(const Workload& workload);

/// Elements of the result.
std::int64_t kept_elements(const std::vector<ReduceGroup>& groups);

/// What the workload reduces of an element `x` of its input: that, or its share of the mean.
ir::Expr weighted(const Workload& workload, const ir::Expr& x);

/// What the workload computes of elements `x` of its input, over all of `axes`.
ir::Expr reduction(const Workload& workload, const ir::Expr& x, const std::vector<IterVar>& axes);

}  // namespace nestwright
