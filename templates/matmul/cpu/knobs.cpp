// The knobs of the CPU template: candidates, and the formulas that refuse points which cannot be good.
#include <algorithm>

#include "templates/loops/candidates.h"
#include "templates/matmul/cpu/knobs.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxUnrolled = 512;  ///< multiply-adds in the body of the innermost loop
constexpr std::int64_t kMinBlock = 32;      ///< steps of a blocked reduction: below, C goes through memory too often
constexpr std::int64_t kMinBlockOfOne = 8;  ///< the same for a vector C, which stays in the first cache
constexpr std::int64_t kMinRowsToPack = 8;  ///< fewer rows do not pay for a copy of B

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

/// Loops over a single block come first, in a fixed order: other orders give the same nest.
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

using Pack = MatmulKnobs::Pack;
using Parallel = MatmulKnobs::Parallel;

/// The nest whose knobs are defined: what they depend on, and the choices that are made so far.
struct Nest {
  Tuning& t;
  const MatmulForm& form;
  const MatmulShape& shape;
  const Target& target;
  int full_lanes;                                                   ///< of a vector register
  std::int64_t row_extent, vector_extent;                           ///< of C's axes, across and along vectors
  std::vector<std::int64_t> k_counts;                               ///< of blocks of the reduction that may be chosen
  bool blocked = false;                                             ///< the reduction is in blocks
  bool composed = false;                                            ///< the rows are tiles of two heights
  bool is_finished() const { return !(form.result == form.sums); }  ///< the epilogue is a stage of its own
};

/// The numbers, as knobs.
struct Numbers {
  KnobExpr lanes = 1, rows = 1, vectors = 1;
  KnobExpr row_blocks = 1, vector_blocks = 1, k_blocks = 1;  ///< across vectors, along them, of the reduction
  KnobExpr unroll_k = 1;
  PartsKnob block_order;
};

void choose_packing(const Nest& nest, MatmulKnobs& knobs) {
  std::vector<std::string> pack_b;
  if (!nest.form.copies_b) pack_b.emplace_back("no");
  if (nest.form.copies_b || nest.row_extent >= kMinRowsToPack) pack_b.insert(pack_b.end(), {"block", "whole"});
  if (nest.shape.prepares_b) pack_b = {"prepared"};
  const std::string chosen = nest.t.choose("pack_b", pack_b);
  knobs.pack_b = chosen == "prepared" ? Pack::kPrepared
                 : chosen == "whole"  ? Pack::kWhole
                 : chosen == "block"  ? Pack::kBlock
                                      : Pack::kNo;
  // An operand that is computed from A is computed along rows, so it is packed by rows only.
  const bool is_made = nest.form.a.op().compute() != nullptr && !nest.form.views_a;
  std::vector<std::string> pack_a;
  if (!nest.form.copies_a) pack_a.emplace_back("no");
  if (nest.form.copies_a || (nest.row_extent > 1 && nest.vector_extent >= 2 * nest.full_lanes)) {
    if (!is_made) pack_a.emplace_back("block");
    if (!nest.shape.ta) pack_a.emplace_back("rows");
  }
  if (nest.shape.prepares_a && nest.row_extent > 1 && !is_made) pack_a = {"no", "prepared"};
  const std::string packed = nest.t.choose("pack_a", pack_a);
  knobs.pack_a = packed == "prepared" ? Pack::kPrepared
                 : packed == "block"  ? Pack::kBlock
                 : packed == "rows"   ? Pack::kRows
                                      : Pack::kNo;
}

void choose_reduction(Nest& nest) {
  if (!nest.is_finished() || !nest.form.row_sums.defined()) {
    nest.k_counts = k_block_counts(nest.shape.k, nest.row_extent == 1 ? kMinBlockOfOne : kMinBlock);
  }
  std::vector<std::string> reductions{"full"};
  if (!nest.k_counts.empty()) reductions.emplace_back("blocked");
  nest.blocked = nest.t.choose("reduction", reductions) == "blocked";
}

