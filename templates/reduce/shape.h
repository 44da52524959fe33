// The dimensions of a reduction, with adjacent ones of one kind merged. Internal to templates/reduce.
// Thread rule: plain data and a pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/tensor.h"
#include "nestwright/workload.h"

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

/// The term for an element `x` of the input: `x` itself or, for a mean, `x` over the number of terms.
ir::Expr weighted(const Workload& workload, const ir::Expr& x);

/// The workload's reduction of the input elements `x` over all of `axes`.
ir::Expr reduction(const Workload& workload, const ir::Expr& x, const std::vector<IterVar>& axes);

}  // namespace nestwright
