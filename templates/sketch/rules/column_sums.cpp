// column_sums: a reduction that reads vectors of its last axis and no element twice has a tile of a few vectors of sums
// in registers. The reduction is taken as a whole, or in blocks of a few rows, between which the sums are stored in the
// result. Threads share the columns, the outer axes, or the reduction: then each block has partial results, which are
// combined in vectors.
//
//   for j: for k: y[j] += A[k, j]     ->      parallel j blocks: for k blocks: for j tiles:
//                                               tile = y or 0;  for k: tile += A[k, vectors];  y = tile
#include "templates/loops/column_sums.h"
#include "templates/loops/reductions.h"
#include "templates/sketch/nests/parallelize_outer_loops.h"
#include "templates/sketch/rules.h"
#include "templates/sketch/seeds/row_seeds.h"

namespace nestwright {
namespace {

/// What threads share.
std::string choose_column_share(Sketch& sketch, const StageAnalysis& stage, std::int64_t columns, std::int64_t lanes) {
  if (!sketch.parallel) return sketch.choose_once(stage.name + ".share", {"none"});
  std::vector<std::string> shares;
  if (columns > 2 * lanes) shares.emplace_back("columns");
  if (stage.points() > columns) shares.emplace_back("results");
  if (!reduction_blocks(stage.extents[static_cast<std::size_t>(stage.spatial + shared_reduce_axis(stage))]).empty()) {
    shares.emplace_back("reduction");
  }
  if (shares.empty()) shares = {"none"};
  return sketch.choose_once(stage.name + ".share", shares);
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
  const std::int64_t columns = stage.extents[static_cast<std::size_t>(stage.spatial - 1)];
  const std::int64_t innermost = stage.extents.back();
  const std::int64_t lanes = sketch.target.lanes(widest_type(stage));
  const std::string share = choose_column_share(sketch, stage, columns, lanes);
  ColumnSums sums{.shares_columns = share == "columns", .shares_reduction = share == "reduction"};
  const bool may_block = stage.reduced() == 1 && may_block_column_sums(innermost, columns, lanes);
  sums.is_blocked =
      sketch.choose_once(stage.name + ".reduction", may_block ? std::vector<std::string>{"whole", "blocked"}
                                                              : std::vector<std::string>{"whole"}) == "blocked";
  define_column_sums(t, sums, innermost, columns, widest_type(stage), sketch.target);
  Schedule& s = sketch.schedule;
  const Tensor reduced =
      sums.shares_reduction ? split_reduction(t, s, stage.tensor, shared_reduce_axis(stage), true) : stage.tensor;
  schedule_column_sums(t, s, stage.tensor, reduced, sums);
  if (share == "results") parallelize_outer_rows(sketch, number, stage.spatial - 1, stage.spatial - 1);
  sketch.add_nest({SketchNest::Kind::kRows, number, {}});
}

}  // namespace nestwright
