// transposed_tile: points that read a tensor whose contiguous axis is not their own last one are computed in square
// tiles, a vector wide: the tensor is read by rows into registers, and stored by columns, which the code generator
// turns by shuffles. Tiles are in blocks, in either order.
//
//   for i: for j: C[i, j] = A[j, i]      ->      parallel i blocks: for j blocks: for j tiles: for i tiles:
//                                                  tile = A[tile of j, tile of i];  C = tile's columns
#include <algorithm>

#include "templates/generated/forms.h"
#include "templates/generated/rules.h"
#include "templates/loops/candidates.h"
#include "templates/loops/divide.h"
#include "templates/loops/vectors.h"

namespace nestwright {
namespace {

/// The axis along which some read is contiguous, and the tensor that is read; -1 where there is none.
struct Transposition {
  int axis = -1;
  int row_dimension = -1, column_dimension = -1;  ///< of the tensor: indexed by the stage's last axis, and by `axis`
  Tensor tensor;
};

Transposition transposition_of(const StageAnalysis& stage) {
  const int last = stage.spatial - 1;
  for (const OperandAccess& access : stage.accesses) {
    const auto reads = std::count_if(stage.accesses.begin(), stage.accesses.end(),
                                     [&](const OperandAccess& other) { return other.tensor == access.tensor; });
    if (!access.tensor.defined() || reads > 1) continue;
    const int row = access.dimension_of(last), column = static_cast<int>(access.identity.size()) - 1;
    const int axis = access.identity.empty() ? -1 : access.identity.back();
    if (row < 0 || row == column || axis < 0 || access.dimension_of(axis) != column) continue;
    if (access.strides[static_cast<std::size_t>(axis)] != std::int64_t{1}) continue;
    return {axis, row, column, access.tensor};
  }
  return {};
}

/// How threads share the blocks.
std::string choose_share(Sketch& sketch, const StageAnalysis& stage, std::int64_t others) {
  if (!sketch.parallel) return "none";
  const std::int64_t few = 4 * sketch.target.threads;
  return sketch.choose_once(stage.name + ".share", others >= few ? std::vector<std::string>{"others"}
                                                                 : std::vector<std::string>{"columns", "rows"});
}

}  // namespace

bool has_transposed_tile(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (stage.is_reduction || stage.is_scan_part || stage.results > 1 || stage.spatial < 2) return false;
  if (stage.result_stride(stage.spatial - 1) != 1) return false;
  const Transposition found = transposition_of(stage);
  return found.axis >= 0 && stage.extents[static_cast<std::size_t>(found.axis)] > 1 &&
         stage.extents[static_cast<std::size_t>(stage.spatial - 1)] > 1;
}

void schedule_transposed_tile(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  const Transposition found = transposition_of(stage);
  const int last = stage.spatial - 1;
  const std::int64_t rows = stage.extents[static_cast<std::size_t>(last)],
                     columns = stage.extents[static_cast<std::size_t>(found.axis)];
  ScopedTuning t = sketch.knobs_of(number);
  const std::string share = choose_share(sketch, stage, stage.points() / (rows * columns));
  const std::int64_t full = full_lanes(std::max(rows, columns), widest_type(stage), sketch.target);
  std::vector<std::int64_t> sides;
  for (std::int64_t side = full; side >= 4 || side == full; side /= 2) sides.push_back(side);
  const KnobExpr side = t.define_knob("tile", sides);
  const std::vector<std::int64_t> counts{1, 2, 4, 8, 16, 32, 64, 128};
  const KnobExpr row_tiles = t.define_knob("row_tiles", up_to(counts, ceil_div(rows, sides.back()))),
                 column_tiles = t.define_knob("column_tiles", up_to(counts, ceil_div(columns, sides.back())));
  const bool rows_outer = t.define_reorder("block_order", {{0, 1}, {1, 0}})[0] == 0,
             rows_outer_in_block = t.define_reorder("tile_order", {{0, 1}, {1, 0}})[0] == 0;
  t.require(side * (row_tiles - 1) < rows && side * (column_tiles - 1) < columns,
            "a block has tiles that lie wholly past the end");

  Schedule& s = sketch.schedule;
  Stage loops = s[stage.tensor];
  std::vector<IterVar> order;
  for (int axis = 0; axis < last; ++axis) {
    if (axis != found.axis) order.push_back(loops.axis(axis));
  }
  const auto [column_block, in_column_block] =
      loops.split(loops.axis(found.axis), factor(side * column_tiles), Tail::partition());
  const auto [row_block, in_row_block] = loops.split(loops.axis(last), factor(side * row_tiles), Tail::partition());
  const auto [column_tile, column] = loops.split(in_column_block, factor(side), Tail::partition());
  const auto [row_tile, row] = loops.split(in_row_block, factor(side), Tail::predicate());
  const std::vector<IterVar> blocks =
      rows_outer ? std::vector{row_block, column_block} : std::vector{column_block, row_block};
  const std::vector<IterVar> tiles =
      rows_outer_in_block ? std::vector{row_tile, column_tile} : std::vector{column_tile, row_tile};
  if (share == "columns" || share == "rows") {
    // The shared loop is the outermost one, whichever block loop it is.
    loops.parallel(share == "rows" ? row_block : column_block);
  }
  order.insert(order.end(), blocks.begin(), blocks.end());
  order.insert(order.end(), tiles.begin(), tiles.end());
  order.insert(order.end(), {column, row});
  loops.reorder(order).unroll(column).vectorize(row);
  if (stage.is_output && define_streaming(t, stage.tensor, rows, sketch.target)) loops.stream();

  const Tensor tile = s.cache_read(found.tensor, ir::Scope::kRegister, {stage.tensor});
  s[tile].unroll(s[tile].axis(found.row_dimension)).vectorize(s[tile].axis(found.column_dimension));
  s[tile].compute_at(loops, tiles.back());
  if (share == "others") {
    IterVar fused = order.front();
    std::int64_t iterations = *ir::as_const_int(fused.extent());
    for (std::size_t i = 1; order[i] != blocks.front() && iterations < 4 * sketch.target.threads; ++i) {
      iterations *= *ir::as_const_int(order[i].extent());
      fused = loops.fuse(fused, order[i]);
    }
    loops.parallel(fused);
  }
  sketch.add_nest({SketchNest::Kind::kRows, number, {}});
}

}  // namespace nestwright
