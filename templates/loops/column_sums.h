// Column sums, which are reductions that keep the last axis of a tensor: vectors run along that axis, and tiles of sums
// stay in registers. The reduction is taken as a whole, or in blocks of a few rows, between which the sums are stored
// in the result.
//
//   for j: for k: y[j] += A[k, j]     ->      for k blocks: for j tiles:
//                                               tile = y or 0;  for k: tile += A[k, vectors];  y = tile
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/knobs.h"
#include "nestwright/schedule.h"
#include "templates/loops/vectors.h"

namespace nestwright {

struct ColumnSums {
  VectorTileKnobs tile;
  std::int64_t rows = 1;          ///< of a block, or those that are unrolled
  bool is_blocked = false;        ///< the outermost axis of the reduction is blocked
  bool shares_columns = false;    ///< threads share the columns: a knob `blocks`
  bool shares_reduction = false;  ///< threads share the reduction
};

/// Whether blocking the reduction, which stores the sums after each block, is worth offering. `innermost` is the extent
/// of the innermost reduce axis, `columns` that of the last axis of the result, `lanes` those of a vector.
bool may_block_column_sums(std::int64_t innermost, std::int64_t columns, std::int64_t lanes);

/// Defines the knobs of a tile, and `rows_together`. Sets tile and rows; the others are as given.
void define_column_sums(Tuning& t, ColumnSums& sums, std::int64_t innermost, std::int64_t columns, ir::Type type,
                        const Target& target);

/// Schedules `reduced`, which is `y` or, if threads share the reduction, the partial results that `y` combines; the
/// first axis of the partial results then runs over the threads.
void schedule_column_sums(Tuning& t, Schedule& s, const Tensor& y, const Tensor& reduced, const ColumnSums& sums);

/// Schedules the sums of a tile of columns, the last axis of the stage, in vectors of `lanes`; `unrolled` steps of the
/// innermost reduction at a time. Returns the loop over such groups of steps.
IterVar schedule_column_tile(Stage tile, std::int64_t lanes, std::int64_t unrolled);

}  // namespace nestwright
