// Cumulative sums, products, maxima and minima along the leading axis: of X, [steps, columns],
//   Y[t, j] = X[0, j] o X[1, j] o ... o X[t, j]
// The arguments are X and Y. Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"
#include "templates/loops/gpu_threads.h"

namespace nestwright {

Operator scan_operator();

/// Plain loops over double. Maxima and minima are exact; a sum of t terms is off by 8 eps sqrt(t sum x^2)
/// (templates/checking/rounding.h), a product of t factors by t eps of itself, and by as many of the least normal
/// numbers.
Reference scan_reference(const Workload& workload, const HostTensors& inputs);
/// The same for the elements at these places.
ElementReference scan_reference_at(const Workload& workload, const InputValues& inputs,
                                   std::span<const std::int64_t> places);
/// Lines along the rows; along the steps if the rows are short. All sums need one pass over the input.
std::optional<ir::ElementLines> scan_lines(const Workload& workload);
LineReference scan_line_sums(const Workload& workload, const InputValues& inputs, const LineWeights& weights,
                             bool is_linear);
/// Integer inputs for sums only. Inputs of large and small magnitudes: for sums, each column has one scale; for
/// products, each step takes the partial product to another magnitude.
LargeChecks scan_checks();

/// The scan of an X of any extents, also symbolic ones: init computes the first row of y, update the others. For a
/// single row, there is only y, a copy.
struct ScanTensors {
  Tensor init, update, y;
};
/// `function`: sum, product, max or min.
ScanTensors make_scan(const std::string& function, const Tensor& x);

/// Binds the columns of init and update, or of the single row. `in_threads`: the time runs inside the threads, not on
/// the host.
void bind_scan(Schedule& s, const ScanTensors& scan, const ElementTile& tile, bool in_threads);

/// For any sizes: blocks and threads share the columns.
Template scan_gpu_template();

}  // namespace nestwright
