// The GPU template of conv2d by implicit GEMM: the patches of an image that its filters are multiplied with are the
// rows of a matrix that is never stored as a whole; a block of threads lays out one slice of it at a time.
//
//   blocks of Y's images, filters, rows, columns (all along blockIdx.x):
//     threads, with filters, rows and columns of their own:
//       sums = 0                                                                  (in registers)
//       for blocks of channels, rows and columns of a filter:
//         patches, weights = slices, fetched by all threads together              (in shared memory, double-buffered)
//         for what the slices have: sums += patches[term, places] * weights[term, filters]
//       Y = finished(sums)
//
// Slices are of some channels, and of one element of the filters, a row of them, or all. Zeros of the padding, and of
// channels past the last one, come from the fetches.
#include <bit>

#include "target/description/gpu_target.h"
#include "templates/conv2d/conv2d.h"
#include "templates/convolution/gpu_tile.h"
#include "templates/framework/knobs/seed_table.h"
#include "templates/framework/space/completion.h"
#include "templates/loops/candidates.h"
#include "templates/loops/divide.h"
#include "templates/loops/gpu_threads.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxChannels = 64;      ///< at a time
constexpr std::int64_t kMaxStatements = 1024;  ///< multiply-adds that the loops of a thread are unrolled to

struct Knobs {
  ConvolutionTile tile;
  std::int64_t channels = 1;                                              ///< fetched at a time
  enum class Taps : std::uint8_t { kOne, kRow, kAll } taps = Taps::kOne;  ///< of a filter, likewise
  std::int64_t unroll = 1;                                                ///< channels
  bool channels_inner = false;            ///< patches have channels side by side, not columns
  std::int64_t lanes_x = 1, lanes_w = 1;  ///< of vectors that are fetched
  std::int64_t padding = 0;               ///< elements between rows in shared memory
  bool fragments = false;                 ///< what a thread needs for a channel is read into registers first
  bool double_buffer = false;
};

/// The knobs while they are defined. Terms are channels by elements of a filter.
struct SliceKnobs {
  ConvolutionTileKnobs tile;
  KnobExpr channels = 1, taps = 1;  ///< fetched at a time
  KnobExpr unroll = 1, padding = 0;
  KnobExpr double_buffer = 0;
  KnobExpr channels_inner = 0;
  KnobExpr terms() const { return channels * taps; }
};

/// Bytes of a slice in shared memory.
KnobExpr shared_bytes(const KnobExpr& rows, const KnobExpr& row, const SliceKnobs& x, ir::Type type) {
  return rows * (row + x.padding) * (x.double_buffer + 1) * type.bytes() + kSharedAlignment;
}

std::int64_t operand_words(const Convolution& c) {
  return std::max(register_words(c.types.a), register_words(c.types.b));
}

/// Registers of a thread for sums and operands.
KnobExpr registers_of(const Convolution& c, const ConvolutionTileKnobs& tile) {
  const KnobExpr places = tile.rows.elements * tile.columns.elements;
  return register_words(convolution_gpu_sums(c)) * tile.filters.elements * places +
         operand_words(c) * (tile.filters.elements + places);
}

std::vector<std::int64_t> channel_counts(const Convolution& c) {
  std::vector<std::int64_t> counts{1, 2, 4, 8, 16, 32, 64};
  std::erase_if(counts, [&](std::int64_t count) { return count > 1 && count >= 2 * c.group_channels(); });
  if (c.group_channels() <= kMaxChannels && !std::has_single_bit(std::uint64_t(c.group_channels())))
    counts.push_back(c.group_channels());
  return counts;
}

/// Defines how many elements of a filter are fetched at a time. Options that mean the same for this filter are offered
/// once.
KnobExpr define_taps(Tuning& t, const Convolution& c, Knobs& knobs) {
  std::vector<std::string> options{"one"};
  if (c.columns.filter > 1) options.emplace_back("row");
  if (c.rows.filter > 1) options.emplace_back("all");
  const OptionKnob taps = t.define_annotate("block_taps", options);
  knobs.taps = taps == "one" ? Knobs::Taps::kOne : taps == "row" ? Knobs::Taps::kRow : Knobs::Taps::kAll;
  return select(taps == "one", 1, select(taps == "row", c.columns.filter, c.columns.filter * c.rows.filter));
}

