// transposed_tile: points that read a tensor whose contiguous axis is not their own last one are computed in square
// tiles, a vector wide: the tensor is read by rows into registers and stored by columns; the code generator transposes
// the tiles by shuffles. Tiles are grouped into blocks, in either order.
//
//   for i: for j: C[i, j] = A[j, i]      ->      parallel i blocks: for j blocks: for j tiles: for i tiles:
//                                                  tile = A[tile of j, tile of i];  C = tile's columns
#include <algorithm>

#include "templates/loops/transposed_tile.h"
#include "templates/loops/vectors.h"
#include "templates/sketch/expression/forms.h"
#include "templates/sketch/rules.h"

namespace nestwright {
namespace {

/// The axis along which some read is contiguous, and the tensor that is read; -1 where there is none.
struct Transposition {
  int axis = -1;
  int row_dimension = -1, column_dimension = -1;  ///< of the tensor: indexed by the stage's last axis, and by `axis`
  Tensor tensor;
};

/// Whether an iteration over tiles reads one index of each dimension but these two: a tile in registers has no others.
bool is_point_elsewhere(const OperandAccess& access, int row_dimension, int column_dimension) {
  for (int d = 0; d < static_cast<int>(access.steps.size()); ++d) {
    if (d != row_dimension && d != column_dimension && !access.is_affine(static_cast<std::size_t>(d))) return false;
  }
  return true;
}

Transposition transposition_of(const StageAnalysis& stage) {
  const int last = stage.spatial - 1;
  for (const OperandAccess& access : stage.accesses) {
    if (!access.tensor.defined() || stage.reads_of(access.tensor) > 1) continue;
    const int row = access.dimension_of(last), column = static_cast<int>(access.identity.size()) - 1;
    const int axis = access.identity.empty() ? -1 : access.identity.back();
    if (row < 0 || row == column || axis < 0 || access.dimension_of(axis) != column) continue;
    if (access.strides[static_cast<std::size_t>(axis)] != std::int64_t{1}) continue;
    if (!is_point_elsewhere(access, row, column)) continue;
    return {axis, row, column, access.tensor};
  }
  return {};
}

/// How threads share the blocks. A parallel loop over rows or columns is started again in each iteration of the other
/// loops.
std::string choose_share(Sketch& sketch, const StageAnalysis& stage, std::int64_t others) {
  if (!sketch.parallel) return "none";
  const std::int64_t threads = sketch.target.threads;
  std::vector<std::string> shares;
  if (others >= threads) shares.emplace_back("others");
  if (others < 4 * threads) shares.insert(shares.end(), {"columns", "rows"});
  if (others > 1 && others < threads) shares.emplace_back("others");
  return sketch.choose_once(stage.name + ".share", shares);
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
  Schedule& s = sketch.schedule;
  Stage stage_loops = s[stage.tensor];
  std::vector<IterVar> outer;
  for (int axis = 0; axis < last; ++axis) {
    if (axis != found.axis) outer.push_back(stage_loops.axis(axis));
  }
  const TransposedLoops loops = split_transposed_tiles(t, stage_loops, outer, stage_loops.axis(last),
                                                       stage_loops.axis(found.axis), widest_type(stage), sketch.target);
  if (share == "columns" || share == "rows") {
    stage_loops.parallel(share == "rows" ? loops.row_block : loops.column_block);
  }
  if (stage.is_output && define_streaming(t, stage.tensor, rows, sketch.target)) stage_loops.stream();
  read_transposed_tiles(s, found.tensor, stage.tensor, found.row_dimension, found.column_dimension, loops.innermost);
  if (share == "others") {
    IterVar fused = outer.front();
    std::int64_t iterations = *ir::as_const_int(fused.extent());
    for (std::size_t i = 1; i < outer.size() && iterations < 4 * sketch.target.threads; ++i) {
      iterations *= *ir::as_const_int(outer[i].extent());
      fused = stage_loops.fuse(fused, outer[i]);
    }
    stage_loops.parallel(fused);
  }
  sketch.add_nest({SketchNest::Kind::kRows, number, {}});
}

}  // namespace nestwright
