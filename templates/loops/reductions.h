// The loops of a reduction, and its division among threads. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/knobs.h"
#include "nestwright/schedule.h"

namespace nestwright {

/// Whether the loop has several iterations.
bool has_several(const IterVar& loop);

/// The loops of `stage` over what is reduced, outermost first.
std::vector<IterVar> reduce_loops(Stage stage);

/// Numbers of blocks that divide `extent`: others would need masks in every block.
std::vector<std::int64_t> even_blocks(std::int64_t extent);

/// Numbers of blocks that threads share: those that divide `extent` / `streams`. If none does and there is one stream,
/// powers of two for which blocks are long, with a shorter last one; empty if there are none.
std::vector<std::int64_t> reduction_blocks(std::int64_t extent, std::int64_t streams = 1);

/// Moves the last of `loops` that has several iterations inside of the later ones, and returns it; if none has, returns
/// the last. The loops are of `stage`, in their order.
IterVar move_innermost(Stage stage, std::vector<IterVar> loops);

/// The partial results (rfactor) of a reduce axis of `y`, which is divided into parts: `streams` distant parts for each
/// block. The first axis of the result runs over the parts; the caller makes its blocks parallel. Defines the knob
/// `blocks` if `in_threads`; else there is one block. Requires that `streams` divides the extent of the reduce axis,
/// which is constant.
Tensor split_reduction(Tuning& t, Schedule& s, const Tensor& y, int axis, bool in_threads, std::int64_t streams = 1);

}  // namespace nestwright
