#include "templates/loops/gpu_threads.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "target/gpu.h"
#include "templates/loops/divide.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMostItems = 8;
constexpr std::int64_t kLeastThreads = 32;  ///< offered: fewer leave most of every device idle

}  // namespace

IterVar share_among_threads(Stage stage, const IterVar& loop, const BlockThreads& threads) {
  const auto [round, thread] = stage.split(loop, factor(threads.count()));
  if (threads.y == 1 && threads.z == 1) {
    stage.bind(thread, kThreadIdxX);
    return round;
  }
  auto [y, x] = stage.split(thread, factor(threads.x));
  if (threads.z > 1) {
    IterVar z;
    std::tie(z, y) = stage.split(y, factor(threads.y));
    stage.bind(z, kThreadIdxZ);
  }
  stage.bind(y, kThreadIdxY).bind(x, kThreadIdxX);
  return round;
}

void fetch_together(Stage stage, std::vector<IterVar> loops, const BlockThreads& threads, std::int64_t lanes) {
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

std::vector<std::int64_t> powers_up_to(std::int64_t most) {
  std::vector<std::int64_t> powers{1};
  while (powers.back() <= most / 2) powers.push_back(2 * powers.back());
  return powers;
}

std::vector<std::int64_t> block_sizes(const Target& target) {
  std::vector<std::int64_t> sizes = powers_up_to(target.threads_per_block);
  const std::int64_t least = std::min(kLeastThreads, sizes.back());
  std::erase_if(sizes, [&](std::int64_t size) { return size < least; });
  return sizes;
}

std::vector<std::int64_t> vector_widths(std::int64_t row, ir::Type type, std::int64_t most) {
  std::vector<std::int64_t> widths = powers_up_to(std::min(most, kWidestAccess / type.bytes()));
  std::erase_if(widths, [&](std::int64_t width) { return row % width != 0; });
  return widths;
}

ElementTile define_elements(Tuning& t, std::int64_t extent, std::int64_t row, ir::Type type, const Target& target) {
  const ElementTile tile{t.define_knob("threads", block_sizes(target)),
                         t.define_knob("lanes", vector_widths(row, type)),
                         t.define_knob("items", powers_up_to(kMostItems))};
  t.constrain(
      {"threads", "lanes", "items"},
      [extent](std::span<const KnobValue> v) {
        return v[2][0] == 1 || (v[2][0] - 1) * v[0][0] < ceil_div(extent, v[1][0]);
      },
      "a thread has vectors that lie wholly past the end");
  return tile;
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

std::vector<Config> wish_elements() {
  std::vector<Config> wishes;
  for (const std::int64_t lanes : {4, 1}) {
    for (const std::int64_t items : {1, 4, 2}) {
      Config wish;
      wish.set("threads", {256});
      wish.set("lanes", {lanes});
      wish.set("items", {items});
      wishes.push_back(std::move(wish));
    }
  }
  return wishes;
}

void constrain_threads(Tuning& t, const std::string& x, const std::string& y, std::int64_t elements,
                       const Target& target) {
  const auto enough = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(elements)));
  t.constrain(
      {x, y},
      [least = std::min<std::int64_t>(target.warp, enough),
       most = target.threads_per_block](std::span<const KnobValue> v) {
        const std::int64_t threads = v[0].back() * v[1].back();
        return threads >= least && threads <= most;
      },
      "a block has fewer threads than a warp, or more than the target allows");
}

}  // namespace nestwright
