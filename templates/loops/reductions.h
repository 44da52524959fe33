// The loops of a reduction, and its division among threads. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.h"
#include "templates/framework/tuning.h"

namespace nestwright {

/// Whether the loop has several iterations.
bool has_several(const IterVar& loop);

/// The loops of `stage` over what is reduced, outermost first.
std::vector<IterVar> reduce_loops(Stage stage);

/// Numbers of blocks that divide `extent`: others would need masks in every block.
std::vector<std::int64_t> even_blocks(std::int64_t extent);

/// Numbers of blocks that threads share: those that divide the part of `extent` of each of `streams`; of one stream
/// that none divides, a few whose last block is shorter, while blocks are long; empty where there are none.
std::vector<std::int64_t> reduction_blocks(std::int64_t extent, std::int64_t streams = 1);

/// Moves the last of `loops` that has several iterations inside of the later ones, and returns it; where none has, the
/// last. The loops are of `stage`, in their order.
IterVar move_innermost(Stage stage, std::vector<IterVar> loops);

/// The partial results of blocks of a reduce axis of `y`, one block an iteration of the first axis, which the caller
/// makes parallel: a knob `blocks` where `in_threads`, else a single block. Each block is of `streams` such results, of
/// parts that lie far apart. Requires that `streams` divides the extent of that axis, which is a constant.
Tensor share_reduction(Tuning& t, Schedule& s, const Tensor& y, int axis, bool in_threads, std::int64_t streams = 1);

}  // namespace nestwright