/// Chooses how the rows end, and returns the heights that register tiles may have.
std::vector<std::int64_t> choose_tail(Nest& nest, const MatmulKnobs& knobs) {
  std::vector<std::int64_t> heights;
  const std::int64_t max_rows = knobs.vector_m ? 1 : nest.row_extent;
  for (std::int64_t rows = 1; rows <= max_rows && fits_registers(rows, std::int64_t{1}, nest.target); ++rows) {
    heights.push_back(rows);
  }
  // A packed panel of A has one tile height, and so do the blocks of sums that a blocked reduction stores.
  const bool is_one_height =
      knobs.pack_a == Pack::kBlock || knobs.pack_a == Pack::kPrepared || (nest.blocked && nest.is_finished());
  const std::vector<std::int64_t> composable =
      is_one_height ? std::vector<std::int64_t>{} : composable_rows(heights, nest.row_extent);
  std::vector<std::string> tails{"partition"};
  if (!composable.empty()) tails.emplace_back("compose");
  nest.composed = nest.t.choose("tail_m", tails) == "compose";
  return nest.composed ? composable : heights;
}

Parallel choose_parallel(const Nest& nest, bool vector_m) {
  std::vector<std::string> options{"none"};
  if (nest.target.threads > 1) {
    const auto is_shared = [&](std::int64_t extent, bool in_vectors) {
      return in_vectors ? nest.vector_extent > nest.full_lanes : extent > 1;
    };
    if (is_shared(nest.shape.m, vector_m)) options.emplace_back("m");
    if (is_shared(nest.shape.n, !vector_m)) options.emplace_back("n");
    if (options.size() == 3) options.emplace_back("both");
    if (nest.shape.batch > 1) options.emplace_back("batch");
  }
  const std::string chosen = nest.t.choose("parallel", options);
  return chosen == "m"       ? Parallel::kM
         : chosen == "n"     ? Parallel::kN
         : chosen == "both"  ? Parallel::kBoth
         : chosen == "batch" ? Parallel::kBatch
                             : Parallel::kNone;
}

Numbers define_numbers(const Nest& nest, const std::vector<std::int64_t>& heights, MatmulKnobs& knobs) {
  Tuning& t = nest.t;
  const std::vector<std::int64_t> widths = lane_counts(nest.vector_extent, nest.full_lanes);
  const std::int64_t tiles = ceil_div(nest.vector_extent, widths.back());
  const KnobExpr lanes = t.define_knob("vector_lanes", widths);
  const KnobExpr rows = t.define_knob("register_rows", heights);
  const KnobExpr vectors = t.define_knob("register_vectors", up_to({1, 2, 3, 4, 5, 6, 8, 10, 12, 15}, tiles));
  const KnobExpr row_blocks =
      t.define_knob(knobs.vector_m ? "blocks_n" : "blocks_m", block_count_candidates(nest.row_extent));
  const KnobExpr vector_blocks = t.define_knob(knobs.vector_m ? "blocks_m" : "blocks_n", block_count_candidates(tiles));
  const KnobExpr k_blocks = nest.blocked ? t.define_knob("blocks_k", nest.k_counts) : KnobExpr(1);
  const KnobExpr unroll_k = t.define_knob("unroll_k", up_to({1, 2, 4, 8}, nest.shape.k));
  knobs.prefetch_a = t.define_knob("prefetch_a", up_to({0, 8, 16, 32}, nest.shape.k - 1));
  knobs.prefetch_b = t.define_knob("prefetch_b", up_to({0, 4, 8, 16, 32}, nest.shape.k - 1));
  knobs.prefetch_c = t.define_knob("prefetch_c", {0, 1}) == 1;
  const PartsKnob block_order =
      t.define_reorder("block_order", block_orders(nest.blocked, knobs.parallel == Parallel::kBoth));
  knobs.tiles_n_outer = t.define_reorder("tile_order", {{kAxisM, kAxisN}, {kAxisN, kAxisM}})[0] == kAxisN;
  return {lanes, rows, vectors, row_blocks, vector_blocks, k_blocks, unroll_k, block_order};
}

