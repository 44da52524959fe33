// single_value: the reduction of everything to one value, or to fewer values than keep the threads busy, is shared by
// blocks of its outermost axis.
//
//   for k: y += A[k]     ->      parallel b: y.rf[b] = partial sums of block b, in vectors
//                                for b: y += y.rf[b]
#include "templates/generated/inner_loops.h"
#include "templates/generated/rules.h"
#include "templates/loops/reductions.h"
#include "templates/loops/vectors.h"

namespace nestwright {
namespace {

constexpr std::int64_t kBusy = 4;  ///< results of a thread: with fewer, threads may share the reduction

std::int64_t outermost_extent(const StageAnalysis& stage) {
  return stage.extents[static_cast<std::size_t>(stage.spatial)];
}

}  // namespace

bool is_single_value(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (!stage.is_reduction) return false;
  if (stage.spatial == 0) return true;
  const bool may_share = sketch.parallel && stage.points() < kBusy * sketch.target.threads &&
                         sketch.form_of(number).kind == ReductionForm::Kind::kLanes &&
                         !even_blocks(outermost_extent(stage)).empty();
  return may_share && sketch.choose(stage.name + ".share", {"reduction", "results"}) == "reduction";
}

void schedule_single_value(Sketch& sketch, int number) {
  sketch.finish(number);
  const StageAnalysis& stage = sketch.of(number);
  ScopedTuning t = sketch.knobs_of(number);
  const bool is_lanes = sketch.form_of(number).kind == ReductionForm::Kind::kLanes;
  const std::int64_t extent = outermost_extent(stage);
  const std::int64_t lanes = sketch.target.lanes(widest_type(stage));
  const std::int64_t streams =
      is_lanes && stage.spatial == 0
          ? choose_side_by_side(sketch, stage.name, extent, stage.reduced() == 1 ? 2 * lanes : 1, bytes_of(stage))
          : 1;
  const bool in_threads = sketch.parallel && !even_blocks(extent / streams).empty();
  const Tensor partial = share_reduction(t, sketch.schedule, stage.tensor, in_threads, streams);
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
  const std::int64_t innermost = stage.reduced() == 1 ? extent / most : stage.extents.back();
  IterVar k;
  for (const IterVar& loop : blocks.loops()) {
    if (loop.is_reduce()) k = loop;
  }
  schedule_lanes(sketch, t, number, partial, k, std::max<std::int64_t>(1, innermost), {at, partial, streams});
}

}  // namespace nestwright
