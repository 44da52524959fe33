#include "templates/convolution/gpu_tile.h"

#include <algorithm>
#include <bit>

#include "templates/loops/divide.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxElements = 8;  ///< of a thread along an axis
constexpr std::int64_t kMaxThreadsAlongAxis = 64;
constexpr std::int64_t kAnyFactor = 256;  ///< extents up to here are split by any factor, others by powers of two

AxisTileKnobs define_axis(Tuning& t, const std::string& name, std::int64_t extent, const SplitOptions& options) {
  const PartsKnob parts = t.define_split(name, extent, options);
  return {parts[0], parts[1], parts[2]};
}

/// Rows or columns. The padding is at most a quarter of the extent, and no thread of the first block lies wholly past
/// the end.
AxisTileKnobs define_places(Tuning& t, const std::string& name, std::int64_t extent) {
  const bool any = extent <= kAnyFactor;
  SplitOptions options{.parts = 3,
                       .policy = any ? SplitOptions::Policy::kAll : SplitOptions::Policy::kPowerOfTwo,
                       .max_factor = kMaxElements,
                       .filter = {}};
  options.filter = [extent](std::span<const std::int64_t> parts) {
    const AxisTile tile{parts[0], parts[1], parts[2]};
    return std::has_single_bit(static_cast<std::uint64_t>(tile.elements)) && tile.threads <= kMaxThreadsAlongAxis &&
           tile.of_block() - tile.elements < extent && (tile.padded() - extent) * 4 <= extent;
  };
  return define_axis(t, name, extent, options);
}

/// The filters of a part. `whole`: they are split by factors, so that no tile crosses into the next part; otherwise by
/// powers of two.
AxisTileKnobs define_filters(Tuning& t, std::int64_t extent, bool whole) {
  SplitOptions options{.parts = 3,
                       .policy = whole ? SplitOptions::Policy::kFactors : SplitOptions::Policy::kPowerOfTwo,
                       .max_factor = kMaxElements,
                       .filter = {}};
  options.filter = [extent](std::span<const std::int64_t> parts) {
    const AxisTile tile{parts[0], parts[1], parts[2]};
    return tile.threads <= kMaxThreadsAlongAxis && tile.of_block() - tile.elements < extent;
  };
  return define_axis(t, "tile_k", extent, options);
}

/// The number of threads that a block must have at least: a warp, or fewer if the target or the filters allow no more.
std::int64_t min_threads(const Convolution& c, std::int64_t parts, const Target& target) {
  const std::int64_t filters = parts > 1 ? 1 : std::int64_t(std::bit_floor(std::uint64_t(c.filters)));
  return std::min<std::int64_t>({target.warp, target.threads_per_block, kMaxThreadsAlongAxis, filters});
}

void require_tile(Tuning& t, std::int64_t least, const KnobExpr& registers, const ConvolutionTileKnobs& tile,
                  const Target& target) {
  const KnobExpr threads = tile.threads(), all = registers + kSpareRegisters;
  t.require(threads >= least && threads <= target.threads_per_block,
            "a block has fewer threads than a warp, or more than the target allows");
  t.require(all <= target.registers_per_thread && all * threads <= target.registers_per_block,
            "accumulators and operands of a thread need more registers than the target has");
}

}  // namespace

ConvolutionTileKnobs define_convolution_tile(Tuning& t, const Convolution& c, std::int64_t parts,
                                             const RegistersOf& registers, const Target& target) {
  ConvolutionTileKnobs tile{.filters = define_filters(t, c.filters / parts, parts > 1),
                            .rows = define_places(t, "tile_p", c.rows.output()),
                            .columns = define_places(t, "tile_q", c.columns.output())};
  std::vector<std::string> fastest{"columns", "filters"};
  if (c.channels_last) std::swap(fastest[0], fastest[1]);  // neighbours in memory first
  const bool filters_along_x = t.define_annotate("threads_x", fastest) == "filters";
  const bool filters_outermost = t.define_annotate("blocks_inner", {"filters", "places"}) == "places";

  const std::int64_t innermost = c.channels_last ? c.filters : c.columns.output();
  const AxisTileKnobs& along = c.channels_last ? tile.filters : tile.columns;
  const KnobExpr lanes = t.define_knob("vector_y", vector_widths(innermost, c.types.c));
  t.require(lanes == 1 || (along.elements % lanes == 0 && along.padded() * (c.channels_last ? parts : 1) == innermost),
            "vectors of Y would be cut by the end of a row, or are longer than a thread's run");
  require_tile(t, min_threads(c, parts, target), registers(tile), tile, target);
  tile.in_run = {.filters = tile.filters.in_run(),
                 .rows = tile.rows.in_run(),
                 .columns = tile.columns.in_run(),
                 .parts = parts,
                 .filters_along_x = filters_along_x,
                 .filters_outermost = filters_outermost,
                 .lanes = lanes};
  return tile;
}

Config to_config(const SeedTile& tile, const Convolution& c, std::int64_t parts) {
  const auto split = [](std::int64_t extent, std::int64_t of_block, std::int64_t of_thread) {
    const std::int64_t threads = ceil_div(std::min(of_block, extent), of_thread);
    return KnobValue{ceil_div(ceil_div(extent, of_thread), threads), threads, of_thread};
  };
  Config config;
  config.set("tile_k", split(c.filters / parts, tile.filters, tile.thread_filters));
  config.set("tile_p", split(c.rows.output(), tile.rows, tile.thread_rows));
  config.set("tile_q", split(c.columns.output(), tile.columns, tile.thread_columns));
  config.set("threads_x", {}, c.channels_last ? "filters" : "columns");
  config.set("blocks_inner", {}, "filters");
  config.set("vector_y", {4});
  return config;
}

