// join_block: a stage that only the rows of a block read is computed by the threads of the block, in shared memory.
//
//   for i: for k: m[i] = max(m[i], A[i, k])          blocks i:
//   for i: for j: C[i, j] = A[i, j] - m[i]     ->      m = max of A[i, :], by all threads
//                                                      threads j: C[i, j] = A[i, j] - m
#include "templates/sketch/gpu/block_rows.h"
#include "templates/sketch/gpu/gpu_rules.h"

namespace nestwright {
namespace {

/// Binds the loop over the rows of a block, if it has several, to threadIdx.y, and the loops inside a row, if any, to
/// threadIdx.x.
void share_values(Stage loops, const StageAnalysis& stage, const RowBlockNest& nest) {
  if (nest.rows > 1) loops.bind(loops.axis(nest.row_axes - 1), kThreadIdxY);
  if (stage.spatial == nest.row_axes) return;
  IterVar all = loops.axis(nest.row_axes);
  for (int a = nest.row_axes + 1; a < stage.spatial; ++a) all = loops.fuse(all, loops.axis(a));
  loops.bind(loops.split(all, factor(nest.threads)).second, kThreadIdxX);
}

}  // namespace

bool may_join_block(GpuSketch& sketch, int number) {
  const int nest = sketch.nest_of_readers(number);
  const auto found = sketch.row_blocks.find(nest);
  return found != sketch.row_blocks.end() &&
         is_of_rows(sketch, number, sketch.relation(number, nest), found->second.row_axes) &&
         has_shared_bytes(sketch, found->second, bytes_of_rows(sketch.of(number), found->second.row_axes));
}

void join_block(GpuSketch& sketch, int number) {
  const int nest_number = sketch.nest_of_readers(number);
  RowBlockNest& nest = sketch.row_blocks.at(nest_number);
  const StageAnalysis stage = sketch.of(number);
  Schedule& s = sketch.schedule;
  const Tensor consumer = sketch.of(nest.stage).tensor;
  if (stage.is_reduction && stage.reduced_points() > 1) {
    const ReducedRows reduced = split_reduction(sketch, number, nest.threads, nest.fan_in, false);
    schedule_shares(
        s, reduced,
        {.consumer = consumer, .at = nest.at, .rows_along_y = nest.rows > 1, .unroll = nest.unroll, .lanes = 1});
    const Tensor own = s.cache_write(stage.tensor, ir::Scope::kLocal);
    s[own].compute_at(s[stage.tensor], s[stage.tensor].axis(stage.spatial - 1));
  }
  nest.shared_bytes += bytes_of_rows(stage, nest.row_axes);
  share_values(s[stage.tensor], stage, nest);
  s[stage.tensor].set_scope(ir::Scope::kShared).compute_at(s[consumer], nest.at);
  sketch.join(number, nest_number, 0);
}

}  // namespace nestwright