/// Copies the numbers of this run, and what follows from them, into `knobs`.
void take_numbers(const Nest& nest, const Numbers& x, MatmulKnobs& knobs) {
  knobs.lanes = x.lanes;
  knobs.rows = x.rows;
  knobs.vectors = x.vectors;
  if (nest.blocked) knobs.k_block = k_block_of(nest.shape.k, x.k_blocks);
  knobs.unroll_k = x.unroll_k;
  const KnobValue order = x.block_order;
  knobs.block_order.assign(order.begin(), order.end());
  knobs.second_rows = nest.composed ? second_segment(nest.row_extent, knobs.rows) : 0;
  knobs.row_tiles = ceil_div(count_tiles(nest.row_extent, knobs.rows, knobs.second_rows), std::int64_t{x.row_blocks});
  knobs.vector_tiles = ceil_div(ceil_div(nest.vector_extent, x.vectors * x.lanes), x.vector_blocks);
}

void require_register_tile(const Nest& nest, const Numbers& x, const MatmulKnobs& knobs) {
  Tuning& t = nest.t;
  t.require(fits_registers(x.rows, x.vectors, nest.target),
            "accumulators, vectors of B and a broadcast need more vector registers than the target's " +
                std::to_string(nest.target.vector_registers));
  const bool in_place = knobs.pack_b == Pack::kNo;
  const bool strided = knobs.vector_m ? !nest.shape.ta : nest.shape.tb && in_place;
  const int others = nest.form.registers + (in_place ? nest.form.registers_unpacked : 0);
  t.require(
      values_of(x.rows, x.vectors, x.unroll_k, x.lanes),
      [target = nest.target, extent = nest.vector_extent, fused = nest.form.is_fused, in_place, strided, others](
          std::int64_t rows, std::int64_t vectors, std::int64_t unroll_k, std::int64_t lanes) {
        const std::int64_t rest = extent % (vectors * lanes) % lanes;
        const bool narrow_end = in_place && is_narrower_vector(rest, lanes);
        // Packed panels are padded to whole vectors: on a target with mask registers, only stores need a mask then.
        const bool partial = rest > 0 && (in_place || !target.has_masks());
        return stays_in_registers(
            {rows, max_vectors(extent, vectors, lanes, target), unroll_k, strided, partial, narrow_end, others, fused},
            target);
      },
      "unrolled so often, the register tile does not stay in the target's vector registers");
  if (knobs.pack_a != Pack::kNo && !nest.form.copies_a) {
    t.require(x.rows >= 2, "single rows of A are read in order without a copy");
  }
  t.require(x.rows * x.vectors * x.unroll_k * nest.form.parts <= kMaxUnrolled,
            "the unrolled loop body has more than 512 multiply-adds");
  t.require((x.vectors - 1) * x.lanes < nest.vector_extent,
            "the register tile has vectors that lie wholly past the end");
}

void require_blocks(const Nest& nest, const Numbers& x, const MatmulKnobs& knobs) {
  Tuning& t = nest.t;
  t.require(
      values_of(x.rows, x.row_blocks),
      [extent = nest.row_extent, composed = nest.composed](std::int64_t rows, std::int64_t blocks) {
        return is_even_division(count_tiles(extent, rows, composed ? second_segment(extent, rows) : 0), blocks);
      },
      "the register tiles do not divide into that many blocks of equal size");
  t.require(is_even_division(ceil_div(nest.vector_extent, x.vectors * x.lanes), x.vector_blocks),
            "the register tiles do not divide into that many blocks of equal size");
  const KnobExpr& blocks_m = knobs.vector_m ? x.vector_blocks : x.row_blocks;
  const KnobExpr& blocks_n = knobs.vector_m ? x.row_blocks : x.vector_blocks;
  t.require(
      values_of(blocks_m, blocks_n, x.block_order),
      [](std::int64_t m, std::int64_t n, const KnobValue& order) { return is_canonical_order(order, m, n); },
      "a loop over a single block comes first, m before n, as other orders mean the same");
  if (knobs.parallel == Parallel::kM || knobs.parallel == Parallel::kN) {
    t.require((knobs.parallel == Parallel::kM ? blocks_m : blocks_n) >= 2, "a parallel loop needs two blocks or more");
  }
  if (knobs.parallel == Parallel::kBoth) {
    t.require(blocks_m >= 2 && blocks_n >= 2, "loops that run parallel together need two blocks or more each");
  }
}