std::vector<SeedTile> convolution_seed_tiles(const Convolution& c, std::int64_t parts, const Target& target) {
  // Filters by places, from large blocks to small: the more a thread has, the less it reads for a multiply-add.
  std::vector<SeedTile> tiles;
  const std::int64_t columns = c.columns.output();
  for (const auto& [filters, places, thread_filters, thread_places] :
       {std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>{64, 128, 8, 4},
        {64, 64, 8, 4},
        {64, 64, 4, 4},
        {32, 64, 4, 4},
        {32, 32, 4, 4},
        {32, 32, 4, 1},
        {16, 32, 2, 1}}) {
    // A tile covers as much of a row as it can, then further rows.
    const std::int64_t thread_columns =
        std::min(thread_places, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(columns))));
    const std::int64_t wide = std::min(places, ceil_div(columns, thread_columns) * thread_columns);
    const std::int64_t of_row = ceil_div(columns, ceil_div(columns, wide));
    tiles.push_back({filters, std::max<std::int64_t>(1, places / of_row), of_row, thread_filters, 1, thread_columns});
  }
  const auto fills = [&](const SeedTile& tile) {
    const std::int64_t blocks = c.images * parts * ceil_div(c.filters / parts, tile.filters) *
                                ceil_div(c.rows.output(), tile.rows) * ceil_div(columns, tile.columns);
    return blocks >= target.multiprocessors;
  };
  std::stable_partition(tiles.begin(), tiles.end(), fills);
  return tiles;
}

ir::Type convolution_gpu_sums(const Convolution& c) { return c.types.sum == kFloat16 ? kFloat32 : c.types.sum; }

std::vector<Expr> padded_sums_shape(const Convolution& c, const ConvolutionTile& tile) {
  return {Expr(c.images), Expr(tile.parts * tile.filters.padded()), Expr(tile.rows.padded()),
          Expr(tile.columns.padded())};
}

PaddedImage padded_image(const Convolution& c, const ConvolutionTile& tile) {
  return {window_extent(c.rows, tile.rows.padded()), window_extent(c.columns, tile.columns.padded())};
}

Expr group_of(const Convolution& c, const Expr& filter) {
  return c.groups == 1 ? Expr(0) : filter / Expr(c.group_filters());
}

Tensor output_of(const Convolution& c, const Tensor& sums, const Definition& definition) {
  return compute(
      output_shape(c),
      [&](std::span<const Expr> indices) {
        const ImageIndex at = from_layout(c, indices);
        return finished(c, sums(at.image, at.channel, at.row, at.column), at.channel, definition.args);
      },
      "Y");
}

IterVar bind_convolution_tile(Stage y, const Convolution& c, const ConvolutionTile& tile) {
  struct Loops {
    IterVar block, thread, element;
  };
  const auto split = [&](const IterVar& axis, const AxisTile& of) {
    Loops loops;
    IterVar rest;
    std::tie(loops.block, rest) = y.split(axis, factor(of.of_block()));
    std::tie(loops.thread, loops.element) = y.split(rest, factor(of.elements));
    return loops;
  };
  const int last = c.channels_last ? 3 : 1;
  const IterVar image = y.axis(0);
  IterVar filter = y.axis(last), part;
  if (tile.parts > 1) std::tie(part, filter) = y.split(filter, factor(tile.filters.padded()));
  Loops filters = split(filter, tile.filters);
  Loops rows = split(y.axis(c.channels_last ? 1 : 2), tile.rows);
  Loops columns = split(y.axis(c.channels_last ? 2 : 3), tile.columns);
  IterVar lane;
  IterVar& innermost = c.channels_last ? filters.element : columns.element;
  if (tile.lanes > 1) std::tie(innermost, lane) = y.split(innermost, factor(tile.lanes));

  std::vector<IterVar> blocks{rows.block, columns.block};
  blocks.insert(tile.filters_outermost ? blocks.begin() : blocks.end(), filters.block);
  if (part.defined()) blocks.insert(blocks.begin(), part);
  blocks.insert(blocks.begin(), image);
  std::vector<IterVar> order = blocks;
  order.insert(order.end(), {filters.thread, rows.thread, columns.thread});
  if (c.channels_last) {
    order.insert(order.end(), {rows.element, columns.element, filters.element});
  } else {
    order.insert(order.end(), {filters.element, rows.element, columns.element});
  }
  if (lane.defined()) order.push_back(lane);
  y.reorder(order);
  IterVar block = blocks[0];
  for (std::size_t b = 1; b < blocks.size(); ++b) block = y.fuse(block, blocks[b]);
  const IterVar places = y.fuse(rows.thread, columns.thread);
  y.bind(block, kBlockIdxX)
      .bind(filters.thread, tile.filters_along_x ? kThreadIdxX : kThreadIdxY)
      .bind(places, tile.filters_along_x ? kThreadIdxY : kThreadIdxX);
  for (const IterVar& element : {filters.element, rows.element, columns.element}) y.unroll(element);
  if (lane.defined()) y.vectorize(lane);
  return places;
}

}  // namespace nestwright