/// How patches and weights lie in shared memory, and by which vectors they are fetched: those of what lies side by side
/// there as well as in X and W.
void define_fetches(Tuning& t, const Convolution& c, SliceKnobs& slice, Knobs& knobs) {
  const std::vector<std::int64_t> one{1};
  std::vector<std::string> orders{"places"};
  if (c.channels_last) orders.emplace_back("channels");
  slice.channels_inner = t.define_annotate("order_x", orders) == "channels";
  const KnobExpr lanes_x =
      t.define_knob("vector_x", c.channels_last ? vector_widths(c.group_channels(), c.types.a) : one);
  const KnobExpr lanes_w = t.define_knob("vector_w", c.channels_last ? vector_widths(c.filters, c.types.b) : one);
  const AxisTileKnobs& filters = slice.tile.filters;
  t.require(lanes_x == 1 ||
                (slice.channels_inner && slice.channels % lanes_x == 0 && c.group_channels() % slice.channels == 0),
            "vectors of X would lie across rows in shared memory, or cross the last channel");
  t.require(lanes_w == 1 || (filters.of_block() % lanes_w == 0 && filters.padded() * c.groups == c.filters),
            "vectors of W would be cut by the end of a row");
  knobs.channels_inner = slice.channels_inner;
  knobs.lanes_x = lanes_x;
  knobs.lanes_w = lanes_w;
}

void require_fetching_ahead(Tuning& t, const Convolution& c, const SliceKnobs& slice, const Target& target) {
  t.require(!slice.double_buffer || slice.terms() < c.terms(),
            "all terms are fetched at once, so that nothing is left to fetch ahead");
  // What is fetched ahead waits in registers, but for what the device copies itself.
  if (has_asynchronous_copies(target) && std::min(c.types.a.bytes(), c.types.b.bytes()) >= 4) return;
  const ConvolutionTileKnobs& tile = slice.tile;
  const KnobExpr threads = tile.threads(), terms = slice.terms();
  const KnobExpr ahead = ceil_div(terms * tile.rows.of_block() * tile.columns.of_block(), threads) +
                         ceil_div(terms * tile.filters.of_block(), threads);
  const KnobExpr all = registers_of(c, tile) + operand_words(c) * ahead + kSpareRegisters;
  t.require(!slice.double_buffer || (all <= target.registers_per_thread && all * threads <= target.registers_per_block),
            "with what is fetched ahead, a thread needs more registers than the target has");
}

void require_shared(Tuning& t, const Convolution& c, const SliceKnobs& slice, const Target& target) {
  const ConvolutionTileKnobs& tile = slice.tile;
  const KnobExpr places = tile.rows.of_block() * tile.columns.of_block(), filters = tile.filters.of_block();
  const KnobExpr patches =
      select(slice.channels_inner, shared_bytes(places * slice.taps, slice.channels, slice, c.types.a),
             shared_bytes(slice.terms(), places, slice, c.types.a));
  t.require(patches + shared_bytes(slice.terms(), filters, slice, c.types.b) <= target.shared_bytes,
            "patches and weights do not fit into a block's shared memory");
}

Knobs define_knobs(Tuning& t, const Convolution& c, const Target& target) {
  const auto registers = [&](const ConvolutionTileKnobs& tile) { return registers_of(c, tile); };
  SliceKnobs slice{.tile = define_convolution_tile(t, c, c.groups, registers, target)};
  Knobs knobs{.tile = slice.tile.in_run};
  slice.channels = t.define_knob("block_channels", channel_counts(c));
  slice.taps = define_taps(t, c, knobs);
  slice.unroll = t.define_knob("unroll_channels", {1, 2, 4, 8});
  slice.padding = t.define_knob("padding", {0, 4});
  knobs.fragments = t.define_annotate("fragments", {"no", "yes"}) == "yes";
  slice.double_buffer = t.define_annotate("double_buffer", {"no", "yes"}) == "yes";
  define_fetches(t, c, slice, knobs);
  t.require(slice.channels % slice.unroll == 0, "more channels would be unrolled than are fetched at a time");
  require_fetching_ahead(t, c, slice, target);
  t.require(slice.tile.elements() * slice.unroll <= kMaxStatements,
            "the unrolled loops of a thread have more than 1024 multiply-adds");
  require_shared(t, c, slice, target);
  knobs.channels = slice.channels;
  knobs.unroll = slice.unroll;
  knobs.padding = slice.padding;
  knobs.double_buffer = slice.double_buffer;
  return knobs;
}

