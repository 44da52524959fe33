// single_value: the reduction of everything to one value, or to fewer values than keep the threads busy, is shared by
// blocks of its outermost axis that divides into some.
//
//   for k: y += A[k]     ->      parallel b: y.rf[b] = partial sums of block b, in vectors
//                                for b: y += y.rf[b]
#include <algorithm>

#include "templates/generated/inner_loops.h"
#include "templates/generated/rules.h"
#include "templates/loops/reductions.h"
#include "templates/loops/vectors.h"

namespace nestwright {
namespace {

constexpr std::int64_t kBusy = 4;  ///< results of a thread: with fewer, threads may share the reduction

/// The axis that is divided into blocks, as an index of the extents.
int shared_axis(const StageAnalysis& stage) {
  return stage.spatial + shared_reduce_axis(std::span(stage.extents).subspan(static_cast<std::size_t>(stage.spatial)));
}

std::int64_t shared_extent(const StageAnalysis& stage) {
  return stage.extents[static_cast<std::size_t>(shared_axis(stage))];
}

}  // namespace

bool is_single_value(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (!stage.is_reduction) return false;
  if (stage.spatial == 0) return true;
  const bool may_share = sketch.parallel && stage.points() < kBusy * sketch.target.threads &&
                         sketch.form_of(number).kind == ReductionForm::Kind::kLanes &&
                         !even_blocks(shared_extent(stage)).empty();
  return may_share && sketch.choose(stage.name + ".share", {"reduction", "results"}) == "reduction";
}

void schedule_single_value(Sketch& sketch, int number) {
  sketch.finish(number);
  const StageAnalysis& stage = sketch.of(number);
  ScopedTuning t = sketch.knobs_of(number);
  const bool is_lanes = sketch.form_of(number).kind == ReductionForm::Kind::kLanes;
  const std::int64_t extent = shared_extent(stage);
  const bool shares_last = shared_axis(stage) == stage.last_reduced();
  const std::int64_t lanes = sketch.target.lanes(widest_type(stage));
  const std::int64_t streams =
      is_lanes && stage.spatial == 0
          ? choose_side_by_side(sketch, stage.name, extent, shares_last ? 2 * lanes : 1, bytes_of(stage))
          : 1;
  const bool in_threads = sketch.parallel && !even_blocks(extent / streams).empty();
  const Tensor partial =
      share_reduction(t, sketch.schedule, stage.tensor, shared_axis(stage) - stage.spatial, in_threads, streams);
  Stage blocks = sketch.schedule[partial];
  IterVar at = blocks.axis(stage.spatial), shared = blocks.axis(0);
  if (streams > 1) {
    const auto [block, stream] = blocks.split(at, factor(streams));
    blocks.unroll(stream);
    at = shared = block;
  }
  if (in_threads) blocks.parallel(shared);
  if (!is_lanes) return;
  // The same candidates for all numbers of blocks.
  const std::int64_t most = (in_threads ? even_blocks(extent / streams).back() : 1) * streams;
  const std::int64_t innermost =
      shares_last ? extent / most : stage.extents[static_cast<std::size_t>(stage.last_reduced())];
  std::vector<IterVar> reduce = reduce_loops(blocks);
  for (auto k = reduce.end(); k != reduce.begin();) {
    if (--k; !ir::is_const_int(k->extent(), 1)) {
      std::rotate(k, k + 1, reduce.end());
      break;
    }
  }
  if (reduce.size() > 1) blocks.reorder(reduce);
  schedule_lanes(sketch, t, number, partial, reduce.back(), std::max<std::int64_t>(1, innermost),
                 {at, partial, streams});
}

}  // namespace nestwright
