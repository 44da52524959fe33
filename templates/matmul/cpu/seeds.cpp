#include "templates/matmul/cpu/seeds.h"

#include <algorithm>
#include <bit>

#include "support/error.h"
#include "templates/framework/completion.h"
#include "templates/framework/parallel_worth.h"
#include "templates/matmul/cpu/knobs.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

/// Multiply-adds a thread: some 30 ms, so that few configurations are measured.
constexpr double kLargeProduct = 1.5e9;

/// What one seed wishes for; complete_config makes it legal.
struct Wish {
  std::int64_t rows = 1, vectors = 1;
  std::string pack_b = "no", pack_a = "no", tail_m = "partition", vector_axis = "n";
  std::string parallel;      ///< empty: as suits the shape
  std::int64_t k_block = 0;  ///< 0, or as long as the reduction: not blocked
  std::int64_t unroll_k = 4;
  std::int64_t block_bytes = 0;  ///< of A's block of rows; 0: all rows in one
  std::int64_t blocks_n = 1;
  std::vector<std::int64_t> block_order{kAxisN, kAxisM};
  bool tiles_n_outer = true, prefetch_c = false;
  std::int64_t prefetch_b = 0;
};

/// The most rows that fit beside `vectors` vectors; a few less where these leave no smaller last tile, or else evened
/// out so that it is not much smaller.
std::int64_t fitting_rows(std::int64_t vectors, std::int64_t extent, const Target& target) {
  std::int64_t rows =
      std::max<std::int64_t>(1, (target.vector_registers - spare_registers(target) - vectors) / vectors);
  rows = std::min(rows, extent);
  for (std::int64_t fewer = rows; 7 * fewer >= 6 * rows; --fewer) {
    if (extent % fewer == 0) return fewer;
  }
  return ceil_div(extent, ceil_div(extent, rows));
}

Config to_config(Wish wish, const MatmulShape& shape, const Target& target) {
  if (wish.k_block >= shape.k) wish.k_block = 0;
  Config config;
  config.set("vector_axis", {}, wish.vector_axis);
  config.set("pack_b", {}, shape.prepares_b ? "prepared" : wish.pack_b);
  config.set("pack_a", {}, wish.pack_a);
  config.set("reduction", {}, wish.k_block > 0 ? "blocked" : "full");
  config.set("tail_m", {}, wish.tail_m);
  config.set("parallel", {}, wish.parallel);
  config.set("register_rows", {wish.rows});
  config.set("register_vectors", {wish.vectors});
  config.set("unroll_k", {wish.unroll_k});
  const std::int64_t k = wish.k_block > 0 ? wish.k_block : shape.k;
  std::int64_t blocks_m = 1;
  if (wish.block_bytes > 0) {
    const std::int64_t tile_bytes = wish.rows * k * shape.type.bytes();
    blocks_m = ceil_div(ceil_div(shape.m, wish.rows), std::max<std::int64_t>(1, wish.block_bytes / tile_bytes));
  }
  std::int64_t blocks_n = wish.blocks_n;
  const std::int64_t threads = target.threads;
  if (wish.parallel == "m") blocks_m = ceil_div(std::max(blocks_m, threads), threads) * threads;
  if (wish.parallel == "n") blocks_n = ceil_div(std::max(blocks_n, threads), threads) * threads;
  if (wish.parallel == "both") {
    blocks_m = std::max<std::int64_t>(blocks_m, 2);
    blocks_n = ceil_div(std::max(blocks_n, threads), threads) * threads;
  }
  const bool vector_m = wish.vector_axis == "m";
  if (!vector_m && shape.n < target.lanes(shape.type)) {
    config.set("vector_lanes", {static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(shape.n)))});
  }
  config.set("blocks_m", {blocks_m});
  config.set("blocks_n", {blocks_n});
  if (wish.k_block > 0) config.set("blocks_k", {ceil_div(shape.k, wish.k_block)});
  KnobValue order = wish.block_order;
  if (wish.k_block > 0 && order.size() == 2) order.push_back(kAxisK);
  if (wish.k_block == 0) std::erase(order, kAxisK);
  // Loops over a single block go first: the template has no other order for them.
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
    const auto rank = [&](std::int64_t axis) {
      return (axis == kAxisM && blocks_m == 1) ? 0 : (axis == kAxisN && blocks_n == 1) ? 1 : 2;
    };
    return rank(x) < rank(y);
  });
  config.set("block_order", order);
  config.set("tile_order", wish.tiles_n_outer ? KnobValue{kAxisN, kAxisM} : KnobValue{kAxisM, kAxisN});
  config.set("prefetch_a", {0});
  config.set("prefetch_b", {wish.prefetch_b});
  config.set("prefetch_c", {wish.prefetch_c ? 1 : 0});
  return config;
}

