#include "templates/matmul/cpu/seeds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "nestwright/error.h"
#include "templates/framework/space/completion.h"
#include "templates/framework/template/parallel_worth.h"
#include "templates/matmul/cpu/knobs.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

/// Multiply-adds a thread: some 30 ms, so that few configurations are measured.
constexpr double kLargeProduct = 1.5e9;

/// A seed, as far as formulas give it.
struct Seed {
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

struct BlockCounts {
  std::int64_t m = 1, n = 1;
};

/// The number of blocks nearest to `wanted` into which the rows' tiles divide, preferably as many for each thread. A
/// point with another number would be repaired by a lower register tile, which costs more than blocks of other sizes.
std::int64_t dividing_blocks(std::int64_t rows, std::int64_t extent, std::int64_t wanted, std::int64_t threads) {
  const std::int64_t tiles = ceil_div(extent, rows);
  std::int64_t nearest = 1;
  double least = std::numeric_limits<double>::infinity();
  for (const std::int64_t count : block_count_candidates(tiles)) {
    if (!is_even_division(tiles, count)) continue;
    const double distance =
        std::abs(std::log2(static_cast<double>(count) / static_cast<double>(wanted))) + (count % threads == 0 ? 0 : 1);
    if (distance < least) nearest = count, least = distance;
  }
  return nearest;
}

/// Blocks of C: as large as the seed says, and enough of them for the threads.
BlockCounts block_counts(const Seed& seed, const MatmulShape& shape, const Target& target) {
  BlockCounts blocks{1, seed.blocks_n};
  if (seed.block_bytes > 0) {
    const std::int64_t tile_bytes = seed.rows * (seed.k_block > 0 ? seed.k_block : shape.k) * shape.type.bytes();
    const std::int64_t tiles = std::max<std::int64_t>(1, seed.block_bytes / tile_bytes);
    blocks.m = ceil_div(ceil_div(shape.m, seed.rows), tiles);
  }
  const std::int64_t threads = target.threads;
  const auto shared = [threads](std::int64_t count) { return ceil_div(std::max(count, threads), threads) * threads; };
  if (seed.parallel == "m") blocks.m = shared(blocks.m);
  if (blocks.m > 1 && seed.vector_axis == "n" && seed.tail_m == "partition") {
    blocks.m = dividing_blocks(seed.rows, shape.m, blocks.m, seed.parallel == "m" ? threads : 1);
  }
  if (seed.parallel == "n" || seed.parallel == "both") blocks.n = shared(blocks.n);
  if (seed.parallel == "both") blocks.m = std::max<std::int64_t>(blocks.m, 2);
  return blocks;
}

/// Loops over a single block go first: the template has no other order for them.
KnobValue block_order(const Seed& seed, const BlockCounts& blocks) {
  KnobValue order = seed.block_order;
  if (seed.k_block > 0 && order.size() == 2) order.push_back(kAxisK);
  if (seed.k_block == 0) std::erase(order, kAxisK);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
    const auto rank = [&](std::int64_t axis) {
      return (axis == kAxisM && blocks.m == 1) ? 0 : (axis == kAxisN && blocks.n == 1) ? 1 : 2;
    };
    return rank(x) < rank(y);
  });
  return order;
}

Config to_config(Seed seed, const MatmulShape& shape, const Target& target) {
  if (seed.k_block >= shape.k) seed.k_block = 0;
  const BlockCounts blocks = block_counts(seed, shape, target);
  Config config;
  config.set("vector_axis", {}, seed.vector_axis);
  config.set("pack_b", {}, shape.prepares_b ? "prepared" : seed.pack_b);
  config.set("pack_a", {}, shape.prepares_a && seed.pack_a != "no" ? "prepared" : seed.pack_a);
  config.set("reduction", {}, seed.k_block > 0 ? "blocked" : "full");
  config.set("tail_m", {}, seed.tail_m);
  config.set("parallel", {}, seed.parallel);
  config.set("register_rows", {seed.rows});
  config.set("register_vectors", {seed.vectors});
  config.set("unroll_k", {seed.unroll_k});
  if (seed.vector_axis != "m" && shape.n < target.lanes(shape.type)) {
    config.set("vector_lanes", {static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(shape.n)))});
  }
  config.set("blocks_m", {blocks.m});
  config.set("blocks_n", {blocks.n});
  if (seed.k_block > 0) config.set("blocks_k", {ceil_div(shape.k, seed.k_block)});
  config.set("block_order", block_order(seed, blocks));
  config.set("tile_order", seed.tiles_n_outer ? KnobValue{kAxisN, kAxisM} : KnobValue{kAxisM, kAxisN});
  config.set("prefetch_a", {0});
  config.set("prefetch_b", {seed.prefetch_b});
  config.set("prefetch_c", {seed.prefetch_c ? 1 : 0});
  return config;
}

