// The tensors of a problem and what the result is held against, in a file in memory that the parent fills once and
// every contestant maps. Contents and bounds are those that tuning checks with. Thread rule: immutable once made.
#pragma once

#include <span>

#include "bench/compare/problem.h"
#include "measure/runner.h"
#include "support/unique_fd.h"

namespace nestwright::bench {

/// A file with expected, bound (double), A and B (float) one after the other. Throws Error where there is no memory.
UniqueFd make_tensor_file(const CheckData& data);

/// A view of such a file, mapped until the process ends.
struct TensorView {
  std::span<const float> a, b;
  std::span<const double> expected, bound;
};
TensorView map_tensors(int fd, const Problem& problem);

/// The largest |c - expected| / bound; right is at most 1. Infinite where c holds a NaN.
double largest_error_ratio(std::span<const float> c, const TensorView& tensors);

}  // namespace nestwright::bench
