// join_blocks: if a product is multiplied again after its rows were changed, as in attention, a block of its rows and
// all that is computed of them may follow each other, so that no whole matrix is stored between both products.
//
//   S = sum of Q K;  for i: P[i] = softmax of S[i];  for i blocks: for i tiles: O = sum of P V       (root)
//   for i blocks: S of the block; for i of the block: P[i] = softmax of S[i]; for i tiles: O = sum of P V       (chain)
//
// The choice is that of join_tiles for P, which has this one more.
#include "templates/sketch/rules/join_blocks.h"

#include <algorithm>

#include "templates/sketch/rules.h"
#include "templates/sketch/rules/inner_loops.h"

namespace nestwright {
namespace {

/// Whether each dimension of the stage is an axis of the root, but for the last one, which moves with none.
bool has_rows_of_root(const SketchRelation& relation) {
  const std::size_t rank = relation.axes.size();
  if (rank < 2 || !relation.axes.back().empty()) return false;
  for (std::size_t d = 0; d + 1 < rank; ++d) {
    if (relation.identity[d] < 0) return false;
  }
  return true;
}

bool is_product(Sketch& sketch, int stage) {
  return sketch.of(stage).is_reduction && sketch.of(stage).results == 1 && sketch.of(stage).has_reuse() &&
         sketch.is_tiled(stage) && !is_transposed(sketch.of(stage), sketch.form_of(stage).vector_axis);
}

/// The nest in whose blocks the stage that is read inside of `nest_of_readers` is computed, or -1.
const SketchNest* outer_nest(const Sketch& sketch, int stage) {
  const int readers = sketch.nest_of_readers(stage);
  const int outer = readers < 0 ? -1 : sketch.nests[static_cast<std::size_t>(readers)].outer;
  return outer < 0 ? nullptr : &sketch.nests[static_cast<std::size_t>(outer)];
}

}  // namespace

BlockChain chain_of_blocks(Sketch& sketch, const TileAxes& axes) {
  BlockChain chain;
  bool fits = true;
  sketch.for_each_follower(axes.stored, [&](int stage, const SketchRelation& relation) {
    if (stage == axes.sums) return true;
    const StageAnalysis& analysis = sketch.of(stage);
    if (analysis.is_output || analysis.is_scan_part || analysis.results > 1) return false;
    const bool is_read_by_root = std::ranges::count(analysis.readers, axes.sums) > 0;
    if (is_read_by_root || analysis.is_reduction) {
      if (is_product(sketch, stage)) {
        fits =
            fits && !is_read_by_root && chain.product < 0 && has_rows_of_root(relation) && relation.has_axis(axes.row);
        chain.product = stage;
        return false;
      }
    }
    if (is_read_by_root) {
      if (chain.last >= 0 || analysis.is_reduction || !has_rows_of_root(relation)) fits = false;
      chain.last = stage;
    }
    return true;
  });
  const bool is_chain = fits && axes.row >= 0 && !axes.transposed && chain.last >= 0 && chain.product >= 0;
  return is_chain ? chain : BlockChain{};
}

bool takes_blocks(Sketch& sketch, const BlockChain& chain) {
  return chain.product >= 0 &&
         sketch.choose_once(sketch.of(chain.last).name + ".at", {"root", "block", "chain"}) == "chain";
}

bool is_product_of_block(const Sketch& sketch, int sums, int stored) {
  const SketchNest* const outer = outer_nest(sketch, stored);
  return outer != nullptr && outer->chain.product == sums;
}

void place_in_block(Sketch& sketch, int stored) {
  const SketchNest& readers = sketch.nests[static_cast<std::size_t>(sketch.nest_of_readers(stored))];
  const SketchNest& outer = *outer_nest(sketch, stored);
  sketch.loops_of(stored).compute_at(sketch.loops_of(outer.stage),
                                     outer.loops[static_cast<std::size_t>(readers.at)].loop);
}

bool may_join_blocks(Sketch& sketch, int stage) {
  const int nest = sketch.nest_of_readers(stage);
  return nest >= 0 && sketch.nests[static_cast<std::size_t>(nest)].chain.last == stage;
}

void join_blocks(Sketch& sketch, int number) {
  const int nest_number = sketch.nest_of_readers(number);
  const SketchNest& nest = sketch.nests[static_cast<std::size_t>(nest_number)];
  const int at = loop_of_block(nest, sketch.relation(number, nest_number));
  SketchNest rows{.stage = number, .outer = nest_number, .at = at};
  Stage loops = sketch.loops_of(number);
  for (int axis = 0; axis < sketch.of(number).last_axis(); ++axis) rows.loops.push_back({loops.axis(axis), {axis}});
  ScopedTuning t = sketch.knobs_of(number);
  schedule_points(sketch, t, number, false);
  loops.compute_at(sketch.loops_of(nest.stage), nest.loops[static_cast<std::size_t>(at)].loop);
  sketch.add_nest(std::move(rows));
}

}  // namespace nestwright
