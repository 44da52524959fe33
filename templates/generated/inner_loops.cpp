#include "templates/generated/inner_loops.h"

#include <algorithm>

#include "templates/loops/vectors.h"

namespace nestwright {
namespace {

std::int64_t max_vectors_of(const StageAnalysis& stage, const Target& target) {
  return stage.expensive > 0 ? max_expanded(target) : max_sums(target);
}

void define_stores(Sketch& sketch, ScopedTuning& t, const StageAnalysis& stage, std::int64_t row) {
  if (!stage.is_output || stage.results > 1 || stage.result_stride(stage.spatial - 1) != 1) return;
  if (define_streaming(t, stage.tensor, row, sketch.target)) sketch.schedule[stage.tensor].stream();
}

}  // namespace

IterVar schedule_columns(ScopedTuning& t, Stage loops, IterVar column, std::int64_t extent, const VectorTileKnobs& tile,
                         bool in_blocks) {
  if (in_blocks) {
    const VectorBlocks blocks = define_vector_blocks(t, extent, tile);
    const auto [block, inside] = loops.split(column, factor(blocks.elements), Tail::partition());
    loops.parallel(block);
    column = inside;
  }
  return split_vectors(loops, column, tile.in_run());
}

void schedule_points(Sketch& sketch, ScopedTuning& t, int number, bool in_blocks) {
  const StageAnalysis& stage = sketch.of(number);
  if (stage.spatial == 0) return;
  const int last = stage.spatial - 1;
  const std::int64_t extent = stage.extents[static_cast<std::size_t>(last)];
  Stage loops = sketch.loops_of(number);
  if (extent < 2) return;
  const VectorTileKnobs tile =
      define_vectors(t, extent, widest_type(stage), sketch.target, max_vectors_of(stage, sketch.target));
  const IterVar over = schedule_columns(t, loops, loops.axis(last), extent, tile, in_blocks);
  if (stage.is_output) {
    const std::int64_t ahead = define_prefetch(t, bytes_of(stage), sketch.target);
    for (const OperandAccess& access : stage.accesses) {
      const bool is_streamed = access.tensor.defined() && access.producer < 0 &&
                               access.strides[static_cast<std::size_t>(last)] == std::int64_t{1};
      if (ahead > 0 && is_streamed) loops.prefetch(access.tensor, over, ahead);
    }
  }
  define_stores(sketch, t, stage, extent);
}

void schedule_row_reduction(Sketch& sketch, ScopedTuning& t, int number, const IterVar& at, int outer) {
  const StageAnalysis& stage = sketch.of(number);
  const ReductionForm& form = sketch.form_of(number);
  Stage loops = sketch.loops_of(number);
  switch (form.kind) {
    case ReductionForm::Kind::kLanes: {
      const int last = static_cast<int>(stage.extents.size()) - 1;
      const VectorTile tile = define_vectors(t, stage.extents[static_cast<std::size_t>(last)], widest_type(stage),
                                             sketch.target, max_vectors_of(stage, sketch.target))
                                  .in_run();
      const IterVar k = loops.reduce_axis(stage.reduced() - 1);
      for (const Tensor& partial : reduce_in_vectors(sketch.schedule, stage.tensor, k, tile)) {
        sketch.schedule[partial].compute_at(sketch.loops_of(outer), at);
      }
      return;
    }
    case ReductionForm::Kind::kTiles: {
      // In place, with the reduction outside of the vectors.
      const int last = stage.spatial - 1;
      if (form.vector_axis != last) return;
      const VectorTile tile = define_vectors(t, stage.extents[static_cast<std::size_t>(last)], widest_type(stage),
                                             sketch.target, max_sums(sketch.target))
                                  .in_run();
      const IterVar over = split_vectors(loops, loops.axis(last), tile);
      const std::vector<IterVar> now = loops.loops();  // ..., over, vector, lane, those of the reduction
      std::vector<IterVar> order{over};
      const auto from = std::find(now.begin(), now.end(), over);
      for (auto loop = from + 3; loop != now.end(); ++loop) order.push_back(*loop);
      order.insert(order.end(), {*(from + 1), *(from + 2)});
      loops.reorder(order);
      return;
    }
    case ReductionForm::Kind::kScalar:
      return;
  }
}

}  // namespace nestwright
