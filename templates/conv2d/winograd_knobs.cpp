#include "templates/conv2d/winograd_knobs.h"

#include <algorithm>
#include <string>

#include "templates/conv2d/winograd_transform.h"
#include "templates/framework/knobs/seed_table.h"
#include "templates/loops/candidates.h"
#include "templates/loops/register_tile.h"

namespace nestwright {
namespace {

/// With fewer channels, the rounding errors of F(4x4) come too close to what the operator allows (winograd.cpp).
constexpr std::int64_t kMinChannelsOfLargeTiles = 16;

std::vector<std::string> tile_options(const Convolution& c) {
  if (c.channels < kMinChannelsOfLargeTiles) return {"2x2"};
  return {"4x4", "2x2"};
}

/// Numbers of blocks that divide `extent` evenly.
std::vector<std::int64_t> block_counts(std::int64_t extent) {
  std::vector<std::int64_t> counts{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 56};
  std::erase_if(counts, [&](std::int64_t count) { return !is_even_division(extent, count); });
  return counts;
}

std::int64_t vectors_of_filters(const Convolution& c, const Target& target) {
  return ceil_div(c.filters, target.lanes(kFloat32));
}

/// What constraints capture, by value because they outlive the run.
struct Extents {
  WinogradCounts tiles;
  std::int64_t filters;
  bool filters_outer;
  /// Tiles of each block but the last one, which may have fewer.
  std::int64_t of_block(std::int64_t row_blocks) const {
    return filters_outer ? tiles.all : ceil_div(tiles.rows, row_blocks) * tiles.columns;
  }
  std::int64_t second_rows(std::int64_t row_blocks, std::int64_t rows) const {
    const bool equal = filters_outer || tiles.rows % row_blocks == 0;
    return equal ? second_segment(of_block(row_blocks), rows) : 0;
  }
};

void require_register_tile(Tuning& t, const Extents& e, const KnobExpr& rows, const KnobExpr& vectors,
                           const KnobExpr& unroll, const Target& target) {
  t.require(
      values_of(rows, vectors, unroll),
      [e, target, lanes = target.lanes(kFloat32)](std::int64_t r, std::int64_t v, std::int64_t steps) {
        const std::int64_t rest = e.filters % lanes;
        return stays_in_registers(
            {r, max_vectors(e.filters, v, lanes, target), steps, false, rest > 0, is_narrower_vector(rest, lanes)},
            target);
      },
      "the register tile does not stay in the target's vector registers");
  t.require(rows * vectors * unroll <= 512, "the unrolled loop body has more than 512 multiply-adds");
}

}  // namespace

WinogradKnobs define_winograd_knobs(Tuning& t, const Convolution& c, const Target& target) {
  WinogradKnobs x;
  x.lanes = target.lanes(kFloat32);
  x.tile = t.choose("tile", tile_options(c)) == "4x4" ? 4 : 2;
  x.filters_outer = t.choose("block_order", {"rows", "filters"}) == "filters";
  std::vector<std::string> parallel{"none"};
  if (target.threads > 1) {
    parallel.emplace_back("blocks");
    if (!x.filters_outer && c.images > 1) parallel.emplace_back("images");
  }
  const std::string in_parallel = t.choose("parallel", parallel);
  x.parallel = in_parallel == "blocks"   ? WinogradKnobs::Parallel::kBlocks
               : in_parallel == "images" ? WinogradKnobs::Parallel::kImages
                                         : WinogradKnobs::Parallel::kNone;
  const Extents e{winograd_counts(c, x.tile), c.filters, x.filters_outer};
  const std::int64_t filter_vectors = vectors_of_filters(c, target);

  // If the loop over blocks of filters is the outer one, each of these blocks has all of the tiles.
  const KnobExpr row_blocks =
      t.define_knob("row_blocks", x.filters_outer ? std::vector<std::int64_t>{1} : block_counts(e.tiles.rows));
  const KnobExpr filter_blocks = t.define_knob("filter_blocks", block_counts(filter_vectors));
  std::vector<std::int64_t> heights;
  for (std::int64_t rows = 1; rows <= e.tiles.all && fits_registers(rows, std::int64_t{1}, target); ++rows) {
    heights.push_back(rows);
  }
  const KnobExpr rows = t.define_knob("register_rows", heights);
  const KnobExpr vectors = t.define_knob("register_vectors", up_to({1, 2, 3, 4, 5, 6, 8}, filter_vectors));
  const KnobExpr unroll = t.define_knob("unroll_c", up_to({1, 2, 4, 8}, c.channels));
  const OptionKnob tail = t.define_annotate("tail", {"partition", "compose"});
  const PartsKnob order = t.define_reorder("tile_order", {{0, 1}, {1, 0}});
  const KnobExpr prefetch = t.define_knob("prefetch_weights", {0, 4, 8, 16});

  require_register_tile(t, e, rows, vectors, unroll, target);
  t.require(
      values_of(row_blocks, rows), [e](std::int64_t blocks, std::int64_t r) { return r <= e.of_block(blocks); },
      "the register tile has more rows than a block has tiles");
  t.require(vectors <= ceil_div(filter_vectors, filter_blocks),
            "the register tile has vectors that lie wholly past the end of a block of filters");
  t.require(
      values_of(row_blocks, rows, tail == "compose"),
      [e](std::int64_t blocks, std::int64_t r, std::int64_t composed) {
        return composed == 0 || e.second_rows(blocks, r) > 0;
      },
      "no second height of register tiles makes the tiles of every block come out even");
  if (x.parallel == WinogradKnobs::Parallel::kBlocks) {
    t.require((x.filters_outer ? filter_blocks : row_blocks) > 1, "a parallel loop of one iteration is a serial one");
  }
  x.block_rows = ceil_div(e.tiles.rows, std::int64_t{row_blocks});
  x.block_filters = ceil_div(filter_vectors, std::int64_t{filter_blocks}) * x.lanes;
  x.rows = rows;
  if (tail == "compose") x.second_rows = e.second_rows(row_blocks, rows);
  x.vectors = vectors;
  x.unroll = unroll;
  x.prefetch = prefetch;
  x.tiles_outer = order[0] == 1;
  return x;
}

std::vector<Config> winograd_guesses(const Convolution& c, const Target& target) {
  std::vector<Config> guesses;
  const std::int64_t filter_vectors = vectors_of_filters(c, target);
  for (const std::string& option : tile_options(c)) {
    const std::int64_t tile = option == "4x4" ? 4 : 2, points = winograd_points(tile) * winograd_points(tile);
    const WinogradCounts tiles = winograd_counts(c, tile);
    const std::int64_t weight_bytes = 4 * points * c.channels * c.filters;
    // A block of rows reads all weights again: from the second-level cache, if they are in it.
    const bool by_rows = weight_bytes < target.l2_bytes && tiles.rows > 1;
    // Weights come from a farther cache: prefetching them saves 7 x 7 x 512 from 20% to 35% of the time.
    const std::int64_t prefetch = weight_bytes < target.l2_bytes ? 0 : 16;
    const std::int64_t bytes_of_row = 4 * points * tiles.columns * (c.channels + c.filters);
    const std::int64_t block_rows = std::clamp<std::int64_t>(target.l2_bytes / 2 / bytes_of_row, 1, tiles.rows);
    for (const bool rows_outer : {by_rows, !by_rows}) {
      const std::int64_t in_block = rows_outer ? block_rows * tiles.columns : tiles.all;
      for (const std::int64_t vectors : {2, 3, 4, 1}) {
        if (vectors > filter_vectors) continue;
        append(guesses, seed_product({{"tile", {option}},
                                      {"block_order", {rows_outer ? "rows" : "filters"}},
                                      {"parallel", {target.threads > 1 ? "blocks" : "none", "none"}},
                                      {"row_blocks", {rows_outer ? ceil_div(tiles.rows, block_rows) : 1}},
                                      {"filter_blocks", {rows_outer || target.threads == 1 ? 1 : 2 * target.threads}},
                                      {"register_rows", {fitting_rows(vectors, in_block, target)}},
                                      {"register_vectors", {vectors}},
                                      {"unroll_c", {2}},
                                      {"prefetch_weights", {prefetch}}}));
      }
    }
  }
  return guesses;
}

}  // namespace nestwright