/// What is computed instead of the operator's expression.
struct Form {
  Tensor patches;  ///< [n, group, r, s, c, p, q], or [n, group, r, s, p, q, c]
  Tensor weights;  ///< [r, s, c, k]
  Tensor sums;     ///< [n, k, p, q]
  Tensor y;
};

Form make_form(const Convolution& c, const Definition& definition, const Knobs& knobs) {
  const Tensor &x = definition.args[0], &w = definition.args[1];
  const std::int64_t channels = ceil_div(c.group_channels(), knobs.channels) * knobs.channels;
  const std::int64_t filters = knobs.tile.parts * knobs.tile.filters.padded();
  const std::vector<Expr> sums = padded_sums_shape(c, knobs.tile);
  const auto is_channel = [&](const Expr& channel) {
    return channels > c.group_channels() ? channel < Expr(c.group_channels()) : Expr();
  };
  const PaddedImage size = padded_image(c, knobs.tile);
  Form form;
  const auto of_patches = [&](std::vector<Expr> window, const Expr& ch, const Expr& p, const Expr& q) {
    if (knobs.channels_inner) {
      window.insert(window.end(), {p, q, ch});
    } else {
      window.insert(window.end(), {ch, p, q});
    }
    return window;
  };
  form.patches = compute(
      of_patches({sums[0], Expr(c.groups), Expr(c.rows.filter), Expr(c.columns.filter)}, channels, sums[2], sums[3]),
      [&](std::span<const Expr> at) {
        const Expr &channel = at[knobs.channels_inner ? 6 : 4], &p = at[knobs.channels_inner ? 4 : 5],
                   &q = at[knobs.channels_inner ? 5 : 6];
        const Expr from = c.groups == 1 ? channel : at[1] * c.group_channels() + channel;
        return padded_element(c, x, {at[0], from, window_index(c.rows, p, at[2]), window_index(c.columns, q, at[3])},
                              size.rows, size.columns, is_channel(channel));
      },
      "patches");
  form.weights = compute(
      {Expr(c.rows.filter), Expr(c.columns.filter), Expr(channels), Expr(filters)},
      [&](Expr row, Expr column, Expr channel, Expr filter) {
        const Expr element = c.channels_last ? w(row, column, channel, filter) : w(filter, channel, row, column);
        Expr inside = is_channel(channel);
        if (filters > c.filters) {
          const Expr is_filter = filter < Expr(c.filters);
          inside = inside.defined() ? inside && is_filter : is_filter;
        }
        return inside.defined() ? select(inside, element, ir::make_const(0, w.dtype())) : element;
      },
      "weights");
  const IterVar channel = reduce_axis(channels, "c");
  const IterVar row = reduce_axis(c.rows.filter, "r"), column = reduce_axis(c.columns.filter, "s");
  const ir::Type type = convolution_gpu_sums(c);
  form.sums = compute(
      sums,
      [&](Expr n, Expr k, Expr p, Expr q) {
        return sum(cast(type, form.patches.at(of_patches({n, group_of(c, k), row, column}, channel, p, q))) *
                       cast(type, form.weights(row, column, channel, k)),
                   {channel, row, column});
      },
      "sums");
  form.y = output_of(c, form.sums, definition);
  return form;
}

/// Reads what a thread needs of `operand` for one channel into registers.
void read_fragment(Schedule& s, const Tensor& operand, const Tensor& sums, const IterVar& channel,
                   const std::vector<int>& axes) {
  const Tensor fragment = s.cache_read(operand, ir::Scope::kLocal, {sums});
  s[fragment].compute_at(s[sums], channel);
  for (const int axis : axes) s[fragment].unroll(s[fragment].axis(axis));
}

