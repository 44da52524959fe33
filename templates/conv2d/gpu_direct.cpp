// The GPU template of direct conv2d: the part of the image that the windows of a block cover is fetched once.
//
//   blocks of Y's images, filters, rows, columns (all along blockIdx.x):
//     threads, with filters, rows and columns of their own:
//       sums = 0                                                                  (in registers)
//       for blocks of channels:
//         image, weights = slices, fetched by all threads together                (in shared memory)
//         for channels in the block, rows and columns of a filter: sums += image * weights
//       Y = finished(sums)
#include "templates/conv2d/conv2d.h"
#include "templates/convolution/gpu_tile.h"
#include "templates/framework/space/completion.h"
#include "templates/loops/gpu_threads.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxStatements = 1024;  ///< multiply-adds that the loops of a thread are unrolled to
constexpr std::int64_t kMaxChannels = 64;      ///< at a time

struct Knobs {
  ConvolutionTile tile;
  std::int64_t channels = 1;    ///< fetched at a time
  bool unroll_columns = false;  ///< of the filter
  bool shares_weights = false;  ///< in shared memory; else they are read where they lie
};

/// Counts of channels that divide those of a group: others would need guards in the loops.
std::vector<std::int64_t> channel_counts(const Convolution& c) {
  std::vector<std::int64_t> counts;
  for (std::int64_t count = 1; count <= std::min(c.group_channels(), kMaxChannels); ++count) {
    if (c.group_channels() % count == 0) counts.push_back(count);
  }
  return counts;
}

/// Registers of a thread for sums and operands.
KnobExpr registers_of(const Convolution& c, const ConvolutionTileKnobs& tile) {
  const KnobExpr places = tile.rows.elements * tile.columns.elements;
  return register_words(convolution_gpu_sums(c)) * tile.filters.elements * places + register_words(c.types.a) * places +
         register_words(c.types.b) * tile.filters.elements;
}

Knobs define_knobs(Tuning& t, const Convolution& c, const Target& target) {
  const auto registers = [&](const ConvolutionTileKnobs& tile) { return registers_of(c, tile); };
  const ConvolutionTileKnobs tile = define_convolution_tile(t, c, c.groups, registers, target);
  const OptionKnob weights = t.choose("weights", {"shared", "direct"});
  const KnobExpr channels = t.define_knob("block_channels", channel_counts(c));
  const OptionKnob unroll_columns = t.define_annotate("unroll_columns", {"yes", "no"});
  t.require(tile.elements() * select(unroll_columns == "yes", c.columns.filter, 1) <= kMaxStatements,
            "the unrolled loops of a thread have more than 1024 multiply-adds");
  const KnobExpr weight_elements =
      select(weights == "shared", c.rows.filter * c.columns.filter * tile.filters.of_block(), 0);
  const KnobExpr image_elements =
      window_extent(c.rows, tile.rows.of_block()) * window_extent(c.columns, tile.columns.of_block());
  t.require(
      (weight_elements * c.types.b.bytes() + image_elements * c.types.a.bytes()) * channels + 2 * kSharedAlignment <=
          target.shared_bytes,
      "the slices of image and weights do not fit into a block's shared memory");
  Knobs knobs{.tile = tile.in_run, .channels = channels};
  knobs.unroll_columns = unroll_columns == "yes";
  knobs.shares_weights = weights == "shared";
  return knobs;
}

/// What is computed instead of the operator's expression.
struct Form {
  Tensor image;    ///< [n, c, rows, columns], padded
  Tensor weights;  ///< [c, r, s, k], padded
  Tensor sums;     ///< [n, k, p, q]
  Tensor y;
};

