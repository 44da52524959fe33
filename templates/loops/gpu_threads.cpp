#include "templates/loops/gpu_threads.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "target/description/gpu_target.h"
#include "templates/framework/knobs/seed_table.h"
#include "templates/loops/candidates.h"
#include "templates/loops/divide.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxItems = 8;
constexpr std::int64_t kMinThreads = 32;  ///< offered: fewer leave most of every device idle

/// Splits `loop` into rounds and a loop over the threads of a block, and binds the latter.
void share_among_threads(Stage stage, const IterVar& loop, const BlockThreads& threads) {
  const IterVar thread = stage.split(loop, factor(threads.count())).second;
  if (threads.y == 1 && threads.z == 1) {
    stage.bind(thread, kThreadIdxX);
    return;
  }
  auto [y, x] = stage.split(thread, factor(threads.x));
  if (threads.z > 1) {
    IterVar z;
    std::tie(z, y) = stage.split(y, factor(threads.y));
    stage.bind(z, kThreadIdxZ);
  }
  stage.bind(y, kThreadIdxY).bind(x, kThreadIdxX);
}

}  // namespace

void fetch_cooperatively(Stage stage, std::vector<IterVar> loops, const BlockThreads& threads, std::int64_t lanes) {
  IterVar lane;
  if (lanes > 1) std::tie(loops.back(), lane) = stage.split(loops.back(), factor(lanes));
  std::vector<IterVar> order = loops;
  if (lane.defined()) order.push_back(lane);
  stage.reorder(order);
  IterVar all = loops.front();
  for (std::size_t l = 1; l < loops.size(); ++l) all = stage.fuse(all, loops[l]);
  share_among_threads(stage, all, threads);
  if (lane.defined()) stage.vectorize(lane);
}

std::vector<std::int64_t> stage_counts(const Target& target) {
  if (!has_asynchronous_copies(target)) return {2};
  return {2, 3, 4};
}

std::vector<std::int64_t> block_sizes(const Target& target) {
  std::vector<std::int64_t> sizes = powers_up_to(target.threads_per_block);
  const std::int64_t least = std::min(kMinThreads, sizes.back());
  std::erase_if(sizes, [&](std::int64_t size) { return size < least; });
  return sizes;
}

std::vector<std::int64_t> vector_widths(std::int64_t row, ir::Type type, std::int64_t limit) {
  std::vector<std::int64_t> widths = powers_up_to(std::min(limit, kWidestAccess / type.bytes()));
  std::erase_if(widths, [&](std::int64_t width) { return row % width != 0; });
  return widths;
}

ElementTile define_elements(Tuning& t, std::int64_t extent, std::int64_t row, ir::Type type, const Target& target) {
  const KnobExpr threads = t.define_knob("threads", block_sizes(target));
  const KnobExpr lanes = t.define_knob("lanes", vector_widths(row, type));
  const KnobExpr items = t.define_knob("items", powers_up_to(kMaxItems));
  t.require(threads * lanes * (items - 1) < extent, "a thread has vectors that lie wholly past the end");
  return {threads, lanes, items};
}

IterVar bind_elements(Stage stage, std::vector<IterVar> loops, const ElementTile& tile) {
  IterVar lane;
  if (tile.lanes > 1) std::tie(loops.back(), lane) = stage.split(loops.back(), factor(tile.lanes));
  IterVar all = loops.front();
  for (std::size_t l = 1; l < loops.size(); ++l) all = stage.fuse(all, loops[l]);
  const auto [block, in_block] = stage.split(all, factor(tile.threads * tile.items));
  const auto [item, thread] = stage.split(in_block, factor(tile.threads));
  std::vector<IterVar> order{block, thread, item};
  if (lane.defined()) order.push_back(lane);
  stage.reorder(order).bind(block, kBlockIdxX).bind(thread, kThreadIdxX).unroll(item);
  if (lane.defined()) stage.vectorize(lane);
  return item;
}

std::vector<Config> element_seeds() {
  return seed_product({{"threads", {256}}, {"lanes", {4, 1}}, {"items", {1, 4, 2}}});
}

void require_threads(Tuning& t, const KnobExpr& x, const KnobExpr& y, std::int64_t elements, const Target& target) {
  const auto enough = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(elements)));
  t.require(x * y >= std::min<std::int64_t>(target.warp, enough) && x * y <= target.threads_per_block,
            "a block has fewer threads than a warp, or more than the target allows");
}

}  // namespace nestwright
