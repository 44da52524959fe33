// The knobs of the CPU template: candidates, and the formulas that refuse points which cannot be good.
#include <algorithm>
#include <bit>

#include "templates/matmul/cpu/knobs.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMostUnrolled = 512;   ///< multiply-adds in the body of the innermost loop
constexpr std::int64_t kLeastBlock = 32;      ///< steps of a blocked reduction: below, C goes through memory too often
constexpr std::int64_t kLeastBlockOfOne = 8;  ///< the same for a vector C, which stays in the first cache
constexpr std::int64_t kLeastRowsToPack = 8;  ///< fewer rows do not pay for a copy of B

std::vector<std::int64_t> up_to(std::vector<std::int64_t> values, std::int64_t limit) {
  std::erase_if(values, [&](std::int64_t value) { return value > limit; });
  return values;
}

/// Numbers of blocks to divide `tiles` tiles into.
std::vector<std::int64_t> block_counts(std::int64_t tiles) {
  return up_to({1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512}, tiles);
}

/// Whether this number of blocks is what dividing into equal ones gives: others would only name the same loops again.
bool is_even_division(std::int64_t tiles, std::int64_t blocks) {
  return blocks <= tiles && ceil_div(tiles, ceil_div(tiles, blocks)) == blocks;
}

std::vector<std::int64_t> k_block_counts(std::int64_t k, std::int64_t least) {
  std::vector<std::int64_t> counts;
  for (const std::int64_t count : {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256}) {
    const std::int64_t block = k_block_of(k, count);
    if (block >= least && ceil_div(k, block) == count) counts.push_back(count);
  }
  return counts;
}

/// Widths of a vector in elements: whole registers first, narrower ones where they leave fewer lanes idle.
std::vector<std::int64_t> lane_counts(std::int64_t extent, int lanes) {
  std::vector<std::int64_t> widths{lanes};
  for (std::int64_t width = lanes / 2; width >= 4 || (width >= 2 && lanes <= 8); width /= 2) {
    const std::int64_t idle = ceil_div(extent, 2 * width) * 2 * width - extent;
    if (idle >= width && extent < 8 * lanes) widths.push_back(width);
    if (width < 2) break;
  }
  return widths;
}

std::vector<std::int64_t> composable_rows(const std::vector<std::int64_t>& rows, std::int64_t extent) {
  std::vector<std::int64_t> composable;
  for (const std::int64_t r : rows) {
    if (second_segment(extent, r) > 0) composable.push_back(r);
  }
  return composable;
}

