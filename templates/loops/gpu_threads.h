// Building blocks of the GPU templates: cooperative fetching of tiles, distribution of elements over blocks and
// threads, and launch limits. Thread rule: as a Schedule's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestwright/knobs.h"
#include "nestwright/schedule.h"
#include "nestwright/target.h"

namespace nestwright {

/// The most blocks along y or z that every device accepts; along x it is 2^31 - 1.
inline constexpr std::int64_t kMaxBlocks = 65535;
/// Bytes of the widest access of a thread.
inline constexpr std::int64_t kWidestAccess = 16;
/// Bytes to which an array in shared memory is aligned.
inline constexpr std::int64_t kSharedAlignment = 16;

/// Threads of a block along x, y and z; threadIdx.x varies fastest.
struct BlockThreads {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t count() const { return x * y * z; }
};

/// Makes the threads of a block compute `stage`, which lies in shared memory, cooperatively: neighbouring threads
/// compute neighbouring vectors of `lanes` elements along the last of `loops`. `loops` are the loops of the stage to
/// distribute, outermost first. Requires that `lanes` divides the extent that is computed along the last one.
void fetch_cooperatively(Stage stage, std::vector<IterVar> loops, const BlockThreads& threads, std::int64_t lanes);

/// How independent elements are distributed over blocks and threads.
struct ElementTile {
  std::int64_t threads = 256;  ///< a block
  std::int64_t lanes = 1;      ///< of a vector, neighbours in memory
  std::int64_t items = 1;      ///< vectors of a thread, strided by the threads of the block
};

/// Defines the knobs threads, lanes and items for `extent` elements, in rows of `row` of the type: vectors do not cross
/// rows, and are aligned within them.
ElementTile define_elements(Tuning& t, std::int64_t extent, std::int64_t row, ir::Type type, const Target& target);

/// Binds `loops`, all loops of a stage, outermost first, to blockIdx.x and threadIdx.x; the lanes are adjacent along
/// the last one. Returns the loop over items, the innermost one outside the lanes.
IterVar bind_elements(Stage stage, std::vector<IterVar> loops, const ElementTile& tile);

/// Partial configurations of the knobs of define_elements, the best guess first.
std::vector<Config> element_seeds();

/// Constrains x * y, the threads of a block: at least a warp if there are enough `elements`, at most the target's
/// limit.
void require_threads(Tuning& t, const KnobExpr& x, const KnobExpr& y, std::int64_t elements, const Target& target);

/// Candidates of the knob `stages` of a double-buffered slice, the best guess first: above 2 only if the target has
/// asynchronous copies to shared memory, which keep several slices in flight.
std::vector<std::int64_t> stage_counts(const Target& target);

/// Bytes of the narrowest asynchronous copy.
inline constexpr std::int64_t kMinAsynchronousBytes = 4;

/// Sizes of one-dimensional blocks: powers of two from 32, below which most of a device idles, to the target's limit.
std::vector<std::int64_t> block_sizes(const Target& target);

/// Widths of vectors of the type that divide rows of `row` elements: powers of two up to `limit` elements and
/// kWidestAccess bytes.
std::vector<std::int64_t> vector_widths(std::int64_t row, ir::Type type, std::int64_t limit = 4);

}  // namespace nestwright