std::vector<Wish> make_wishes(const MatmulShape& shape, const Target& target, bool is_parallel) {
  const std::int64_t lanes = target.lanes(shape.type), bytes = shape.type.bytes();
  const std::int64_t columns = ceil_div(shape.n, lanes);
  // Few rows leave registers for more columns: a matrix-vector product keeps many sums in flight.
  const auto tile = [&](std::int64_t vectors) {
    Wish wish;
    wish.vectors = std::min(vectors, columns);
    wish.rows = fitting_rows(wish.vectors, shape.m, target);
    const std::int64_t wider = (target.vector_registers - spare_registers(target)) / (wish.rows + 1);
    if (wish.rows == shape.m) wish.vectors = std::max(wish.vectors, std::min(wider, columns));
    wish.unroll_k = shape.m == 1 ? 1 : wish.vectors == 1 ? 8 : 4;
    if (wish.vectors > 2 && shape.m > 1) {
      while (wish.rows > 1 && !stays_in_registers({wish.rows, wish.vectors, wish.unroll_k, false, false}, target))
        --wish.rows;
    }
    return wish;
  };
  std::string threads = "none";
  if (is_parallel) {
    const bool rows_suffice = ceil_div(shape.m, tile(2).rows) >= 2 * target.threads;
    threads = shape.batch >= target.threads ? "batch" : rows_suffice ? "m" : "n";
  }
  // B is read once for every row of tiles: packed, it comes in order and from few pages.
  const double bytes_b = static_cast<double>(shape.n) * static_cast<double>(shape.k) * static_cast<double>(bytes);
  // Transposed in place, its vectors would be gathered.
  const bool large = shape.m >= 3 * tile(2).rows && bytes_b > 2.0 * static_cast<double>(target.l2_bytes);
  const bool packs = large || shape.prepares_b || (shape.tb && shape.m >= 8);

  std::vector<Wish> wishes;
  const auto add = [&](Wish wish) {
    if (wish.parallel.empty()) wish.parallel = threads;
    if (threads == "n" && wish.k_block == 0) wish.block_order = {kAxisN, kAxisM};
    wishes.push_back(std::move(wish));
  };
  const auto with_b = [&](Wish wish, const std::string& how) {
    wish.pack_b = how;
    wish.block_bytes = target.l2_bytes / 2;
    wish.block_order = {kAxisM, kAxisN};
    return wish;
  };
  // After Goto and van de Geijn (TOMS 2008): a tile's rows of A in the first cache, where they come back for every tile
  // of columns of a block of B, which is in the second. Long reductions load and store C seldom.
  const auto in_blocks = [&](Wish wish, std::int64_t steps, std::int64_t bytes_of_b, std::int64_t bytes_of_a) {
    wish.pack_a = "rows";
    wish.k_block = steps;
    wish.block_order = {kAxisM, kAxisK, kAxisN};
    wish.block_bytes = bytes_of_a;
    wish.blocks_n = ceil_div(shape.n * std::min(steps, shape.k) * bytes, bytes_of_b);
    wish.tiles_n_outer = false;
    wish.prefetch_c = true;
    // Threads share the block of A, and each has one of B for itself.
    if (is_parallel) wish.parallel = "n";
    return wish;
  };
  const bool is_long = shape.m >= 2 && shape.k >= 128;
  Wish composed = tile(2);
  composed.tail_m = "compose";
  composed.rows = std::max<std::int64_t>(
      1, (target.vector_registers - spare_registers(target) - composed.vectors) / composed.vectors);
  add(packs ? with_b(tile(2), "whole") : tile(2));
  if (is_long) {
    // Read in place, B's rows lie on as many pages: the hardware fetches none of them ahead.
    Wish ahead = composed;
    ahead.prefetch_b = 16;
    ahead.prefetch_c = true;
    add(ahead);
    ahead.pack_a = "rows";
    add(ahead);
    add(in_blocks(ahead, 512, target.l2_bytes / 2, 0));
    // A's rows are often a multiple of a page apart: no more of them than the first cache has ways.
    Wish narrow = tile(3);
    narrow.k_block = 384;
    narrow.prefetch_b = 16;
    narrow.prefetch_c = true;
    add(narrow);
  }
  if (packs && is_long) {
    // A tile of columns of B over all of the reduction is a panel.
    add(in_blocks(with_b(tile(4), "block"), shape.k, target.l2_bytes / 2, 0));
  }
  if (shape.m > tile(3).rows) {
    // B comes in order, again for every row of tiles: the hardware fetches it ahead.
    Wish streamed = tile(3);
    streamed.tiles_n_outer = false;
    add(streamed);
  }
  add(packs ? tile(2) : with_b(tile(2), "whole"));
  add(packs ? with_b(tile(4), "whole") : tile(4));
  if (shape.n < lanes && !shape.prepares_b) {
    Wish wish = tile(1);
    wish.vector_axis = "m";
    wish.rows = 1;
    wish.vectors = std::min<std::int64_t>(8, ceil_div(shape.m, lanes));
    wish.unroll_k = 1;
    add(wish);
    // Where A's columns are contiguous there is no better way.
    if (shape.ta) std::rotate(wishes.begin(), wishes.end() - 1, wishes.end());
  }
  if (!is_long) add(composed);
  add(with_b(composed, "whole"));
  add(tile(3));
  add(tile(1));
  Wish in_panels = with_b(tile(2), "block");
  if (packs) {
    // Columns of B that stay in the second cache until all rows of A have met them.
    in_panels.block_bytes = 0;
    in_panels.blocks_n = ceil_div(shape.n * shape.k * bytes, target.l2_bytes / 4);
    // Each is packed once, by the thread that uses it; and a thread that is held up takes fewer of them.
    if (is_parallel) {
      in_panels.parallel = "n";
      in_panels.block_order = {kAxisN, kAxisM};
    }
  }
  add(in_panels);
  if (is_long) {
    add(in_blocks(tile(3), 512, target.l2_bytes / 2, 0));
  }
  if (packs) {
    const Wish packed = with_b(tile(4), "block");
    add(in_blocks(packed, 512, target.l2_bytes / 2, 0));
    add(in_blocks(packed, 1024, 2 * target.l2_bytes, 0));
    add(in_blocks(packed, 512, target.l2_bytes / 2, target.l2_bytes));
    add(in_blocks(packed, 1024, target.l2_bytes / 4, 0));
    Wish wish = with_b(tile(2), "whole");
    wish.pack_a = "rows";
    add(wish);
  }
  {
    Wish wish = with_b(tile(2), "whole");
    wish.tiles_n_outer = false;
    add(wish);
    wish.block_bytes = 0;
    wish.block_order = {kAxisN, kAxisM};
    wish.blocks_n = 4;
    add(wish);
  }
  if (target.threads > 1) {
    for (const char* other : {"n", "m", "both", "none"}) {
      if (other == threads) continue;
      Wish wish = packs ? with_b(tile(2), "whole") : tile(2);
      wish.parallel = other;
      if (wish.parallel == "n")
        wish.block_order = {kAxisN, kAxisM};  // one start of the threads, not one a block of rows
      // Shares so small that a thread which is held up takes fewer of them.
      if (wish.parallel == "both") wish.blocks_n = 4 * target.threads;
      wishes.push_back(wish);
    }
  }
  // Only those that are made for a large product: what is near the best of them is worth more than the others.
  const double products = static_cast<double>(shape.batch * shape.m) * static_cast<double>(shape.n * shape.k);
  if (packs && products > kLargeProduct * target.threads) {
    const auto other = [](const Wish& wish) {
      return wish.pack_a != "rows" && (wish.pack_b != "whole" || wish.vectors < 4);
    };
    wishes.erase(std::remove_if(wishes.begin() + 1, wishes.end(), other), wishes.end());
  }
  return wishes;
}

}  // namespace

std::vector<Config> matmul_cpu_seeds(const Template& self, const Workload& workload, const MatmulShape& shape,
                                     const Target& target) {
  std::vector<Config> wishes;
  for (const Wish& wish : make_wishes(shape, target, is_worth_parallel_loop(self.op.define(workload), target))) {
    wishes.push_back(to_config(wish, shape, target));
  }
  return complete_seeds(self, workload, target, wishes);
}

}  // namespace nestwright
