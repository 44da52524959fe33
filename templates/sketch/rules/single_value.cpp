// single_value: the reduction of everything to one value, or to fewer values than keep the threads busy, is divided
// into blocks along the outermost axis that can be divided.
//
//   for k: y += A[k]     ->      parallel b: y.rf[b] = partial sums of block b, in vectors
//                                for b: y += y.rf[b]
#include <algorithm>

#include "templates/loops/reductions.h"
#include "templates/loops/vectors.h"
#include "templates/sketch/nests/parallelize_outer_loops.h"
#include "templates/sketch/rules.h"
#include "templates/sketch/rules/inner_loops.h"

namespace nestwright {
namespace {

constexpr std::int64_t kBusy = 4;  ///< results of a thread: with fewer, threads may share the reduction

std::int64_t shared_extent(const StageAnalysis& stage) {
  return stage.extents[static_cast<std::size_t>(stage.spatial + shared_reduce_axis(stage))];
}

}  // namespace

bool is_single_value(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (!stage.is_reduction) return false;
  if (stage.spatial == 0) return true;
  const bool may_share = sketch.parallel && stage.points() < kBusy * sketch.target.threads &&
                         sketch.form_of(number).kind == ReductionForm::Kind::kLanes &&
                         !reduction_blocks(shared_extent(stage)).empty();
  return may_share && sketch.choose(stage.name + ".share", {"reduction", "results"}) == "reduction";
}

void schedule_single_value(Sketch& sketch, int number) {
  sketch.finish(number);
  const StageAnalysis& stage = sketch.of(number);
  ScopedTuning t = sketch.knobs_of(number);
  const bool is_lanes = sketch.form_of(number).kind == ReductionForm::Kind::kLanes;
  const std::int64_t extent = shared_extent(stage);
  const int axis = shared_reduce_axis(stage);
  const bool shares_last = stage.spatial + axis == stage.last_reduced();
  const std::int64_t lanes = sketch.target.lanes(widest_type(stage));
  const std::int64_t streams =
      is_lanes && stage.spatial == 0
          ? choose_side_by_side(sketch, stage.name, extent, shares_last ? 2 * lanes : 1, bytes_of(stage))
          : 1;
  const std::vector<std::int64_t> blocks_of = reduction_blocks(extent, streams);
  const bool in_threads = sketch.parallel && !blocks_of.empty();
  const Tensor partial = split_reduction(t, sketch.schedule, stage.tensor, axis, in_threads, streams);
  Stage blocks = sketch.schedule[partial];
  IterVar at = blocks.axis(stage.spatial), shared = blocks.axis(0);
  if (streams > 1) {
    const auto [block, stream] = blocks.split(at, factor(streams));
    blocks.unroll(stream);
    at = shared = block;
  }
  if (in_threads) blocks.parallel(shared);
  if (!is_lanes) return;
  // The candidates must not depend on the number of blocks, which is a knob: the largest number decides.
  const std::int64_t most = (in_threads ? blocks_of.back() : 1) * streams;
  const std::int64_t innermost =
      shares_last ? extent / most : stage.extents[static_cast<std::size_t>(stage.last_reduced())];
  const IterVar k = move_innermost(blocks, reduce_loops(blocks));
  schedule_lanes(sketch, t, number, partial, k, std::max<std::int64_t>(1, innermost), {at, partial, streams});
}

}  // namespace nestwright
