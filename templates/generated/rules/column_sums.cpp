// column_sums: a reduction that reads vectors of its last axis and no element twice has a tile of a few vectors of sums
// in registers. What is reduced is taken as a whole, or in blocks of a few rows, between which the result keeps the
// sums. Threads share the columns, the outer axes, or what is reduced: then each block has partial results, which are
// combined in vectors.
//
//   for j: for k: y[j] += A[k, j]     ->      parallel j blocks: for k blocks: for j tiles:
//                                               tile = y or 0;  for k: tile += A[k, vectors];  y = tile
#include <algorithm>

#include "templates/generated/row_seeds.h"
#include "templates/generated/rules.h"
#include "templates/generated/shares.h"
#include "templates/loops/divide.h"
#include "templates/loops/vectors.h"

namespace nestwright {
namespace {

constexpr std::int64_t kUnrolledRows = 4;  ///< of a block at a time

struct ColumnSums {
  std::string share;  ///< what threads share
  bool is_blocked;    ///< the reduction is, by its outermost axis
  VectorTileKnobs tile;
  std::int64_t rows;  ///< of a block, or those that are unrolled
};

ColumnSums define_column_sums(Sketch& sketch, ScopedTuning& t, const StageAnalysis& stage) {
  const std::int64_t columns = stage.extents[static_cast<std::size_t>(stage.spatial - 1)];
  const std::int64_t innermost = stage.extents.back();
  const std::int64_t lanes = sketch.target.lanes(widest_type(stage));
  std::vector<std::string> shares;
  if (!sketch.parallel) {
    shares = {"none"};
  } else {
    if (columns > 2 * lanes) shares.emplace_back("columns");
    if (stage.points() > columns) shares.emplace_back("results");
    if (!even_blocks(stage.extents[static_cast<std::size_t>(stage.spatial)]).empty()) shares.emplace_back("reduction");
    if (shares.empty()) shares = {"none"};
  }
  ColumnSums result;
  result.share = sketch.choose_once(stage.name + ".share", shares);
  const bool may_block = stage.reduced() == 1 && innermost >= 16 && columns >= 4 * lanes;
  result.is_blocked =
      sketch.choose_once(stage.name + ".reduction", may_block ? std::vector<std::string>{"whole", "blocked"}
                                                              : std::vector<std::string>{"whole"}) == "blocked";
  result.tile = define_vectors(t, columns, widest_type(stage), sketch.target, max_sums(sketch.target));
  std::vector<std::int64_t> counts =
      result.is_blocked ? std::vector<std::int64_t>{8, 16, 32, 64} : std::vector<std::int64_t>{1, 2, 4, 8};
  std::erase_if(counts, [&](std::int64_t count) { return count > innermost; });
  result.rows = t.define_knob("rows_together", counts);
  return result;
}

/// Has threads share the columns of `loops`, or its outer axes. Returns the loop over columns that is left.
IterVar share_column_sums(Sketch& sketch, ScopedTuning& t, Stage loops, int number, const ColumnSums& knobs) {
  const StageAnalysis& stage = sketch.of(number);
  const int results = loops.tensor().rank();
  const std::int64_t columns = stage.extents[static_cast<std::size_t>(stage.spatial - 1)];
  IterVar column = loops.axis(results - 1);
  VectorBlocks blocks{1, columns};
  if (knobs.share == "columns") {
    blocks = define_vector_blocks(t, columns, knobs.tile);
    const auto [shared, inside] = loops.split(column, factor(blocks.elements), Tail::partition());
    std::vector<IterVar> order{shared};
    for (int axis = 0; axis + 1 < results; ++axis) order.push_back(loops.axis(axis));
    loops.reorder(order).parallel(shared);
    column = inside;
  } else if (knobs.share == "results") {
    share_rows(sketch, number, stage.spatial - 1, stage.spatial - 1);
  }
  if (knobs.is_blocked) {
    const KnobExpr whole = min(blocks.elements, columns - (blocks.count - 1) * blocks.elements) / knobs.tile.width();
    t.require(whole >= 2, "a block of columns has less than two tiles, which are better summed up as a whole");
  }
  return column;
}

/// Moves the loop over blocks of the reduction outside of `over`, the loop over tiles of columns.
void move_outside(Stage loops, const IterVar& block, const IterVar& over) {
  std::vector<IterVar> order{block};
  for (const IterVar& loop : loops.loops()) {
    if (loop == over || order.size() > 1) order.push_back(loop);
  }
  order.pop_back();  // the last one is the blocks' again
  loops.reorder(order);
}

/// The sums of a tile in vectors, `unrolled` steps of the innermost reduction at a time.
void schedule_tile(Stage tile, std::int64_t lanes, std::int64_t unrolled) {
  std::vector<IterVar> order;
  for (const IterVar& loop : tile.loops()) {
    if (loop.is_reduce()) order.push_back(loop);
  }
  const auto [vector, lane] = tile.split(tile.axis(tile.tensor().rank() - 1), factor(lanes));
  tile.unroll(vector).vectorize(lane);
  const auto [outer, inner] = tile.split(order.back(), factor(unrolled), Tail::partition());
  tile.unroll(inner);
  order.back() = outer;
  order.insert(order.end(), {inner, vector, lane});
  tile.reorder(order);
}

}  // namespace

bool has_column_sums(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  // Windows that overlap are read again and again: register tiles take several of them together.
  return stage.is_reduction && stage.spatial > 0 && is_of_columns(stage, sketch.form_of(number));
}

void schedule_column_sums(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  ScopedTuning t = sketch.knobs_of(number);
  const ColumnSums knobs = define_column_sums(sketch, t, stage);
  const VectorTile shape = knobs.tile.in_run();
  Schedule& s = sketch.schedule;
  Tensor reduced = stage.tensor;
  if (knobs.share == "reduction") reduced = share_reduction(sketch, t, number, true, 1);
  Tensor tile;
  IterVar block;
  if (knobs.is_blocked) {
    block = s[reduced].split(s[reduced].reduce_axis(0), factor(knobs.rows), Tail::partition()).first;
    tile = s.cache_write(reduced, ir::Scope::kRegister, block);
  } else {
    tile = s.cache_write(reduced, ir::Scope::kRegister);
  }
  if (knobs.share == "reduction") s[reduced].parallel(s[reduced].axis(0));
  const IterVar column = share_column_sums(sketch, t, s[reduced], number, knobs);
  const IterVar over = split_vectors(s[reduced], column, shape);
  if (knobs.is_blocked) move_outside(s[reduced], block, over);
  s[tile].compute_at(s[reduced], over);
  schedule_tile(s[tile], shape.lanes, knobs.is_blocked ? kUnrolledRows : knobs.rows);
  sketch.add_nest({SketchNest::Kind::kRows, number, {}});
  if (reduced == stage.tensor) return;
  // The partial results are combined in vectors, too.
  Stage combined = s[stage.tensor];
  const IterVar whole = combined.axis(stage.spatial - 1), last = combined.loops().back();
  const auto [rest, elements] = combined.split(whole, factor(shape.lanes), Tail::predicate());
  combined.reorder({rest, last, elements}).vectorize(elements);
}

}  // namespace nestwright