/// The formulas of the seeds of one product on one target.
class SeedFormulas {
 public:
  SeedFormulas(const MatmulShape& shape, const Target& target, bool is_parallel)
      : shape_(shape), target_(target), is_parallel_(is_parallel) {
    if (is_parallel) {
      const bool rows_suffice = ceil_div(shape.m, tile(2).rows) >= 2 * target.threads;
      parallel_axis_ = shape.batch >= target.threads ? "batch" : rows_suffice ? "m" : "n";
    }
  }

  /// The seeds, the best guess first.
  std::vector<Seed> all() const {
    std::vector<Seed> seeds;
    for (const Row& row : table()) {
      if (!row.applies) continue;
      Seed& seed = seeds.emplace_back(row.seed);
      if (seed.parallel.empty()) seed.parallel = parallel_axis_;
      if (parallel_axis_ == "n" && seed.k_block == 0) seed.block_order = {kAxisN, kAxisM};
    }
    for (const Seed& seed : with_other_threads()) seeds.push_back(seed);
    // Only those that are made for a large product: what is near the best of them is worth more than the others.
    const double products = static_cast<double>(shape_.batch * shape_.m) * static_cast<double>(shape_.n * shape_.k);
    if (packs() && products > kLargeProduct * target_.threads) {
      const auto is_other = [](const Seed& seed) {
        return seed.pack_a != "rows" && (seed.pack_b != "whole" || seed.vectors < 4);
      };
      seeds.erase(std::remove_if(seeds.begin() + 1, seeds.end(), is_other), seeds.end());
    }
    return seeds;
  }

 private:
  struct Row {
    bool applies;
    Seed seed;
  };

  std::vector<Row> table() const {
    const std::int64_t l2 = target_.l2_bytes;
    // Narrower than a vector: then vectors may run along M.
    const bool is_narrow = shape_.n < target_.lanes(shape_.type) && !shape_.prepares_b;
    const Seed panels = with_b(tile(4), "block");
    return {
        // Where A's columns are contiguous there is no better way.
        {is_narrow && shape_.ta, along_m()},
        {true, packs() ? with_b(tile(2), "whole") : tile(2)},
        {is_long(), read_ahead()},
        {is_long(), with_rows_of_a(read_ahead())},
        {is_long(), in_blocks(with_rows_of_a(read_ahead()), 512, l2 / 2, 0)},
        {is_long(), few_rows()},
        // A tile of columns of B over all of the reduction is a panel.
        {packs() && is_long(), in_blocks(panels, shape_.k, l2 / 2, 0)},
        {shape_.m > tile(3).rows, streamed(tile(3))},
        {true, packs() ? tile(2) : with_b(tile(2), "whole")},
        {true, packs() ? with_b(tile(4), "whole") : tile(4)},
        {is_narrow && !shape_.ta, along_m()},
        {!is_long(), composed()},
        {true, with_b(composed(), "whole")},
        {true, tile(3)},
        {true, tile(1)},
        {true, in_panels()},
        {is_long(), in_blocks(tile(3), 512, l2 / 2, 0)},
        {packs(), in_blocks(panels, 512, l2 / 2, 0)},
        {packs(), in_blocks(panels, 1024, 2 * l2, 0)},
        {packs(), in_blocks(panels, 512, l2 / 2, l2)},
        {packs(), in_blocks(panels, 1024, l2 / 4, 0)},
        {packs(), with_rows_of_a(with_b(tile(2), "whole"))},
        {true, streamed(with_b(tile(2), "whole"))},
        {true, in_four_blocks(streamed(with_b(tile(2), "whole")))},
    };
  }

  /// Few rows leave registers for more columns: a matrix-vector product keeps many sums in flight.
  Seed tile(std::int64_t vectors) const {
    const std::int64_t columns = ceil_div(shape_.n, target_.lanes(shape_.type));
    Seed seed;
    seed.vectors = std::min(vectors, columns);
    seed.rows = fitting_rows(seed.vectors, shape_.m, target_);
    const std::int64_t wider = (target_.vector_registers - spare_registers(target_)) / (seed.rows + 1);
    if (seed.rows == shape_.m) seed.vectors = std::max(seed.vectors, std::min(wider, columns));
    seed.unroll_k = shape_.m == 1 ? 1 : seed.vectors == 1 ? 8 : 4;
    if (seed.vectors > 2 && shape_.m > 1) {
      while (seed.rows > 1 && !stays_in_registers({seed.rows, seed.vectors, seed.unroll_k, false, false}, target_)) {
        --seed.rows;
      }
    }
    return seed;
  }

  /// Whether blocks of the reduction are long enough to load and store C seldom.
  bool is_long() const { return shape_.m >= 2 && shape_.k >= 128; }

  /// B is read once for every row of tiles: packed, it comes in order and from few pages. Transposed in place, its
  /// vectors would be gathered.
  bool packs() const {
    const double bytes_b =
        static_cast<double>(shape_.n) * static_cast<double>(shape_.k) * static_cast<double>(shape_.type.bytes());
    const bool is_large = shape_.m >= 3 * tile(2).rows && bytes_b > 2.0 * static_cast<double>(target_.l2_bytes);
    return is_large || shape_.prepares_b || (shape_.tb && shape_.m >= 8);
  }

