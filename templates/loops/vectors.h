// Building blocks of the CPU templates for memory-bound operators: vectorised loops over contiguous elements, parallel
// loops over rows, and reductions along a row in registers. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nestwright/knobs.h"
#include "nestwright/schedule.h"
#include "nestwright/target.h"

namespace nestwright {

/// `vectors` vectors of `lanes` elements, computed together. Int is std::int64_t or KnobExpr.
template <class Int>
struct VectorTileOf {
  Int lanes = 1, vectors = 1;
  Int width() const { return lanes * vectors; }
  VectorTileOf<std::int64_t> in_run() const { return {lanes, vectors}; }
};
using VectorTile = VectorTileOf<std::int64_t>;
using VectorTileKnobs = VectorTileOf<KnobExpr>;

/// Defines the knobs vector_lanes and vectors: lanes up to the target's, at most `max_vectors` vectors in flight and
/// not more than `extent` fills.
VectorTileKnobs define_vectors(Tuning& t, std::int64_t extent, ir::Type type, const Target& target,
                               std::int64_t max_vectors);

/// The most vectors that stay in registers: of sums, beside their operands (max_sums), and of exp, erf and the like,
/// with their temporaries and constants (max_expanded).
std::int64_t max_sums(const Target& target);
std::int64_t max_expanded(const Target& target);

/// Lanes of a vector for `extent` elements: the target's, or the least power of two that holds them.
std::int64_t full_lanes(std::int64_t extent, ir::Type type, const Target& target);

/// Lanes of a vector of half the target's size: streams from memory are fastest in those, since the prefetcher then
/// sees two accesses to each cache line.
std::int64_t half_lanes(ir::Type type, const Target& target);

/// loop -> tile, with the vectors of a tile unrolled and their lanes vectorised inside; what is left over is masked.
IterVar split_vectors(Stage stage, const IterVar& loop, const VectorTile& tile);

/// Defines the choice `parallel`. options[0] must mean one thread; it is the only option if the target has one thread.
/// Whether threads pay for a small kernel is left to the search.
std::string choose_parallel(Tuning& t, const Target& target, const std::vector<std::string>& options);

/// Splits `loop` into blocks, the iterations of the loop that is returned first, which runs in parallel: a knob
/// `blocks`. The last block may be a shorter one, with a body of its own.
std::pair<IterVar, IterVar> share_loop(Tuning& t, Stage stage, const IterVar& loop);

/// Blocks of whole tiles of vectors: how many there are, and elements of all but the last one.
struct VectorBlocks {
  KnobExpr count, elements;
};
/// Defines the knob `blocks` as share_loop does, for blocks of whole tiles.
VectorBlocks define_vector_blocks(Tuning& t, std::int64_t extent, const VectorTileKnobs& tile);

/// Defines the knob `stores` of output `y`, cached or streaming: whether its stores are non-temporal. Streaming is
/// offered where rows of `row` elements keep the target's vectors aligned, and y is larger than the second-level cache:
/// below, it is never faster.
bool define_streaming(Tuning& t, const Tensor& y, std::int64_t row, const Target& target);

/// Defines the knob `prefetch`: how many tiles ahead inputs are prefetched, 0 for not at all; 0 alone where `bytes` fit
/// into the second-level cache.
std::int64_t define_prefetch(Tuning& t, double bytes, const Target& target);

/// Defines the choice `streams`: how many distant parts of `extent` iterations are interleaved. Hardware prefetching
/// stays within a page, so that only several pages at a time reach the full memory bandwidth. 4 and 8 are offered if
/// `bytes` do not fit into the second-level cache and parts are multiples of `unit`.
std::int64_t choose_streams(Tuning& t, std::int64_t extent, std::int64_t unit, double bytes, const Target& target);

/// The reduction of `t` over `k`, its innermost reduce loop, along contiguous elements: partial results in
/// `tile.vectors` vectors, which are combined into one, whose lanes are then combined by halves. Returns the stages of
/// partial results in the order of computing, all in registers; the caller attaches them where it attaches `t`. With
/// several `streams`, elements of t's last axis that are computed at a time, each tile of k is processed for all of
/// them before the next one.
std::vector<Tensor> reduce_in_vectors(Schedule& s, const Tensor& t, const IterVar& k, const VectorTile& tile,
                                      std::int64_t streams = 1);

}  // namespace nestwright
