// Groups the places of elements by rows, for references that compute a row at a time.
// Thread rule: pure functions.
#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "nestwright/template.h"

namespace nestwright {

/// Some places in one row: those at positions begin .. end - 1 of a list.
struct RowPlaces {
  std::int64_t row = 0;
  std::size_t begin = 0, end = 0;
};

/// Groups ascending places by rows of `columns` elements.
std::vector<RowPlaces> group_by_rows(std::span<const std::int64_t> places, std::int64_t columns);

/// Calls `f(group)` for each row that has places, from several threads at once.
template <typename Function>
void for_rows(std::span<const std::int64_t> places, std::int64_t columns, const Function& f) {
  const std::vector<RowPlaces> rows = group_by_rows(places, columns);
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) { f(rows[i]); });
}

/// Reads the elements at ascending places, each moved by `offset`: consecutive ones at once.
void read_places(const TensorValues& tensor, std::span<const std::int64_t> places, std::int64_t offset,
                 std::span<double> values);

/// An empty reference for so many elements.
inline ElementReference reference_of(std::size_t elements) {
  return {std::vector<double>(elements), std::vector<double>(elements)};
}

/// Calls `f(begin, end)` for parts of [0, elements), from several threads at once. Each part but the last has a
/// multiple of `run` elements, unless that is very large, and a multiple of `unit`, a power of two up to 2^16.
void for_parts(std::int64_t elements, std::int64_t run, std::int64_t unit,
               const std::function<void(std::int64_t begin, std::int64_t end)>& f);

/// Throws UsageError for tensors of other sizes.
void check_sizes(const Workload& workload, const HostTensors& inputs, const std::vector<std::int64_t>& sizes);

/// Operator::wide_inputs and Operator::integer_inputs from the sources of large checks.
std::function<CheckedInputs(const Workload&, const CheckedInputs& uniform)> wide_inputs_of(const LargeChecks& checks);
std::function<HostTensors(const Workload&)> integer_inputs_of(const LargeChecks& checks);

/// The whole reference of an operator with one output, from that of its elements.
Reference whole_reference(const LargeChecks& checks, const Workload& workload, const HostTensors& inputs,
                          std::int64_t elements);

/// The reference for the sums over the lines of a compact output, from that of its elements. Requires compact_lines().
LineReference line_sums_of_elements(const LargeChecks& checks, const Workload& workload, const InputValues& inputs,
                                    const ir::ElementLines& lines, const LineWeights& weights);

/// The bound of a line's sum, from the sum of the squares of its terms' bounds and that of its terms' magnitudes, by
/// which the sums in double round. Signs are random, so that errors, of
/// whatever cause, add up to more than t times the root of that sum with a probability of at most 2 exp(-t^2 / 2)
/// (Hoeffding); as right kernels stay below half of their bounds, 4 is 8 times it.
double line_bound(double sum_squares, double magnitude);

}  // namespace nestwright
