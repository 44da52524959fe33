// Divides the elements of a tensor into runs, the units in which its reference is computed: a run is a number of
// elements along one dimension, whose other indices are the same.
//
//   a matrix of 3 x 10 in runs of 4 along dimension 1: columns 0..3 of rows 0, 1, 2; then 4..7; then 6..9
//
// The runs at the same place of their dimension are consecutive, since they often read the same data. The last ones
// overlap those before, so that all have one length.
// Thread rule: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/analysis/interval.h"
#include "nestwright/tensor.h"

namespace nestwright {

class Runs {
 public:
  /// Requires 1 <= length <= shape[dimension]; a tensor without dimensions has one run of one element.
  Runs(std::vector<std::int64_t> shape, std::size_t dimension, std::int64_t length);

  std::int64_t count() const { return blocks_ * others_; }
  std::int64_t length() const { return length_; }
  std::size_t dimension() const { return dimension_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::int64_t elements() const;

  /// Sets `index`, of the tensor's rank, to the indices of the run's first element.
  void first_of(std::int64_t run, std::span<std::int64_t> index) const;
  /// The number of the run's first element, in row-major order, and the distance of its elements.
  std::int64_t offset_of(std::int64_t run) const;
  std::int64_t stride() const { return stride_; }
  /// The first run with the element of these indices.
  std::int64_t run_of(std::span<const std::int64_t> index) const;
  /// Sets the marks, one for each run, of runs that contain elements of the box, which lies inside the tensor.
  void mark_box(std::span<const ir::Interval> box, std::vector<char>& marks) const;

 private:
  std::vector<std::int64_t> shape_;
  std::size_t dimension_;
  std::int64_t length_, blocks_, others_, stride_;
};

/// Runs for a compute: along a dimension with at least `lanes` elements whose neighbours are read side by side, or from
/// the same element, by as many reads as possible. The length is a multiple of `lanes` where it can be, small enough
/// that partial sums of a reduction stay in the L1 cache, and that each of `threads` has several runs.
Runs choose_runs(const Operation& op, std::int64_t lanes, std::int64_t threads);

}  // namespace nestwright
