// Analyses expressions for the rules of generated spaces: for each stage its axes and the cost of a point, and for each
// of its reads the strides of the axes.
// Thread rule: pure functions. Strides are in elements.
//
//   C[i, j] = sum(k, A[i, k] * B[k, j]) of 8 x 32 x 12:
//     extents 8, 32, 12, of which 2 are spatial
//     A: strides 12, 0, 1;  identity 0, 2
//     B: strides 0, 1, 32;  identity 2, 1
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/schedule.h"

namespace nestwright {

/// The reads of a tensor that have equal strides and differ by constants. Axes are those of the stage: the spatial
/// ones, then those of the reduction.
struct OperandAccess {
  Tensor tensor;
  int producer = -1;                                 ///< the stage that computes it; -1: an input, or a scan's state
  bool is_constant = false;                          ///< an input that is the same in every call
  bool is_stored = false;                            ///< an input, or a reduction: it may be read from a copy
  std::vector<std::optional<std::int64_t>> strides;  ///< of each axis; nullopt where the address is not affine in it
  /// For each axis, how many consecutive iterations read the same element: 4 for c in X[c/4], 1 for c in X[c], 0 if the
  /// axis does not occur.
  std::vector<std::int64_t> broadcast_period;
  std::vector<Expr> reads;             ///< the loads, each once: A[i] and A[i + 1]
  std::vector<int> identity;           ///< of each dimension: the axis that is its index in all reads; -1 where none is
  std::vector<std::vector<int>> axes;  ///< of each dimension: the axes that its index mentions
  /// The coefficients of the same axes in the index of each dimension; 0 where the index is not affine in the axis.
  std::vector<std::vector<std::int64_t>> steps;
  bool mentions(int axis) const;
  /// The coefficient of the axis in the index of a dimension; 0 if it does not occur there, or the index is not affine
  /// in it.
  std::int64_t step_of(int axis, std::size_t dimension) const;
  /// Whether the index of a dimension is affine in all axes that it mentions.
  bool is_affine(std::size_t dimension) const;
  /// The dimension whose index is `axis` alone, while no other dimension mentions it; -1 where there is none.
  int dimension_of(int axis) const;
};

struct StageAnalysis {
  Tensor tensor;                      ///< as the schedule names it
  std::string name;                   ///< unique in the schedule
  std::vector<std::int64_t> extents;  ///< of spatial axes, then of those of the reduction
  int spatial = 0;                    ///< the number of the former
  int results = 1;
  bool is_output = false, is_reduction = false;
  bool is_scan_part = false;  ///< a scan, its init, its update, or a stage of its steps
  bool is_prepared = false;   ///< computed before the calls
  bool has_branch = false;    ///< a select by indices, as padding is
  int expensive = 0;          ///< calls of exp and the like, for one point
  int polynomials = 0;        ///< expensive calls that the lowering for CPUs expands (lower/support/vector_math.h)
  int operations = 0;         ///< arithmetic operations per point; those on int64, the type of indices, do not count
  std::vector<OperandAccess> accesses;
  std::vector<int> readers;  ///< the stages that read it

  /// The last axis of the result that has several points, else the last one; -1: there is none.
  int last_axis() const;
  /// The same for the axes of the reduction.
  int last_reduced() const;
  int reduced() const { return static_cast<int>(extents.size()) - spatial; }
  std::int64_t points() const;          ///< of the result
  std::int64_t reduced_points() const;  ///< that each of them combines
  /// Whether some read does not depend on a spatial axis, so that its values serve several points.
  bool has_reuse() const;
  /// The number of distinct reads of a tensor for one point, or for one step of a reduction.
  std::int64_t reads_of(const Tensor& read) const;
  /// The number of points of the spatial axes from `first` on.
  std::int64_t points_from(int first) const;
  /// Elements from one point of the result to the next along a spatial axis; 0 if that is not a constant.
  std::int64_t result_stride(int axis) const;
};

/// The stages of a schedule that are not inlined, producers before consumers. Requires constant extents; throws
/// UsageError where one is a symbol. `constants`: inputs that are the same in every call.
std::vector<StageAnalysis> analyse_stages(const Schedule& schedule, const std::vector<Tensor>& constants = {});

}  // namespace nestwright