Form make_form(const Convolution& c, const Definition& definition, const Knobs& knobs) {
  const Tensor &x = definition.args[0], &w = definition.args[1];
  const std::vector<Expr> sums = padded_sums_shape(c, knobs.tile);
  const PaddedImage size = padded_image(c, knobs.tile);
  Form form;
  form.image = compute(
      {Expr(c.images), Expr(c.channels), Expr(size.rows), Expr(size.columns)},
      [&](Expr n, Expr channel, Expr row, Expr column) {
        return padded_element(c, x, {n, channel, row, column}, size.rows, size.columns);
      },
      "image");
  form.weights = compute(
      {Expr(c.group_channels()), Expr(c.rows.filter), Expr(c.columns.filter), sums[1]},
      [&](Expr channel, Expr row, Expr column, Expr filter) {
        const Expr element = c.channels_last ? w(row, column, channel, filter) : w(filter, channel, row, column);
        const bool padded = knobs.tile.parts * knobs.tile.filters.padded() > c.filters;
        return padded ? select(filter < Expr(c.filters), element, ir::make_const(0, w.dtype())) : element;
      },
      "weights");
  const IterVar channel = reduce_axis(c.group_channels(), "c");
  const IterVar row = reduce_axis(c.rows.filter, "r"), column = reduce_axis(c.columns.filter, "s");
  const ir::Type type = convolution_gpu_sums(c);
  form.sums = compute(
      sums,
      [&](Expr n, Expr k, Expr p, Expr q) {
        const Expr from = c.groups == 1 ? Expr(channel) : group_of(c, k) * c.group_channels() + channel;
        const Expr value = form.image(n, from, window_index(c.rows, p, row), window_index(c.columns, q, column));
        return sum(cast(type, value) * cast(type, form.weights(channel, row, column, k)), {channel, row, column});
      },
      "sums");
  form.y = output_of(c, form.sums, definition);
  return form;
}

Schedule schedule_direct(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const Convolution c = conv2d_shape(workload);
  const Knobs knobs = define_knobs(t, c, target);
  const Form form = make_form(c, definition, knobs);
  definition.args.back() = form.y;
  Schedule s = create_schedule(form.y);
  const IterVar thread = bind_convolution_tile(s[form.y], c, knobs.tile);

  Stage sums = s[form.sums];
  sums.set_scope(ir::Scope::kLocal).compute_at(s[form.y], thread);
  const auto [block, channel] = sums.split(sums.reduce_axis(0), factor(knobs.channels));
  const IterVar row = sums.reduce_axis(1), column = sums.reduce_axis(2);
  sums.reorder({block, channel, row, column, sums.axis(1), sums.axis(2), sums.axis(3)});
  for (const IterVar& loop : {sums.axis(1), sums.axis(2), sums.axis(3)}) sums.unroll(loop);
  if (knobs.unroll_columns) sums.unroll(column);

  const BlockThreads threads = knobs.tile.block_threads();
  Stage image = s[form.image];
  image.set_scope(ir::Scope::kShared).compute_at(sums, block);
  std::vector<IterVar> of_image{image.axis(1), image.axis(2), image.axis(3)};
  // Adjacent threads fetch adjacent elements of memory.
  if (c.channels_last) std::rotate(of_image.begin(), of_image.begin() + 1, of_image.end());
  fetch_cooperatively(image, of_image, threads, 1);
  Stage weights = s[form.weights];
  if (!knobs.shares_weights) {
    weights.compute_inline();
    return s;
  }
  weights.set_scope(ir::Scope::kShared).compute_at(sums, block);
  std::vector<IterVar> of_weights = weights.loops();  // NHWC: the channels of a block come last but for the filters
  if (c.channels_last) {
    std::rotate(of_weights.begin(), of_weights.begin() + 1, of_weights.end() - 1);
  } else {
    std::rotate(of_weights.begin(), of_weights.end() - 1, of_weights.end());
  }
  fetch_cooperatively(weights, of_weights, threads, 1);
  return s;
}

std::vector<Config> direct_seeds(const Workload& workload, const Target& target) {
  const Convolution c = conv2d_shape(workload);
  constexpr std::size_t kTiles = 3;  // of each kind: it is the second template of its operator
  std::vector<SeedTile> tiles = convolution_seed_tiles(c, c.groups, target);
  tiles.resize(std::min(kTiles, tiles.size()));
  std::vector<Config> seeds;
  for (const char* weights : {"shared", "direct"}) {
    for (const SeedTile& tile : tiles) {
      Config& seed = seeds.emplace_back(to_config(tile, c, c.groups));
      seed.set("weights", {}, weights);
      seed.set("block_channels", {4});
      seed.set("unroll_columns", {}, "yes");
    }
  }
  return complete_seeds(conv2d_gpu_direct_template(), workload, target, seeds);
}

std::string why_not(const Workload& workload, const Target& target) {
  const Convolution c = conv2d_shape(workload);
  const double window = static_cast<double>(c.rows.reach()) * static_cast<double>(c.columns.reach());
  const bool fits = window * c.types.a.bytes() + 2 * kSharedAlignment <= static_cast<double>(target.shared_bytes);
  return fits ? "" : "it needs the window of a filter to fit into a block's shared memory";
}

}  // namespace

Template conv2d_gpu_direct_template() {
  return {"conv2d.gpu_direct", 1, gpus(), schedule_direct, direct_seeds, why_not};
}

}  // namespace nestwright
