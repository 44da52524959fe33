// register_tile: the sums of a reduction stay in registers, a tile of rows by vectors at a time; tiles are in blocks,
// which fit into the caches. An element-wise stage that reads the sums is computed tile by tile.
//
//   for i: for j: for k: C[i, j] += A[i, k]*B[k, j]          parallel i blocks, j blocks: copy what is packed
//                                                      ->      for i tiles: for j tiles:
//                                                                for k: tile += A[rows, k]*B[k, vectors]
//                                                                C = tile
//
// Vectors need not run along the axis that the result is contiguous along. If that is the axis of the rows, the tile is
// stored by columns; the code generator transposes it by shuffles:
//
//   for f: for x: for c: C[f, x] += W[f, c]*A[c, x]    ->    for f tiles: for x tiles:
//                                                                for c: tile += A[c, rows]*W.cache[c, vectors]
//                                                                for f of the tile: C[f, rows] = tile[rows, f]
#include "templates/sketch/nests/register_tile.h"

#include <algorithm>

#include "templates/loops/vectors.h"
#include "templates/sketch/nests/pack.h"
#include "templates/sketch/rules.h"
#include "templates/sketch/rules/join_blocks.h"
#include "templates/sketch/seeds/row_seeds.h"

namespace nestwright {
namespace {

bool is_identity(const OperandAccess& access, int rank) {
  for (int d = 0; d < rank; ++d) {
    if (access.identity.size() != static_cast<std::size_t>(rank) || access.identity[static_cast<std::size_t>(d)] != d)
      return false;
  }
  return true;
}

/// The reduction that stage `number` alone reads, element by element; -1 if there is none.
int sums_of(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (stage.is_reduction || stage.results > 1) return -1;
  for (const OperandAccess& access : stage.accesses) {
    if (access.producer < 0) continue;
    const StageAnalysis& producer = sketch.of(access.producer);
    const bool fits = producer.is_reduction && !producer.is_output && !producer.is_scan_part &&
                      producer.readers.size() == 1 && producer.spatial == stage.spatial &&
                      std::equal(stage.extents.begin(), stage.extents.end(), producer.extents.begin()) &&
                      !sketch.is_finished(access.producer);
    const bool reads_elements =
        std::all_of(stage.accesses.begin(), stage.accesses.end(), [&](const OperandAccess& other) {
          return other.producer != access.producer || is_identity(other, stage.spatial);
        });
    if (!fits || !reads_elements || producer.results > 1 || !sketch.is_tiled(access.producer)) continue;
    // Column sums are stored by a rule of their own.
    if (!is_of_columns(producer, sketch.form_of(access.producer))) return access.producer;
  }
  return -1;
}

/// Whether the reduction is summed up in blocks of its outermost axis, between which the result is stored.
bool is_blocked(Sketch& sketch, int sums) {
  const StageAnalysis& stage = sketch.of(sums);
  const std::int64_t outermost = stage.extents[static_cast<std::size_t>(stage.spatial)];
  // The tile of a reduction in blocks starts from the result, which has the order of the vectors only if it is not
  // transposed.
  const bool is_long = outermost >= 4 && stage.reduced_points() >= 256 && stage.has_reuse() &&
                       !is_transposed(stage, sketch.form_of(sums).vector_axis);
  return sketch.choose_once(stage.name + ".reduction", is_long ? std::vector<std::string>{"whole", "blocked"}
                                                               : std::vector<std::string>{"whole"}) == "blocked";
}

/// The tiles of a stage that stores sums. A product whose operand is computed block by block sums up whole rows, as
/// does one that is computed in such blocks.
TileAxes axes_of_tiles(Sketch& sketch, int sums, int stored) {
  TileAxes axes = tile_axes(sketch, sums, stored, sketch.form_of(sums).vector_axis);
  axes.is_inner = is_product_of_block(sketch, sums, stored);
  axes.takes_blocks = !axes.is_inner && takes_blocks(sketch, chain_of_blocks(sketch, axes));
  axes.blocked = !axes.is_inner && !axes.takes_blocks && is_blocked(sketch, sums);
  return axes;
}

/// Splits, orders and annotates the loops of the stage that stores the tiles. Returns the loops over blocks, then the
/// innermost one over tiles.
std::vector<SketchLoop> schedule_blocks(Sketch& sketch, const TileAxes& axes, const TileKnobs& knobs,
                                        const IterVar& k_blocks) {
  Stage c = sketch.loops_of(axes.stored);
  const auto [vector_tile, vector_in] = c.split(c.axis(axes.vector), factor(knobs.vectors * knobs.lanes),
                                                axes.transposed ? Tail::partition() : Tail::predicate());
  const auto [vector_block, vector_tile_in] = c.split(vector_tile, factor(knobs.vector_tiles));
  std::vector<IterVar> tile;
  if (axes.transposed) {
    c.unroll(vector_in);
    tile = {vector_in};
  } else {
    const auto [vector, lane] = c.split(vector_in, factor(knobs.lanes));
    c.unroll(vector).vectorize(lane);
    tile = {vector, lane};
  }
  std::vector<SketchLoop> tiles{{vector_tile_in, {axes.vector}}};
  std::vector<SketchLoop> rows, others;
  for (const int axis : axes.others) others.push_back({c.axis(axis), {axis}});
  if (axes.row >= 0) {
    const Tail tail = knobs.short_rows > 0 ? Tail::compose({knobs.rows, knobs.short_rows}) : Tail::partition();
    const auto [row_tile, row] = c.split(c.axis(axes.row), factor(knobs.rows), tail);
    const auto [row_block, row_tile_in] = c.split(row_tile, factor(knobs.row_tiles));
    if (axes.transposed) {
      const StageAnalysis& sums = sketch.of(axes.sums);
      const auto [vector, lane] =
          c.split(row, factor(full_lanes(knobs.rows, sums.tensor.dtype(), sketch.target)), Tail::predicate());
      c.unroll(vector).vectorize(lane);
      tile.insert(tile.end(), {vector, lane});
    } else {
      c.unroll(row);
      tile.insert(tile.begin(), row);
    }
    rows.push_back({row_block, {axes.row}});
    tiles.insert(knobs.tiles_of_vectors_outer ? tiles.end() : tiles.begin(), {row_tile_in, {axes.row}});
  }
  if (axes.second_row >= 0) {
    const auto [second_tile, second] = c.split(c.axis(axes.second_row), factor(knobs.second_rows), Tail::partition());
    c.unroll(second);
    tile.insert(tile.begin(), second);
    others.push_back({second_tile, {axes.second_row}});
  }
  std::vector<SketchLoop> loops;
  for (const BlockGroup group : knobs.order) {
    switch (group) {
      case BlockGroup::kOther:
        loops.insert(loops.end(), others.begin(), others.end());
        break;
      case BlockGroup::kRows:
        loops.insert(loops.end(), rows.begin(), rows.end());
        break;
      case BlockGroup::kVectors:
        loops.push_back({vector_block, {axes.vector}});
        break;
      case BlockGroup::kReduction:
        loops.push_back({k_blocks, {}, true});
        break;
    }
  }
  std::vector<IterVar> all;
  for (const int axis : axes.singles) all.push_back(c.axis(axis));
  for (const SketchLoop& loop : loops) all.push_back(loop.loop);
  for (const SketchLoop& loop : tiles) all.push_back(loop.loop);
  all.insert(all.end(), tile.begin(), tile.end());
  c.reorder(all);
  loops.push_back(tiles.back());
  return loops;
}

/// Stores a tile with the axis of its vectors innermost.
void keep_in_vectors(Schedule& s, const Tensor& tile, int vector_axis) {
  s.transform_layout(tile, [&](std::span<const Expr> indices) {
    std::vector<Expr> order(indices.begin(), indices.end());
    std::rotate(order.begin() + vector_axis, order.begin() + vector_axis + 1, order.end());
    return order;
  });
}

/// Fuses the outermost loops, and runs them in parallel. Requires that nothing is computed at them.
void share_blocks(Sketch& sketch, int stored, std::int64_t fused, std::vector<SketchLoop>& loops) {
  if (fused == 0) return;
  Stage c = sketch.loops_of(stored);
  for (std::int64_t i = 1; i < fused; ++i) {
    loops[0].loop = c.fuse(loops[0].loop, loops[1].loop);
    loops[0].axes.insert(loops[1].axes.begin(), loops[1].axes.end());
    loops.erase(loops.begin() + 1);
  }
  c.parallel(loops[0].loop);
}

/// The microkernel: the tile stays in registers over all of its reduction.
void schedule_sums(Stage tile, const TileAxes& axes, const TileKnobs& knobs, std::vector<IterVar> reduce) {
  const auto [vector, lane] = tile.split(tile.axis(axes.vector), factor(knobs.lanes));
  tile.unroll(vector).vectorize(lane);
  std::vector<IterVar> order;
  for (const int axis : axes.singles) order.push_back(tile.axis(axis));
  for (const int axis : axes.others) order.push_back(tile.axis(axis));
  if (knobs.unroll > 1) {
    const auto [outer, inner] = tile.split(reduce.back(), factor(knobs.unroll), Tail::partition());
    tile.unroll(inner);
    reduce.back() = outer;
    reduce.push_back(inner);
  }
  order.insert(order.end(), reduce.begin(), reduce.end());
  for (const int axis : {axes.second_row, axes.row}) {
    if (axis < 0) continue;
    tile.unroll(tile.axis(axis));
    order.push_back(tile.axis(axis));
  }
  order.insert(order.end(), {vector, lane});
  tile.reorder(order);
}

}  // namespace

bool has_register_tile(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (stage.is_reduction) return stage.results == 1 && sketch.is_tiled(number);
  const int sums = sums_of(sketch, number);
  return sums >= 0 && !axes_of_tiles(sketch, sums, number).blocked;
}

void schedule_register_tile(Sketch& sketch, int stored) {
  const int sums = sketch.of(stored).is_reduction ? stored : sums_of(sketch, stored);
  const TileAxes axes = axes_of_tiles(sketch, sums, stored);
  const TileKnobs knobs = define_tile_knobs(sketch, axes);
  Schedule& s = sketch.schedule;
  const Tensor c = sketch.of(sums).tensor;
  std::vector<IterVar> reduce;
  for (const int axis : knobs.reduce_order) reduce.push_back(s[c].reduce_axis(axis));
  Tensor tile = c;
  IterVar k_blocks;
  if (axes.blocked) {
    const IterVar outermost = s[c].reduce_axis(0);
    const auto [blocks, inside] = s[c].split(outermost, factor(knobs.k_block), Tail::partition());
    std::replace(reduce.begin(), reduce.end(), outermost, inside);
    k_blocks = blocks;
    tile = s.cache_write(c, ir::Scope::kRegister, k_blocks);
  } else if (sums == stored) {
    tile = s.cache_write(c, ir::Scope::kRegister);
    reduce.clear();
    for (const int axis : knobs.reduce_order) reduce.push_back(s[tile].reduce_axis(axis));
  } else {
    s[tile].set_scope(ir::Scope::kRegister);
  }
  if (axes.transposed) keep_in_vectors(s, tile, axes.vector);
  std::vector<SketchLoop> loops = schedule_blocks(sketch, axes, knobs, k_blocks);
  share_blocks(sketch, stored, knobs.fused, loops);
  const IterVar innermost = loops.back().loop;
  loops.pop_back();
  s[tile].compute_at(s[sketch.of(stored).tensor], innermost);
  if (knobs.prefetches_result) s[sketch.of(stored).tensor].prefetch(sketch.of(stored).tensor, innermost, 1);
  pack_operands(sketch, axes, knobs, tile, loops);
  schedule_sums(s[tile], axes, knobs, reduce);
  sketch.finish(sums);
  if (axes.is_inner) {
    place_in_block(sketch, stored);
    sketch.finish(stored);
    return;
  }
  SketchNest nest{SketchNest::Kind::kTiles, stored, loops};
  if (axes.takes_blocks) nest.chain = chain_of_blocks(sketch, axes);
  sketch.add_nest(std::move(nest));
  if (sums != stored) sketch.join(sums, sketch.nest_of(stored), -1);
}

}  // namespace nestwright
