// The GPU template of conv2d by implicit matrix products: the patches of an image that its filters are multiplied with
// are the rows of a matrix that nobody stores; a block of threads lays out as much of it as it needs for a while.
//
//   blocks of Y's images, filters, rows, columns (all along blockIdx.x):
//     threads, with filters, rows and columns of their own:
//       sums = 0                                                                  (in registers)
//       for blocks of channels, rows and columns of a filter:
//         patches, weights = slices, fetched by all threads together              (in shared memory; twice, in turns)
//         for what the slices have: sums += patches[term, places] * weights[term, filters]
//       Y = finished(sums)
//
// Slices are of some channels, and of one element of the filters, a row of them, or all. Zeros of the padding, and of
// channels past the last one, come from the fetches.
#include <bit>

#include "target/gpu.h"
#include "templates/conv2d/conv2d.h"
#include "templates/convolution/gpu_tile.h"
#include "templates/framework/completion.h"
#include "templates/loops/divide.h"

namespace nestwright {
namespace {

constexpr std::int64_t kAlignment = 16;         ///< of an array in shared memory, bytes
constexpr std::int64_t kMostChannels = 64;      ///< at a time
constexpr std::int64_t kMostStatements = 1024;  ///< multiply-adds that the loops of a thread are unrolled to

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

std::int64_t shared_bytes(std::int64_t rows, std::int64_t row, std::int64_t padding, ir::Type type, bool twice) {
  return (twice ? 2 : 1) * rows * (row + padding) * type.bytes() + kAlignment;
}

/// How patches and weights lie in shared memory, and by which vectors they are fetched: those of what lies side by side
/// there as well as in X and W.
void define_fetches(Tuning& t, const Convolution& c, Knobs& knobs) {
  const std::vector<std::int64_t> one{1};
  const auto orders =
      c.channels_last ? std::vector<std::string>{"places", "channels"} : std::vector<std::string>{"places"};
  knobs.channels_inner = t.define_annotate("order_x", orders) == "channels";
  knobs.lanes_x = t.define_knob("vector_x", c.channels_last ? vector_widths(c.group_channels(), c.types.a) : one);
  knobs.lanes_w = t.define_knob("vector_w", c.channels_last ? vector_widths(c.filters, c.types.b) : one);
  t.constrain(
      {"vector_x", "order_x", "block_channels"},
      [channels = c.group_channels()](std::span<const KnobValue> v) {
        const std::int64_t lanes = v[0][0], block = v[2][0];
        return lanes == 1 || (v[1][0] == 1 && block % lanes == 0 && channels % block == 0);
      },
      "vectors of X would lie across rows in shared memory, or cross the last channel");
  t.constrain(
      {"vector_w", "tile_k"},
      [filters = c.filters, parts = c.groups](std::span<const KnobValue> v) {
        const AxisTile tile{v[1][0], v[1][1], v[1][2]};
        return v[0][0] == 1 || (tile.of_block() % v[0][0] == 0 && tile.padded() * parts == filters);
      },
      "vectors of W would be cut by the end of a row");
}

Knobs define_knobs(Tuning& t, const Convolution& c, const Target& target) {
  Knobs knobs;
  const ir::Type sums = convolution_gpu_sums(c);
  const std::int64_t operand = std::max(register_words(c.types.a), register_words(c.types.b));
  const auto registers = [sums, operand](const AxisTile& filters, const AxisTile& rows, const AxisTile& columns) {
    const std::int64_t places = rows.elements * columns.elements;
    return register_words(sums) * filters.elements * places + operand * (filters.elements + places);
  };
  knobs.tile = define_convolution_tile(t, c, c.groups, registers, target);

  std::vector<std::int64_t> channels{1, 2, 4, 8, 16, 32, 64};
  std::erase_if(channels, [&](std::int64_t count) { return count > 1 && count >= 2 * c.group_channels(); });
  if (c.group_channels() <= kMostChannels && !std::has_single_bit(std::uint64_t(c.group_channels())))
    channels.push_back(c.group_channels());
  knobs.channels = t.define_knob("block_channels", channels);
  // Those that are the same for this filter are offered once.
  std::vector<std::string> taps{"one"};
  if (c.columns.filter > 1) taps.emplace_back("row");
  if (c.rows.filter > 1) taps.emplace_back("all");
  const std::string chosen = t.define_annotate("block_taps", taps);
  knobs.taps = chosen == "one" ? Knobs::Taps::kOne : chosen == "row" ? Knobs::Taps::kRow : Knobs::Taps::kAll;
  knobs.unroll = t.define_knob("unroll_channels", {1, 2, 4, 8});
  knobs.padding = t.define_knob("padding", {0, 4});
  knobs.fragments = t.define_annotate("fragments", {"no", "yes"}) == "yes";
  knobs.double_buffer = t.define_annotate("double_buffer", {"no", "yes"}) == "yes";
  define_fetches(t, c, knobs);

  t.constrain(
      {"block_channels", "unroll_channels"}, [](std::span<const KnobValue> v) { return v[0][0] % v[1][0] == 0; },
      "more channels would be unrolled than are fetched at a time");
  const auto slice = [c, taps](const KnobValue& count, const KnobValue& option) {
    const std::string& name = taps[static_cast<std::size_t>(option[0])];
    return count[0] * (name == "one" ? 1 : c.columns.filter * (name == "row" ? 1 : c.rows.filter));
  };
  t.constrain(
      {"double_buffer", "block_channels", "block_taps"},
      [slice, terms = c.terms()](std::span<const KnobValue> v) { return v[0][0] == 0 || terms > slice(v[1], v[2]); },
      "all terms are fetched at once, so that nothing is left to fetch ahead");
  // What is fetched ahead waits in registers, but for what the device copies itself.
  const bool waits = !has_asynchronous_copies(target) || std::min(c.types.a.bytes(), c.types.b.bytes()) < 4;
  if (waits) {
    t.constrain(
        {"double_buffer", "block_channels", "block_taps", "tile_k", "tile_p", "tile_q"},
        [slice, registers, operand, target](std::span<const KnobValue> v) {
          if (v[0][0] == 0) return true;
          const AxisTile filters{v[3][0], v[3][1], v[3][2]}, rows{v[4][0], v[4][1], v[4][2]},
              columns{v[5][0], v[5][1], v[5][2]};
          const std::int64_t threads = filters.threads * rows.threads * columns.threads, terms = slice(v[1], v[2]);
          const std::int64_t ahead = ceil_div(terms * rows.of_block() * columns.of_block(), threads) +
                                     ceil_div(terms * filters.of_block(), threads);
          const std::int64_t all = registers(filters, rows, columns) + operand * ahead + kSpareRegisters;
          return all <= target.registers_per_thread && all * threads <= target.registers_per_block;
        },
        "with what is fetched ahead, a thread needs more registers than the target has");
  }
  t.constrain(
      {"tile_k", "tile_p", "tile_q", "unroll_channels"},
      [](std::span<const KnobValue> v) { return v[0][2] * v[1][2] * v[2][2] * v[3][0] <= kMostStatements; },
      "the unrolled loops of a thread have more than 1024 multiply-adds");
  t.constrain(
      {"tile_k", "tile_p", "tile_q", "block_channels", "block_taps", "padding", "double_buffer", "order_x"},
      [slice, types = c.types, most = target.shared_bytes](std::span<const KnobValue> v) {
        const std::int64_t terms = slice(v[3], v[4]), padding = v[5][0];
        const bool twice = v[6][0] == 1;
        const std::int64_t places = v[1][1] * v[1][2] * v[2][1] * v[2][2], filters = v[0][1] * v[0][2];
        const std::int64_t patches = v[7][0] == 1
                                         ? shared_bytes(places * (terms / v[3][0]), v[3][0], padding, types.a, twice)
                                         : shared_bytes(terms, places, padding, types.a, twice);
        return patches + shared_bytes(terms, filters, padding, types.b, twice) <= most;
      },
      "patches and weights do not fit into a block's shared memory");
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

/// What a thread reads of an operand for one channel, in registers.
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
  // Neighbours in memory are fetched by neighbours.
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
  fetch_together(patches, of_patches, threads, knobs.lanes_x);
  fetch_together(weights, of_weights, threads, knobs.lanes_w);
  if (knobs.fragments) {
    const int p = knobs.channels_inner ? 4 : 5;
    read_fragment(s, form.patches, form.sums, channel, {p, p + 1});
    read_fragment(s, form.weights, form.sums, channel, {3});
  }
  return s;
}

std::vector<Config> conv2d_seeds(const Workload& workload, const Target& target) {
  const Convolution c = conv2d_shape(workload);
  const std::vector<TileWish> tiles = convolution_wishes(c, c.groups, target);
  std::vector<Config> wishes;
  for (const TileWish& wish : tiles) {
    for (const bool plain : {false, true}) {
      if (plain && &wish != &tiles.front()) continue;  // one shows what fetching ahead is worth
      Config config = to_config(wish, c, c.groups);
      const bool is_large = wish.filters * wish.rows * wish.columns >= 4096;
      config.set("block_channels", {is_large ? 8 : 16});
      config.set("block_taps", {}, c.group_channels() < 4 ? "row" : "one");
      config.set("unroll_channels", {is_large ? 8 : 4});
      config.set("padding", {c.channels_last ? 4 : 0});
      config.set("fragments", {}, plain ? "no" : "yes");
      config.set("double_buffer", {}, plain ? "no" : "yes");
      config.set("order_x", {}, c.channels_last ? "channels" : "places");
      config.set("vector_x", {4});
      config.set("vector_w", {4});
      wishes.push_back(std::move(config));
    }
  }
  return complete_seeds(conv2d_gpu_template(), workload, target, wishes);
}

}  // namespace

Template conv2d_gpu_template() { return {"conv2d.gpu", 1, conv2d_operator(), gpus(), schedule_conv2d, conv2d_seeds}; }

}  // namespace nestwright
