// What the templates for GPUs have in common: threads that fetch a tile together, elements shared out to blocks and
// threads, and what a launch may have. Thread rule: as a Schedule's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "target/target.h"
#include "templates/framework/tuning.h"

namespace nestwright {

/// Blocks along y or z that every device takes; along x there may be 2^31 - 1.
inline constexpr std::int64_t kMaxBlocks = 65535;
/// Bytes of the widest access of a thread.
inline constexpr std::int64_t kWidestAccess = 16;

/// Threads of a block along x, which differ fastest, y and z.
struct BlockThreads {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t count() const { return x * y * z; }
};

/// Has the threads of a block compute `stage`, which they keep in shared memory, together: neighbouring threads have
/// neighbouring vectors of `lanes` elements along the last of `loops`, all loops of the stage that are to be shared
/// out, outermost first. Requires that `lanes` divides what is computed along that one.
void fetch_together(Stage stage, std::vector<IterVar> loops, const BlockThreads& threads, std::int64_t lanes);

/// How elements that are computed each by itself are shared out.
struct ElementTile {
  std::int64_t threads = 256;  ///< a block
  std::int64_t lanes = 1;      ///< of a vector, neighbours in memory
  std::int64_t items = 1;      ///< vectors a thread, as far apart as the block has threads
};

/// Defines the knobs threads, lanes and items for `extent` elements, in rows of `row` of the type: vectors lie within
/// rows, in which they begin at multiples of their size.
ElementTile define_elements(Tuning& t, std::int64_t extent, std::int64_t row, ir::Type type, const Target& target);

/// Binds `loops`, all of a stage and outermost first, so to blockIdx.x and threadIdx.x: the lanes are neighbours along
/// the last one. Returns the innermost loop but for that over lanes, over items.
IterVar bind_elements(Stage stage, std::vector<IterVar> loops, const ElementTile& tile);

/// Partial configurations of the knobs of define_elements, the best guess first.
std::vector<Config> element_seeds();

/// Constrains x * y, threads of a block along these indices: at least a warp where there are `elements` enough, at most
/// what the target takes.
void require_threads(Tuning& t, const KnobExpr& x, const KnobExpr& y, std::int64_t elements, const Target& target);

/// What the knob `stages` of a double-buffered slice may be, the best guess first: more than 2 where the target copies
/// to shared memory while its threads go on, so that several slices are on their way.
std::vector<std::int64_t> stage_counts(const Target& target);

/// Bytes of the narrowest asynchronous copy.
inline constexpr std::int64_t kMinAsynchronousBytes = 4;

/// Threads of a block in a row: powers of two from 32, with which no device idles, to what the target takes.
std::vector<std::int64_t> block_sizes(const Target& target);

/// Widths of vectors of the type that divide rows of `row` elements: powers of two up to `limit`, as far as accesses
/// go.
std::vector<std::int64_t> vector_widths(std::int64_t row, ir::Type type, std::int64_t limit = 4);

}  // namespace nestwright