Schedule schedule_conv2d(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const Convolution c = conv2d_shape(workload);
  const Knobs knobs = define_knobs(t, c, target);
  const Form form = make_form(c, definition, knobs);
  definition.args.back() = form.y;
  Schedule s = create_schedule(form.y);
  const IterVar thread = bind_convolution_tile(s[form.y], c, knobs.tile);

  Stage sums = s[form.sums];
  sums.set_scope(ir::Scope::kLocal).compute_at(s[form.y], thread);
  const auto [block, in_block] = sums.split(sums.reduce_axis(0), factor(knobs.channels));
  const auto [step, channel] = sums.split(in_block, factor(knobs.unroll));
  const IterVar row = sums.reduce_axis(1), column = sums.reduce_axis(2);
  sums.reorder({block, row, column, step, channel, sums.axis(1), sums.axis(2), sums.axis(3)});
  for (const IterVar& loop : {channel, sums.axis(1), sums.axis(2), sums.axis(3)}) sums.unroll(loop);
  const IterVar fetch = knobs.taps == Knobs::Taps::kOne ? column : knobs.taps == Knobs::Taps::kRow ? row : block;

  Stage patches = s[form.patches], weights = s[form.weights];
  const std::int64_t places = knobs.tile.rows.of_block() * knobs.tile.columns.of_block();
  const auto in_shared_memory = [&](Stage stage, int rows, std::int64_t length) {
    stage.set_scope(ir::Scope::kShared).compute_at(sums, fetch);
    if (knobs.padding > 0) stage.storage_align(stage.axis(rows), length + knobs.padding + 1, length + knobs.padding);
    if (knobs.double_buffer) stage.double_buffer();
  };
  in_shared_memory(patches, knobs.channels_inner ? 5 : 4, knobs.channels_inner ? knobs.channels : places);
  in_shared_memory(weights, 2, knobs.tile.filters.of_block());
  // Adjacent threads fetch adjacent elements of memory.
  std::vector<IterVar> of_patches = patches.loops(), of_weights = weights.loops();
  of_patches.erase(of_patches.begin(), of_patches.begin() + 2);
  if (c.channels_last && !knobs.channels_inner) {
    std::rotate(of_patches.begin() + 2, of_patches.begin() + 3, of_patches.end());
  } else if (!c.channels_last) {
    std::rotate(of_patches.begin(), of_patches.begin() + 2, of_patches.begin() + 3);
    std::swap(of_weights[0], of_weights[3]);  // k, s, c, r
    of_weights = {of_weights[0], of_weights[2], of_weights[3], of_weights[1]};
  }
  const BlockThreads threads = knobs.tile.block_threads();
  fetch_cooperatively(patches, of_patches, threads, knobs.lanes_x);
  fetch_cooperatively(weights, of_weights, threads, knobs.lanes_w);
  if (knobs.fragments) {
    const int p = knobs.channels_inner ? 4 : 5;
    read_fragment(s, form.patches, form.sums, channel, {p, p + 1});
    read_fragment(s, form.weights, form.sums, channel, {3});
  }
  return s;
}

std::vector<Config> conv2d_seeds(const Workload& workload, const Target& target) {
  const Convolution c = conv2d_shape(workload);
  const std::vector<SeedTile> tiles = convolution_seed_tiles(c, c.groups, target);
  std::vector<Config> seeds;
  for (const SeedTile& tile : tiles) {
    for (const bool plain : {false, true}) {
      if (plain && &tile != &tiles.front()) continue;  // one plain seed shows what fetching ahead is worth
      Config& seed = seeds.emplace_back(to_config(tile, c, c.groups));
      const bool is_large = tile.filters * tile.rows * tile.columns >= 4096;
      seed.set("block_channels", {is_large ? 8 : 16});
      seed.set("block_taps", {}, c.group_channels() < 4 ? "row" : "one");
      seed.set("unroll_channels", {is_large ? 8 : 4});
      seed.set("padding", {c.channels_last ? 4 : 0});
      seed.set("fragments", {}, plain ? "no" : "yes");
      seed.set("double_buffer", {}, plain ? "no" : "yes");
      seed.set("order_x", {}, c.channels_last ? "channels" : "places");
      seed.set("vector_x", {4});
      seed.set("vector_w", {4});
    }
  }
  return complete_seeds(conv2d_gpu_template(), workload, target, seeds);
}

}  // namespace

Template conv2d_gpu_template() { return {"conv2d.gpu", 1, gpus(), schedule_conv2d, conv2d_seeds}; }

}  // namespace nestwright