/// Requires that a packed block, of `across` rows or columns of `steps` elements, takes no more than `max_bytes`.
void require_packed_block(const Nest& nest, const KnobExpr& across, const KnobExpr& steps, std::int64_t max_bytes,
                          const char* reason) {
  nest.t.require(
      values_of(across, steps),
      [bytes = nest.shape.type.bytes(), most = static_cast<double>(max_bytes)](std::int64_t elements, std::int64_t k) {
        return static_cast<double>(bytes * elements) * static_cast<double>(k) <= most;
      },
      reason);
}

void require_packed_blocks(const Nest& nest, const Numbers& x, const MatmulKnobs& knobs) {
  const std::int64_t k = nest.shape.k;
  const KnobExpr steps = nest.blocked ? min(k, k_block_of(k, x.k_blocks)) : KnobExpr(k);
  if (knobs.pack_b == Pack::kBlock) {
    const KnobExpr tile = x.vectors * x.lanes;
    require_packed_block(nest, tile * ceil_div(ceil_div(nest.vector_extent, tile), x.vector_blocks), steps,
                         std::max(nest.target.l3_bytes, 4 * nest.target.l2_bytes),
                         "a packed block of B is larger than the last-level cache");
  }
  if (knobs.pack_a != Pack::kNo && knobs.pack_a != Pack::kPrepared) {
    require_packed_block(nest, x.rows * ceil_div(ceil_div(nest.row_extent, x.rows), x.row_blocks), steps,
                         std::max(nest.target.l3_bytes / 2, 4 * nest.target.l2_bytes),
                         "a packed block of A takes more than half of the last-level cache");
  }
}

}  // namespace

std::vector<std::int64_t> block_count_candidates(std::int64_t tiles) {
  return up_to({1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512}, tiles);
}

MatmulKnobs define_matmul_knobs(Tuning& t, const MatmulForm& form, const Target& target) {
  const MatmulShape& shape = form.shape;
  const int full_lanes = target.lanes(shape.type);
  MatmulKnobs knobs;
  std::vector<std::string> axes{"n"};
  const bool may_vectorize_m = !form.vectorizes_n_only && !shape.prepares_b;
  if (shape.n < full_lanes && shape.m >= full_lanes && may_vectorize_m) axes.emplace_back("m");
  knobs.vector_m = t.choose("vector_axis", axes) == "m";
  Nest nest{.t = t,
            .form = form,
            .shape = shape,
            .target = target,
            .full_lanes = full_lanes,
            .row_extent = knobs.vector_m ? shape.n : shape.m,
            .vector_extent = knobs.vector_m ? shape.m : shape.n};
  if (!knobs.vector_m) choose_packing(nest, knobs);
  choose_reduction(nest);
  const std::vector<std::int64_t> heights = choose_tail(nest, knobs);
  knobs.parallel = choose_parallel(nest, knobs.vector_m);
  const Numbers numbers = define_numbers(nest, heights, knobs);
  take_numbers(nest, numbers, knobs);
  require_register_tile(nest, numbers, knobs);
  require_blocks(nest, numbers, knobs);
  require_packed_blocks(nest, numbers, knobs);
  return knobs;
}

}  // namespace nestwright
