// single_value: the reduction of everything to one value, or to fewer values than keep the threads busy, is shared by
// blocks of its outermost axis.
//
//   for k: y += A[k]     ->      parallel b: y.rf[b] = partial sums of block b, in vectors
//                                for b: y += y.rf[b]
#include "templates/generated/rules.h"
#include "templates/generated/shares.h"
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
  if (!stage.is_reduction || stage.results > 1) return false;
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
  const std::int64_t extent = outermost_extent(stage);
  const std::vector<std::int64_t> counts = sketch.parallel ? even_blocks(extent) : std::vector<std::int64_t>{};
  const std::int64_t blocks = counts.empty() ? std::int64_t{1} : std::int64_t{t.define_knob("blocks", counts)};
  Schedule& s = sketch.schedule;
  const IterVar block = s[stage.tensor].split(s[stage.tensor].reduce_axis(0), factor(extent / blocks)).first;
  const Tensor partial = s.rfactor(stage.tensor, block, 0);
  if (blocks > 1) s[partial].parallel(s[partial].axis(0));
  if (sketch.form_of(number).kind != ReductionForm::Kind::kLanes) return;
  // The same candidates for all numbers of blocks.
  const std::int64_t most = counts.empty() ? 1 : counts.back();
  const std::int64_t innermost = stage.reduced() == 1 ? extent / most : stage.extents.back();
  const VectorTile tile = define_vectors(t, std::max<std::int64_t>(1, innermost), widest_type(stage), sketch.target,
                                         stage.expensive > 0 ? max_expanded(sketch.target) : max_sums(sketch.target))
                              .in_run();
  const std::vector<IterVar> loops = s[partial].loops();
  const IterVar at = s[partial].axis(stage.spatial);
  for (const Tensor& lanes : reduce_in_vectors(s, partial, loops.back(), tile)) s[lanes].compute_at(s[partial], at);
}

}  // namespace nestwright
