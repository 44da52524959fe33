// The loops that templates of matmul share: blocks over C and the register tile. Internal to templates/matmul.
// Thread rule: as a Schedule's.
#pragma once

#include <utility>
#include <vector>

#include "nestwright/schedule.h"
#include "templates/matmul/cpu/knobs.h"

namespace nestwright {

/// C's loops after they were split and ordered.
struct BlockLoops {
  std::vector<IterVar> loops;  ///< outermost first, that over the batch before all others; a fused loop occurs once
  std::vector<int> order;      ///< the axis of each of `loops`; of a fused one the axis that came second
  int parallel = -1;           ///< position of the parallel one
  IterVar tile;                ///< the innermost loop over tiles
  IterVar k;                   ///< over blocks of the reduction; undefined where it is not blocked
  /// Position of the innermost loop that runs over blocks of `axis` or of the reduction: where its panel is packed.
  int panel_of(int axis) const {
    int at = 0;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (order[i] == axis || order[i] == kAxisK || order[i] == kAxisBatch || static_cast<int>(i) == fused)
        at = static_cast<int>(i);
    }
    return at;
  }
  int fused = -1;  ///< position of a loop that is fused from blocks of M and N, or of the batch and either
};

/// Splits the loop over the elements of a tile into vectors, which are unrolled, and lanes, which are vectorised.
std::pair<IterVar, IterVar> split_lanes(Stage stage, const IterVar& loop, std::int64_t lanes);

/// Splits, orders and annotates the loops of `c`, which copies the register tile out. `k_blocks`: the loop over blocks
/// of its reduction, undefined where that is not blocked.
BlockLoops schedule_blocks(Stage c, const MatmulKnobs& knobs, const IterVar& k_blocks);

/// Schedules `c`, the epilogue of the `sums` that a blocked reduction stores: for each block of the loops outside that
/// over the reduction's blocks, or at once if there are none. Returns whether `c` has the parallel loop; `sums` has
/// none then.
bool schedule_result(Stage c, Stage sums, const MatmulKnobs& knobs);

/// The microkernel: the tile stays in registers over all of its reduction, whose last loop runs over the `parts` of a
/// step where there are several.
void schedule_tile(Stage tile, int parts, const MatmulKnobs& knobs, const Tensor& a, const Tensor& b);

/// The stage that accumulates in registers: the sums that the epilogue `c` reads or, without an epilogue, a cache_write
/// tile of `c`. Requires that nothing is scheduled yet.
Tensor sums_in_registers(Schedule& s, const Tensor& c);

}  // namespace nestwright