/// Orders of the block loops: all, or those with the reduction innermost.
std::vector<std::vector<int>> block_orders(bool blocked, bool reduction_last) {
  std::vector<int> order{kAxisM, kAxisN};
  if (blocked) order.push_back(kAxisK);
  std::vector<std::vector<int>> orders;
  do {
    if (!blocked || !reduction_last || order.back() == kAxisK) orders.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

/// Loops over one block only come first, in a fixed order: the others name the same loops again.
bool is_canonical_order(const KnobValue& order, std::int64_t blocks_m, std::int64_t blocks_n) {
  std::int64_t last_single = -1;
  bool seen_real = false;
  for (const std::int64_t axis : order) {
    const bool single = (axis == kAxisM && blocks_m == 1) || (axis == kAxisN && blocks_n == 1);
    if (!single) seen_real = true;
    if (single && (seen_real || axis < last_single)) return false;
    if (single) last_single = axis;
  }
  return true;
}

/// Tiles of `second` rows that make up the rest beside at least one of `rows`, the fewest; 0 where no number does.
std::int64_t second_tiles(std::int64_t extent, std::int64_t rows, std::int64_t second) {
  for (std::int64_t count = 1; count <= rows && count * second < extent; ++count) {
    if ((extent - count * second) % rows == 0) return count;
  }
  return 0;
}

}  // namespace

bool stays_in_registers(const RegisterTile& tile, const Target& target) {
  const std::int64_t used = tile.rows * tile.vectors + tile.vectors;
  const bool mask_in_vector = tile.partial && target.has_fma() && !target.has_masks();
  const std::int64_t spare = tile.others + spare_registers(target) + (tile.strided ? 1 : 0) + (mask_in_vector ? 1 : 0);
  if (used + spare > target.vector_registers) return false;
  // Conversions and products of their own: unrolled, many are under way at once.
  const bool is_simple = (tile.others == 0 && tile.is_fused) || (target.has_masks() && tile.is_fused && !tile.partial);
  if (!is_simple) return tile.unroll_k == 1 && used + spare + 3 <= target.vector_registers;
  const std::int64_t under_way = tile.vectors == 1 ? 8 : 3;
  if (tile.others > 0 && tile.unroll_k > 1 && used + spare + under_way > target.vector_registers) return false;
  if (tile.unroll_k == 1) return true;
  if (tile.strided && tile.unroll_k > 4) return false;
  if (target.has_masks()) {
    // Its products are narrow, too, and widened where they meet the sums.
    if (tile.narrow_end && used + 9 > target.vector_registers) return false;
    if (tile.partial && tile.vectors > 1 && used + 5 > target.vector_registers) return false;
    if (tile.vectors > 2 && used + 3 > target.vector_registers) return false;
    if (tile.vectors > 1 && tile.unroll_k > 4 && used + 5 > target.vector_registers) return false;
    return !tile.strided || tile.unroll_k == 2 ||
           used + 2 * tile.vectors + (tile.partial ? 5 : 0) < target.vector_registers;
  }
  if (tile.vectors == 1) return tile.rows <= (tile.partial ? 6 : 7);
  if (tile.strided || tile.partial) return used <= (target.has_fma() ? 12 : 8);
  return target.has_fma() || used <= 9 || tile.rows <= 2;
}

std::int64_t most_vectors(std::int64_t extent, std::int64_t vectors, std::int64_t lanes, const Target& target) {
  if (target.has_masks() || target.has_fma()) return vectors;
  const std::int64_t last = extent % (vectors * lanes), rest = last % lanes;
  return std::max<std::int64_t>(vectors, last / lanes + std::popcount(static_cast<std::uint64_t>(rest)));
}

std::int64_t second_segment(std::int64_t extent, std::int64_t rows) {
  if (extent % rows == 0) return 0;
  for (std::int64_t second = rows - 1; second > 0 && 2 * second >= rows; --second) {
    if (second_tiles(extent, rows, second) > 0) return second;
  }
  return 0;
}

std::int64_t count_tiles(std::int64_t extent, std::int64_t rows, std::int64_t second_rows) {
  if (second_rows == 0) return ceil_div(extent, rows);
  const std::int64_t second = second_tiles(extent, rows, second_rows);
  return second + (extent - second * second_rows) / rows;
}

MatmulKnobs define_matmul_knobs(Tuning& t, const MatmulForm& form, const Target& target) {
  const MatmulShape& shape = form.shape;
  using Pack = MatmulKnobs::Pack;
  using Parallel = MatmulKnobs::Parallel;
  MatmulKnobs knobs;
  const int full_lanes = target.lanes(shape.type);

  // --- Choices: which primitives are applied -------------------------------------------------------------------------
  std::vector<std::string> axes{"n"};
  const bool may_turn = !form.columns_only && !shape.prepares_b;
  if (shape.n < full_lanes && shape.m >= full_lanes && may_turn) axes.emplace_back("m");
  knobs.vector_m = t.choose("vector_axis", axes) == "m";
  const std::int64_t row_extent = knobs.vector_m ? shape.n : shape.m;
  const std::int64_t vector_extent = knobs.vector_m ? shape.m : shape.n;
  if (!knobs.vector_m) {
    std::vector<std::string> pack_b;
    if (!form.copies_b) pack_b.emplace_back("no");
    if (form.copies_b || row_extent >= kLeastRowsToPack) pack_b.insert(pack_b.end(), {"block", "whole"});
    if (shape.prepares_b) pack_b = {"prepared"};
    const std::string chosen = t.choose("pack_b", pack_b);
    knobs.pack_b = chosen == "prepared" ? Pack::kPrepared
                   : chosen == "whole"  ? Pack::kWhole
                   : chosen == "block"  ? Pack::kBlock
                                        : Pack::kNo;
    // What is made of A's rows is made along them.
    const bool is_made = form.a.op().compute() != nullptr;
    std::vector<std::string> pack_a;
    if (!form.copies_a) pack_a.emplace_back("no");
    if (form.copies_a || (row_extent > 1 && vector_extent >= 2 * full_lanes)) {
      if (!is_made) pack_a.emplace_back("block");
      if (!shape.ta) pack_a.emplace_back("rows");
    }
    const std::string packed = t.choose("pack_a", pack_a);
    knobs.pack_a = packed == "block" ? Pack::kBlock : packed == "rows" ? Pack::kRows : Pack::kNo;
  }
  const bool is_finished = !(form.result == form.sums);  // something is made of the sums when they are complete
  const std::vector<std::int64_t> k_counts =
      !is_finished || !form.row_sums.defined()
          ? k_block_counts(shape.k, row_extent == 1 ? kLeastBlockOfOne : kLeastBlock)
          : std::vector<std::int64_t>{};
  const bool blocked =
      t.choose("reduction", k_counts.empty() ? std::vector<std::string>{"full"}
                                             : std::vector<std::string>{"full", "blocked"}) == "blocked";
  std::vector<std::int64_t> row_counts;
  const std::int64_t most_rows = knobs.vector_m ? 1 : row_extent;
  for (std::int64_t rows = 1; rows <= most_rows && fits_registers(rows, 1, target); ++rows) row_counts.push_back(rows);
  // A packed panel of A has one tile height, as have the blocks of sums that a blocked reduction stores.
  const std::vector<std::int64_t> composable = knobs.pack_a != Pack::kBlock && !(blocked && is_finished)
                                                   ? composable_rows(row_counts, row_extent)
                                                   : std::vector<std::int64_t>{};
  const bool compose =
      t.choose("tail_m", composable.empty() ? std::vector<std::string>{"partition"}
                                            : std::vector<std::string>{"partition", "compose"}) == "compose";
  if (compose) row_counts = composable;
  std::vector<std::string> parallel{"none"};
  if (target.threads > 1) {
    if (shape.m > 1) parallel.emplace_back("m");
    if (vector_extent > full_lanes && shape.n > 1) parallel.emplace_back("n");
    if (parallel.size() == 3) parallel.emplace_back("both");
    if (shape.batch > 1) parallel.emplace_back("batch");
  }
  const std::string in_parallel = t.choose("parallel", parallel);
  knobs.parallel = in_parallel == "m"       ? Parallel::kM
                   : in_parallel == "n"     ? Parallel::kN
                   : in_parallel == "both"  ? Parallel::kBoth
                   : in_parallel == "batch" ? Parallel::kBatch
                                            : Parallel::kNone;

  // --- Numbers -------------------------------------------------------------------------------------------------------
  knobs.lanes = t.define_knob("vector_lanes", lane_counts(vector_extent, full_lanes));
  knobs.rows = t.define_knob("register_rows", row_counts);
  const std::int64_t least_lanes = lane_counts(vector_extent, full_lanes).back();
  knobs.vectors =
      t.define_knob("register_vectors", up_to({1, 2, 3, 4, 5, 6, 8, 10, 12, 15}, ceil_div(vector_extent, least_lanes)));
  const std::string row_name = knobs.vector_m ? "blocks_n" : "blocks_m";
  const std::string vector_name = knobs.vector_m ? "blocks_m" : "blocks_n";
  const std::int64_t row_blocks = t.define_knob(row_name, block_counts(row_extent));
  const std::int64_t vector_blocks = t.define_knob(vector_name, block_counts(ceil_div(vector_extent, least_lanes)));
  if (blocked) knobs.k_block = k_block_of(shape.k, t.define_knob("blocks_k", k_counts));
  knobs.unroll_k = t.define_knob("unroll_k", up_to({1, 2, 4, 8}, shape.k));
  knobs.prefetch_a = t.define_knob("prefetch_a", up_to({0, 8, 16, 32}, shape.k - 1));
  knobs.prefetch_b = t.define_knob("prefetch_b", up_to({0, 4, 8, 16, 32}, shape.k - 1));
  knobs.prefetch_c = t.define_knob("prefetch_c", {0, 1}) == 1;
  knobs.block_order = t.define_reorder("block_order", block_orders(blocked, knobs.parallel == Parallel::kBoth));
  knobs.tiles_n_outer = t.define_reorder("tile_order", {{kAxisM, kAxisN}, {kAxisN, kAxisM}})[0] == kAxisN;

  knobs.second_rows = compose ? second_segment(row_extent, knobs.rows) : 0;
  knobs.row_tiles = ceil_div(count_tiles(row_extent, knobs.rows, knobs.second_rows), row_blocks);
  knobs.vector_tiles = ceil_div(ceil_div(vector_extent, knobs.vectors * knobs.lanes), vector_blocks);

  // --- What cannot be good -------------------------------------------------------------------------------------------
  t.constrain(
      {"register_rows", "register_vectors"},
      [target](std::span<const KnobValue> v) { return fits_registers(v[0][0], v[1][0], target); },
      "accumulators, vectors of B and a broadcast need more vector registers than the target's " +
          std::to_string(target.vector_registers));
  const bool strided = knobs.vector_m ? !shape.ta : shape.tb && knobs.pack_b == Pack::kNo;
  t.constrain(
      {"register_rows", "register_vectors", "unroll_k", "vector_lanes"},
      [target, strided, vector_extent, in_place = knobs.pack_b == Pack::kNo,
       others = form.registers + (knobs.pack_b == Pack::kNo ? form.registers_unpacked : 0),
       fused = form.is_fused](std::span<const KnobValue> v) {
        const std::int64_t lanes = v[3][0], rest = vector_extent % (v[1][0] * lanes) % lanes;
        const bool narrow_end = in_place && is_narrower_vector(rest, lanes);
        // Panels are padded: with masks of their own kind, only what is stored needs one then.
        const bool partial = rest > 0 && (in_place || !target.has_masks());
        return stays_in_registers({v[0][0], most_vectors(vector_extent, v[1][0], lanes, target), v[2][0], strided,
                                   partial, narrow_end, others, fused},
                                  target);
      },
      "unrolled so often, the register tile does not stay in the target's vector registers");
  if (knobs.pack_a != Pack::kNo && !form.copies_a) {
    t.constrain(
        {"register_rows"}, [](std::span<const KnobValue> v) { return v[0][0] >= 2; },
        "single rows of A are read in order without a copy");
  }
  t.constrain(
      {"register_rows", "register_vectors", "unroll_k"},
      [parts = form.parts](std::span<const KnobValue> v) {
        return v[0][0] * v[1][0] * v[2][0] * parts <= kMostUnrolled;
      },
      "the unrolled loop body has more than 512 multiply-adds");
  t.constrain(
      {"register_vectors", "vector_lanes"},
      [vector_extent](std::span<const KnobValue> v) { return (v[0][0] - 1) * v[1][0] < vector_extent; },
      "the register tile has vectors that lie wholly past the end");
  t.constrain(
      {"register_rows", row_name},
      [row_extent, compose](std::span<const KnobValue> v) {
        const std::int64_t second = compose ? second_segment(row_extent, v[0][0]) : 0;
        return is_even_division(count_tiles(row_extent, v[0][0], second), v[1][0]);
      },
      "the register tiles do not divide into that many blocks of equal size");
  t.constrain(
      {"register_vectors", "vector_lanes", vector_name},
      [vector_extent](std::span<const KnobValue> v) {
        return is_even_division(ceil_div(vector_extent, v[0][0] * v[1][0]), v[2][0]);
      },
      "the register tiles do not divide into that many blocks of equal size");
  t.constrain(
      {"blocks_m", "blocks_n", "block_order"},
      [](std::span<const KnobValue> v) { return is_canonical_order(v[2], v[0][0], v[1][0]); },
      "a loop over a single block comes first, m before n, as other orders mean the same");
  if (knobs.parallel == Parallel::kM || knobs.parallel == Parallel::kN) {
    t.constrain(
        {knobs.parallel == Parallel::kM ? "blocks_m" : "blocks_n"},
        [](std::span<const KnobValue> v) { return v[0][0] >= 2; }, "a parallel loop needs two blocks or more");
  }
  if (knobs.parallel == Parallel::kBoth) {
    t.constrain(
        {"blocks_m", "blocks_n"}, [](std::span<const KnobValue> v) { return v[0][0] >= 2 && v[1][0] >= 2; },
        "loops that run parallel together need two blocks or more each");
  }
  const std::int64_t bytes = shape.type.bytes(), k = shape.k;
  const auto steps = [k, blocked](std::span<const KnobValue> v, std::size_t at) {
    return blocked ? std::min(k, k_block_of(k, v[at][0])) : k;
  };
  if (knobs.pack_b == Pack::kBlock) {
    std::vector<std::string> names{"register_vectors", "vector_lanes", "blocks_n"};
    if (blocked) names.emplace_back("blocks_k");
    const double most = static_cast<double>(std::max(target.l3_bytes, 4 * target.l2_bytes));
    t.constrain(
        names,
        [=](std::span<const KnobValue> v) {
          const std::int64_t tile = v[0][0] * v[1][0];
          const std::int64_t tiles = ceil_div(ceil_div(vector_extent, tile), v[2][0]);
          return static_cast<double>(bytes * tile * tiles) * static_cast<double>(steps(v, 3)) <= most;
        },
        "a packed block of B is larger than the last-level cache");
  }
  if (knobs.pack_a != Pack::kNo) {
    std::vector<std::string> names{"register_rows", "blocks_m"};
    if (blocked) names.emplace_back("blocks_k");
    const double most = static_cast<double>(std::max(target.l3_bytes / 2, 4 * target.l2_bytes));
    t.constrain(
        names,
        [=](std::span<const KnobValue> v) {
          const std::int64_t rows = v[0][0] * ceil_div(ceil_div(row_extent, v[0][0]), v[1][0]);
          return static_cast<double>(bytes * rows) * static_cast<double>(steps(v, 2)) <= most;
        },
        "a packed block of A takes more than half of the last-level cache");
  }
  return knobs;
}

}  // namespace nestwright