  Seed with_b(Seed seed, const std::string& how) const {
    seed.pack_b = how;
    seed.block_bytes = target_.l2_bytes / 2;
    seed.block_order = {kAxisM, kAxisN};
    return seed;
  }

  static Seed with_rows_of_a(Seed seed) {
    seed.pack_a = "rows";
    return seed;
  }

  /// B comes in order, again for every row of tiles: the hardware fetches it ahead.
  static Seed streamed(Seed seed) {
    seed.tiles_n_outer = false;
    return seed;
  }

  static Seed in_four_blocks(Seed seed) {
    seed.block_bytes = 0;
    seed.block_order = {kAxisN, kAxisM};
    seed.blocks_n = 4;
    return seed;
  }

  /// Rows in tiles of two heights, as high as the registers allow.
  Seed composed() const {
    Seed seed = tile(2);
    seed.tail_m = "compose";
    const std::int64_t registers = target_.vector_registers - spare_registers(target_);
    seed.rows = std::max<std::int64_t>(1, (registers - seed.vectors) / seed.vectors);
    return seed;
  }

  /// Read in place, B's rows lie on as many pages: the hardware fetches none of them ahead.
  Seed read_ahead() const {
    Seed seed = composed();
    seed.prefetch_b = 16;
    seed.prefetch_c = true;
    return seed;
  }

  /// A's rows are often a multiple of a page apart: no more of them than the first cache has ways.
  Seed few_rows() const {
    Seed seed = tile(3);
    seed.k_block = 384;
    seed.prefetch_b = 16;
    seed.prefetch_c = true;
    return seed;
  }

  Seed along_m() const {
    Seed seed = tile(1);
    seed.vector_axis = "m";
    seed.rows = 1;
    seed.vectors = std::min<std::int64_t>(8, ceil_div(shape_.m, target_.lanes(shape_.type)));
    seed.unroll_k = 1;
    return seed;
  }

  /// Columns of B that stay in the second cache until they are multiplied with all rows of A.
  Seed in_panels() const {
    Seed seed = with_b(tile(2), "block");
    if (!packs()) return seed;
    seed.block_bytes = 0;
    seed.blocks_n = ceil_div(shape_.n * shape_.k * shape_.type.bytes(), target_.l2_bytes / 4);
    // Each is packed once, by the thread that uses it; and a thread that is held up takes fewer of them.
    if (is_parallel_) {
      seed.parallel = "n";
      seed.block_order = {kAxisN, kAxisM};
    }
    return seed;
  }

  /// After Goto and van de Geijn (TOMS 2008): a tile's rows of A in the first cache, where they come back for every
  /// tile of columns of a block of B, which is in the second.
  Seed in_blocks(Seed seed, std::int64_t steps, std::int64_t bytes_of_b, std::int64_t bytes_of_a) const {
    seed.pack_a = "rows";
    seed.k_block = steps;
    seed.block_order = {kAxisM, kAxisK, kAxisN};
    seed.block_bytes = bytes_of_a;
    seed.blocks_n =
        ceil_div(shape_.n * std::min(steps, shape_.k) * shape_.type.bytes(), std::max<std::int64_t>(1, bytes_of_b));
    seed.tiles_n_outer = false;
    seed.prefetch_c = true;
    // Threads share the block of A, and each has one of B for itself.
    if (is_parallel_) seed.parallel = "n";
    return seed;
  }

  /// The tile that is likely the best, with other loops parallel than those that suit the shape.
  std::vector<Seed> with_other_threads() const {
    if (target_.threads < 2) return {};
    std::vector<Seed> seeds;
    for (const char* other : {"n", "m", "both", "none"}) {
      if (other == parallel_axis_) continue;
      Seed& seed = seeds.emplace_back(packs() ? with_b(tile(2), "whole") : tile(2));
      seed.parallel = other;
      // One start of the threads, not one a block of rows.
      if (seed.parallel == "n") seed.block_order = {kAxisN, kAxisM};
      // Shares so small that a thread which is held up takes fewer of them.
      if (seed.parallel == "both") seed.blocks_n = 4 * target_.threads;
    }
    return seeds;
  }

  const MatmulShape& shape_;
  const Target& target_;
  bool is_parallel_;
  std::string parallel_axis_ = "none";  ///< the parallel loop that suits the shape
};

}  // namespace

std::vector<Config> matmul_cpu_seeds(const Template& self, const Workload& workload, const MatmulShape& shape,
                                     const Target& target) {
  const bool is_parallel = is_worth_parallel_loop(*workload.definition, target);
  std::vector<Config> seeds;
  for (const Seed& seed : SeedFormulas(shape, target, is_parallel).all()) {
    seeds.push_back(to_config(seed, shape, target));
  }
  return complete_seeds(self, workload, target, seeds);
}

}  // namespace nestwright
