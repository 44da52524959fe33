// block_reduction: the threads of a block reduce a row together, or several columns with several threads each.
//
//   for i: for k: y[i] += A[i, k]     ->      blocks i: threads: part = sum of A[i, k], k = thread, thread + threads...
//                                               threads: sums of parts, in shared memory; y[i] = sum of the last ones
//   for j: for k: y[j] += A[k, j]     ->      blocks of j: threads j, part: part = sum of A[k, j]; then as above
#include <algorithm>

#include "templates/loops/candidates.h"
#include "templates/loops/gpu_threads.h"
#include "templates/sketch/gpu/block_rows.h"
#include "templates/sketch/gpu/gpu_rules.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMinSteps = 32;           ///< of a reduction that several threads share
constexpr std::int64_t kMaxColumnThreads = 256;  ///< along x
constexpr std::int64_t kMaxPartThreads = 64;     ///< along y

/// Whether adjacent elements of the largest tensor that is read belong to different results, not to different steps of
/// the reduction.
bool is_in_columns(const StageAnalysis& stage) {
  const OperandAccess* largest = nullptr;
  const auto elements = [](const OperandAccess& access) { return access.tensor.buffer()->elements(); };
  for (const OperandAccess& access : stage.accesses) {
    if (!access.tensor.defined()) continue;
    if (largest == nullptr || elements(access) > elements(*largest)) largest = &access;
  }
  if (largest == nullptr) return false;
  const auto stride = [&](int axis) { return largest->strides[static_cast<std::size_t>(axis)]; };
  return stage.extents[static_cast<std::size_t>(stage.spatial - 1)] > 1 &&
         stride(stage.spatial - 1) == std::int64_t{1} &&
         stride(static_cast<int>(stage.extents.size()) - 1) != std::int64_t{1};
}

void reduce_rows(GpuSketch& sketch, int number) {
  const StageAnalysis stage = sketch.of(number);
  const RowShape common = common_row_axes(sketch, number);
  const RowShape rows{stage.spatial, common.axes == 0 || (common.axes == stage.spatial && common.may_have_several)};
  RowBlockNest nest = define_row_block(sketch, number, rows, stage.reduced_points());
  Schedule& s = sketch.schedule;
  const ReducedRows reduced = split_reduction(sketch, number, nest.threads, nest.fan_in, false);
  const Tensor own = s.cache_write(stage.tensor, ir::Scope::kLocal);
  const IterVar inside = bind_rows(s[stage.tensor], stage.spatial, nest, 1);
  schedule_shares(
      s, reduced,
      {.consumer = stage.tensor, .at = nest.at, .rows_along_y = nest.rows > 1, .unroll = nest.unroll, .lanes = 1});
  s[own].compute_at(s[stage.tensor], inside);
  nest.shared_bytes += bytes_of_rows(stage, stage.spatial);
  sketch.row_blocks[sketch.add_nest({SketchNest::Kind::kRows, number, {}})] = nest;
}

void reduce_columns(GpuSketch& sketch, int number) {
  const StageAnalysis stage = sketch.of(number);
  ScopedTuning t = sketch.knobs_of(number);
  const std::int64_t columns = stage.extents[static_cast<std::size_t>(stage.spatial - 1)];
  const KnobExpr x = t.define_knob("threads_x", powers_up_to(std::min(kMaxColumnThreads, columns)));
  std::vector<std::int64_t> parts = powers_up_to(std::min(kMaxPartThreads, stage.reduced_points()));
  parts.erase(parts.begin());
  const KnobExpr y = t.define_knob("threads_y", parts);
  const std::int64_t fan_in = t.define_knob("fan_in", {4, 2, 8, 1024}), unroll = t.define_knob("unroll", {1, 4, 8});
  require_threads(t, x, y, columns, sketch.target);
  t.require(bytes_of_rows(stage, stage.spatial).of_block(x * y, KnobExpr(1)) <= sketch.target.shared_bytes,
            "the partial results do not fit into a block's shared memory");
  Schedule& s = sketch.schedule;
  const ReducedRows reduced = split_reduction(sketch, number, y, fan_in, true);
  const Tensor own = s.cache_write(stage.tensor, ir::Scope::kLocal);
  Stage loops = s[stage.tensor];
  std::vector<IterVar> order;
  for (int a = 0; a + 1 < stage.spatial; ++a) order.push_back(loops.axis(a));
  const auto [block, column] = loops.split(loops.axis(stage.spatial - 1), factor(x));
  auto [thread, inside] = loops.split(column, factor(1));
  IterVar part;
  std::tie(inside, part) = loops.split(inside, factor(y));
  order.insert(order.end(), {block, part, thread, inside});
  loops.reorder(order);
  IterVar blocks = order.front();
  for (int a = 1; a < stage.spatial; ++a) blocks = loops.fuse(blocks, order[static_cast<std::size_t>(a)]);
  loops.bind(blocks, kBlockIdxX).bind(part, kThreadIdxY).bind(thread, kThreadIdxX);
  schedule_shares(s, reduced,
                  {.consumer = stage.tensor, .at = thread, .rows_along_y = false, .unroll = unroll, .lanes = 1});
  s[own].compute_at(loops, inside);
  sketch.add_nest({SketchNest::Kind::kTiles, number, {}});
}

}  // namespace

bool is_reduced_by_block(GpuSketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (!stage.is_reduction || stage.spatial == 0 || stage.reduced_points() < kMinSteps) return false;
  return sketch.choose(stage.name + ".threads_share", {"reduction", "results"}) == "reduction";
}

void reduce_by_block(GpuSketch& sketch, int number) {
  is_in_columns(sketch.of(number)) ? reduce_columns(sketch, number) : reduce_rows(sketch, number);
}

}  // namespace nestwright
