#include <algorithm>

#include "templates/sketch/gpu/block_tile.h"

namespace nestwright {
namespace {

constexpr std::int64_t kShortRow = 4;    ///< below, neighbours in memory are too few for the threads of a warp
constexpr std::int64_t kWideAxis = 128;  ///< from here on two axes give a tile enough points
constexpr std::int64_t kMinSliced = 8;   ///< steps of an axis that is worth slicing
constexpr std::int64_t kMaxWindow = 32;  ///< steps of the axes inside of a slice

std::int64_t extent_of(const StageAnalysis& stage, int axis) { return stage.extents[static_cast<std::size_t>(axis)]; }

/// The axis that threadIdx.x runs along: the one whose points are contiguous in memory, or, if that is short, the
/// longest.
int fastest_axis(const StageAnalysis& stage) {
  int longest = 0;
  for (int a = 0; a < stage.spatial; ++a) {
    if (extent_of(stage, a) >= kShortRow && stage.result_stride(a) == 1) return a;
    if (extent_of(stage, a) >= extent_of(stage, longest)) longest = a;
  }
  return longest;
}

/// The number of operands that are reused along `axis`, as they do not depend on it; those that depend on `beside`
/// count twice.
int operands_shared(const StageAnalysis& stage, int axis, int beside) {
  int count = 0;
  for (const OperandAccess& access : stage.accesses) {
    if (!access.mentions(axis)) count += access.mentions(beside) ? 2 : 1;
  }
  return count;
}

/// The axis along which the most operands are reused, the innermost of several such axes; -1 if there is no reuse.
int sharing_axis(const StageAnalysis& stage, int beside, const std::vector<int>& taken) {
  int best = -1, most = 0;
  for (int a = 0; a < stage.spatial; ++a) {
    if (extent_of(stage, a) < 2 || std::find(taken.begin(), taken.end(), a) != taken.end()) continue;
    const int shared = operands_shared(stage, a, beside);
    if (shared > 0 && shared >= most) {
      best = a;
      most = shared;
    }
  }
  return best;
}

/// Whether stage `number` has no reader but the contraction, whose threads may compute it where they fetch.
bool is_only_for(const GpuSketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  return !stage.is_reduction && !stage.is_output && !stage.is_scan_part && stage.results == 1 &&
         stage.readers.size() == 1 && !sketch.is_finished(number);
}

}  // namespace

BlockThreads BlockTileKnobs::threads() const {
  const auto at = [&](std::size_t from_last) {
    return axes.size() > from_last ? axes[axes.size() - 1 - from_last].threads : 1;
  };
  return {at(0), at(1), at(2)};
}

BlockTileShape block_tile_shape(const StageAnalysis& stage) {
  BlockTileShape shape;
  const int x = fastest_axis(stage);
  shape.tiled = {x};
  const int y = sharing_axis(stage, x, shape.tiled);
  if (y >= 0) {
    shape.tiled.insert(shape.tiled.begin(), y);
    const int z = extent_of(stage, x) < kWideAxis ? sharing_axis(stage, x, shape.tiled) : -1;
    if (z >= 0) shape.tiled.insert(shape.tiled.begin(), z);
  }
  for (int a = 0; a < stage.spatial; ++a) {
    if (std::find(shape.tiled.begin(), shape.tiled.end(), a) == shape.tiled.end()) shape.others.push_back(a);
  }
  for (int r = stage.reduced() - 1; r >= 0 && shape.sliced < 0; --r) {
    if (extent_of(stage, stage.spatial + r) >= kMinSliced) shape.sliced = r;
  }
  if (shape.sliced < 0) {
    const auto first = stage.extents.begin() + stage.spatial;
    shape.sliced = static_cast<int>(std::max_element(first, stage.extents.end()) - first);
  }
  std::int64_t window = 1;
  for (int r = stage.reduced() - 1; r >= 0; --r) {
    if (r == shape.sliced) continue;
    const bool fits = window * extent_of(stage, stage.spatial + r) <= kMaxWindow;
    if (fits) window *= extent_of(stage, stage.spatial + r);
    std::vector<int>& axes = fits ? shape.window : shape.outer;
    axes.insert(axes.begin(), r);
  }
  return shape;
}

std::vector<FetchedOperand> operands_to_fetch(const GpuSketch& sketch, const BlockTileShape& shape) {
  const StageAnalysis& stage = sketch.of(shape.sums);
  std::vector<FetchedOperand> fetched;
  for (std::size_t i = 0; i < stage.accesses.size(); ++i) {
    const OperandAccess& access = stage.accesses[i];
    if (!access.tensor.defined() || access.tensor.rank() == 0) continue;
    if (access.tensor.op()->results.size() > 1) continue;  // its results are computed together
    if (stage.reads_of(access.tensor) > 1) continue;
    bool is_affine = true, is_shared = false;
    for (std::size_t d = 0; d < access.steps.size(); ++d) {
      is_shared = is_shared || access.axes[d].size() > 1;
      for (const std::int64_t step : access.steps[d]) is_affine = is_affine && step != 0;
    }
    for (const int axis : shape.tiled) is_shared = is_shared || !access.mentions(axis);
    if (!is_affine || !is_shared) continue;
    const bool is_computed = access.producer >= 0 && is_only_for(sketch, access.producer);
    fetched.push_back({static_cast<int>(i), is_computed ? access.producer : -1});
  }
  return fetched;
}

}  // namespace nestwright
