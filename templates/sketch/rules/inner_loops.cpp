#include "templates/sketch/rules/inner_loops.h"

#include <algorithm>

#include "templates/loops/reductions.h"
#include "templates/loops/vectors.h"
#include "templates/sketch/rules.h"

namespace nestwright {
namespace {

/// Moves the loop over `axis` of the stage inside of those over the later axes of the same kind, which have one point
/// each, and returns it.
IterVar innermost(Stage loops, const StageAnalysis& stage, int axis) {
  const bool is_reduced = axis >= stage.spatial;
  std::vector<IterVar> later;
  for (int a = axis; a < (is_reduced ? static_cast<int>(stage.extents.size()) : stage.spatial); ++a) {
    later.push_back(is_reduced ? loops.reduce_axis(a - stage.spatial) : loops.axis(a));
  }
  return move_innermost(loops, later);
}

}  // namespace

std::int64_t max_vectors(bool is_expensive, const Target& target) {
  return is_expensive ? max_expanded(target) : max_sums(target);
}

void define_stores(Sketch& sketch, ScopedTuning& t, const StageAnalysis& stage, std::int64_t row) {
  if (!stage.is_output || stage.results > 1 || stage.result_stride(stage.last_axis()) != 1) return;
  if (define_streaming(t, stage.tensor, row, sketch.target)) sketch.schedule[stage.tensor].stream();
}

void prefetch_inputs(Sketch& sketch, ScopedTuning& t, const StageAnalysis& stage, int axis, const Tensor& reader,
                     const IterVar& loop) {
  const std::int64_t ahead = define_prefetch(t, bytes_of(stage), sketch.target);
  if (ahead == 0) return;
  std::vector<Tensor> done;
  for (const OperandAccess& access : stage.accesses) {
    const bool is_input = access.tensor.defined() && access.producer < 0;
    if (!is_input || access.strides[static_cast<std::size_t>(axis)] != std::int64_t{1}) continue;
    if (std::find(done.begin(), done.end(), access.tensor) != done.end()) continue;
    done.push_back(access.tensor);
    const Tensor fetched = access.is_constant ? prepare_copy(sketch, access.tensor, {reader}) : access.tensor;
    sketch.schedule[reader].prefetch(fetched, loop, ahead);
  }
}

IterVar schedule_columns(ScopedTuning& t, Stage loops, IterVar column, std::int64_t extent, const VectorTileKnobs& tile,
                         bool in_blocks) {
  if (in_blocks && extent > kFewColumns) {
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
  const int last = stage.last_axis();
  const std::int64_t extent = stage.extents[static_cast<std::size_t>(last)];
  if (extent < 2) return;
  Stage loops = sketch.loops_of(number);
  IterVar column = innermost(loops, stage, last);
  const double bytes = bytes_of(stage);
  const std::int64_t most = max_vectors(stage.expensive > 0, sketch.target);
  const std::int64_t run = most * sketch.target.lanes(widest_type(stage));
  const bool is_all = stage.is_output && stage.points() == extent && stage.expensive == 0;
  const std::int64_t streams = is_all ? choose_side_by_side(sketch, stage.name, extent, 2 * run, bytes) : 1;
  const VectorTileKnobs tile = define_vectors(t, extent / streams, widest_type(stage), sketch.target, most);
  IterVar over;
  if (streams > 1) {
    if (in_blocks) {
      const std::int64_t blocks = t.define_knob("blocks", even_blocks(extent / (streams * run)));
      const auto [block, inside] = loops.split(column, factor(extent / blocks), Tail::partition());
      loops.parallel(block);
      column = inside;
    }
    const auto [stream, elements] = loops.split(column, nparts(streams));
    over = split_vectors(loops, elements, tile.in_run());
    loops.reorder({over, stream}).unroll(stream);
  } else {
    over = schedule_columns(t, loops, column, extent, tile, in_blocks);
  }
  if (stage.is_output) prefetch_inputs(sketch, t, stage, last, stage.tensor, over);
  define_stores(sketch, t, stage, extent);
}

std::int64_t choose_side_by_side(Sketch& sketch, const std::string& stage, std::int64_t extent, std::int64_t unit,
                                 double bytes) {
  std::vector<std::string> options{"one"};
  if (bytes > static_cast<double>(sketch.target.l2_bytes)) {
    if (extent % (4 * unit) == 0 && extent >= 16 * unit) options.emplace_back("four");
    if (extent % (8 * unit) == 0 && extent >= 32 * unit) options.emplace_back("eight");
  }
  const std::string chosen = sketch.choose_once(stage + ".streams", options);
  return chosen == "eight" ? 8 : chosen == "four" ? 4 : 1;
}

void schedule_lanes(Sketch& sketch, ScopedTuning& t, int number, const Tensor& reduced, const IterVar& k,
                    std::int64_t extent, const RowPlace& place) {
  const StageAnalysis& stage = sketch.of(number);
  Schedule& s = sketch.schedule;
  std::int64_t most = max_vectors(stage.expensive > 0, sketch.target);
  if (place.streams > 1) most = std::max<std::int64_t>(1, 2 * most / place.streams);
  const VectorTile tile = define_vectors(t, extent, widest_type(stage), sketch.target, most).in_run();
  const std::vector<Tensor> partial = reduce_in_vectors(s, reduced, k, tile, place.streams);
  for (const Tensor& lanes : partial) s[lanes].compute_at(s[place.outer], place.at);
  prefetch_inputs(sketch, t, stage, stage.last_reduced(), partial.front(), reduce_loops(s[partial.front()]).back());
}

void schedule_row_reduction(Sketch& sketch, ScopedTuning& t, int number, const RowPlace& place) {
  const StageAnalysis& stage = sketch.of(number);
  const ReductionForm& form = sketch.form_of(number);
  Stage loops = sketch.loops_of(number);
  switch (form.kind) {
    case ReductionForm::Kind::kLanes: {
      const int last = stage.last_reduced();
      const IterVar k = innermost(loops, stage, last);
      schedule_lanes(sketch, t, number, stage.tensor, k, stage.extents[static_cast<std::size_t>(last)], place);
      return;
    }
    case ReductionForm::Kind::kTiles: {
      // In place, with the reduction outside of the vectors.
      const int last = stage.last_axis();
      if (form.vector_axis != last) return;
      const std::int64_t extent = stage.extents[static_cast<std::size_t>(last)];
      const VectorTileKnobs tile =
          define_vectors(t, extent, widest_type(stage), sketch.target, max_sums(sketch.target));
      const bool in_blocks = sketch.parallel && !place.at.defined();  // there are no rows that threads share
      const IterVar over = schedule_columns(t, loops, innermost(loops, stage, last), extent, tile, in_blocks);
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
