// The GPU template of depthwise convolutions, which are bound by memory: a tile of results a thread, whose filters it
// keeps in registers.
//
//   blocks of Y's images, channels, rows, columns (all along blockIdx.x):
//     [ image = what the block's windows cover, fetched by all threads together   (in shared memory) ]
//     threads, with channels, rows and columns of their own:
//       weights = the filters of its channels                                     (in registers)
//       sums = 0;  for rows and columns of a filter: sums += image * weights      (in registers)
//       Y = finished(sums)
#include "templates/convolution/gpu_tile.h"
#include "templates/depthwise_conv2d/depthwise_conv2d.h"
#include "templates/framework/space/completion.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxStatements = 1024;  ///< multiply-adds that the loops of a thread are unrolled to

struct Knobs {
  ConvolutionTile tile;
  bool shares_image = false;   ///< in shared memory; else it is read where it lies
  bool keeps_weights = false;  ///< in registers; else they are read where they lie
  bool unrolls_taps = false;   ///< the loops over a filter, too
};

Knobs define_knobs(Tuning& t, const Convolution& c, const Target& target) {
  Knobs knobs;
  const std::int64_t taps = c.rows.filter * c.columns.filter;
  const auto registers = [&](const ConvolutionTileKnobs& tile) {
    return 2 * register_words(convolution_gpu_sums(c)) * tile.elements();
  };
  knobs.shares_image = t.choose("image", {"direct", "shared"}) == "shared";
  const ConvolutionTileKnobs tile = define_convolution_tile(t, c, 1, registers, target);
  knobs.tile = tile.in_run;
  const OptionKnob weights = t.define_annotate("weights", {"registers", "direct"});
  knobs.keeps_weights = weights == "registers";
  knobs.unrolls_taps = tile.elements() * taps <= kMaxStatements;
  t.require(tile.elements() * taps <= kMaxStatements || tile.elements() == 1,
            "the unrolled loops of a thread have more than 1024 multiply-adds");
  t.require(weights == "direct" ||
                2 * taps * tile.filters.elements * register_words(c.types.b) <= target.registers_per_thread,
            "the filters of a thread take more than half of its registers");
  if (!knobs.shares_image) return knobs;
  // Blocks that begin inside a channel's filters fetch all channels, those of the padding too.
  const KnobExpr filters = tile.filters.of_block();
  const KnobExpr all = (tile.filters.padded() - 1) / c.group_filters() + 1;
  const KnobExpr channels = select(filters % c.group_filters() == 0, filters / c.group_filters(), all);
  t.require(channels * window_extent(c.rows, tile.rows.of_block()) * window_extent(c.columns, tile.columns.of_block()) *
                    c.types.a.bytes() <=
                target.shared_bytes,
            "what the windows of a block cover does not fit into its shared memory");
  return knobs;
}

/// What is computed instead of the operator's expression.
struct Form {
  Tensor image;    ///< [n, c, rows, columns], padded
  Tensor weights;  ///< [r, s, k], padded
  Tensor sums;     ///< [n, k, p, q]
  Tensor y;
};

Form make_form(const Convolution& c, const Definition& definition, const Knobs& knobs) {
  const Tensor &x = definition.args[0], &w = definition.args[1];
  const std::vector<Expr> sums = padded_sums_shape(c, knobs.tile);
  const PaddedImage size = padded_image(c, knobs.tile);
  const std::int64_t filters = knobs.tile.filters.padded(), multiplier = c.group_filters();
  const auto channel_of = [&](const Expr& filter) { return multiplier == 1 ? filter : filter / Expr(multiplier); };
  const auto number_of = [&](const Expr& filter) { return multiplier == 1 ? Expr(0) : filter % Expr(multiplier); };
  const bool padded = filters > c.filters;
  const std::int64_t channels = (filters - 1) / multiplier + 1;
  Form form;
  form.image = compute(
      {Expr(c.images), Expr(channels), Expr(size.rows), Expr(size.columns)},
      [&](Expr n, Expr channel, Expr row, Expr column) {
        return padded_element(c, x, {n, channel, row, column}, size.rows, size.columns,
                              channels > c.channels ? channel < Expr(c.channels) : Expr());
      },
      "image");
  form.weights = compute(
      {Expr(c.rows.filter), Expr(c.columns.filter), Expr(filters)},
      [&](Expr row, Expr column, Expr filter) {
        const Expr channel = channel_of(filter), number = number_of(filter);
        const Expr element = c.channels_last ? w(row, column, channel, number) : w(channel, number, row, column);
        return padded ? select(filter < Expr(c.filters), element, ir::make_const(0, w.dtype())) : element;
      },
      "weights");
  const IterVar row = reduce_axis(c.rows.filter, "r"), column = reduce_axis(c.columns.filter, "s");
  const ir::Type type = convolution_gpu_sums(c);
  form.sums = compute(
      sums,
      [&](Expr n, Expr k, Expr p, Expr q) {
        const Expr value =
            form.image(n, channel_of(k), window_index(c.rows, p, row), window_index(c.columns, q, column));
        return sum(cast(type, value) * cast(type, form.weights(row, column, k)), {row, column});
      },
      "sums");
  form.y = output_of(c, form.sums, definition);
  return form;
}

Schedule schedule_depthwise(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const Convolution c = depthwise_conv2d_shape(workload);
  const Knobs knobs = define_knobs(t, c, target);
  const Form form = make_form(c, definition, knobs);
  definition.args.back() = form.y;
  Schedule s = create_schedule(form.y);
  const IterVar thread = bind_convolution_tile(s[form.y], c, knobs.tile);

  Stage sums = s[form.sums];
  sums.set_scope(ir::Scope::kLocal).compute_at(s[form.y], thread);
  sums.reorder({sums.reduce_axis(0), sums.reduce_axis(1), sums.axis(1), sums.axis(2), sums.axis(3)});
  for (const IterVar& loop : sums.loops()) {
    if (loop == sums.axis(0) || (loop.is_reduce() && !knobs.unrolls_taps)) continue;
    sums.unroll(loop);
  }
  Stage weights = s[form.weights];
  if (knobs.keeps_weights) {
    weights.set_scope(ir::Scope::kLocal).compute_at(s[form.y], thread);
    for (const IterVar& loop : weights.loops()) weights.unroll(loop);
  } else {
    weights.compute_inline();
  }
  Stage image = s[form.image];
  if (!knobs.shares_image) {
    image.compute_inline();
    return s;
  }
  image.set_scope(ir::Scope::kShared).compute_at(s[form.y], thread);
  std::vector<IterVar> loops{image.axis(1), image.axis(2), image.axis(3)};
  if (c.channels_last) std::rotate(loops.begin(), loops.begin() + 1, loops.end());
  fetch_cooperatively(image, loops, knobs.tile.block_threads(), 1);
  return s;
}

std::vector<Config> depthwise_seeds(const Workload& workload, const Target& target) {
  const Convolution c = depthwise_conv2d_shape(workload);
  const std::int64_t columns = c.columns.output();
  std::vector<Config> seeds;
  for (const char* image : {"direct", "shared"}) {
    for (const std::int64_t thread_rows : {4, 2, 1}) {
      // Neighbours in memory along threadIdx.x: channels, or columns.
      const SeedTile tile = c.channels_last
                                ? SeedTile{64, 4 * thread_rows, 1, 1, thread_rows, 1}
                                : SeedTile{4, 8 * thread_rows, std::min<std::int64_t>(columns, 32), 1, thread_rows, 1};
      Config& seed = seeds.emplace_back(to_config(tile, c, 1));
      seed.set("image", {}, image);
      seed.set("weights", {}, "registers");
    }
  }
  return complete_seeds(depthwise_conv2d_gpu_template(), workload, target, seeds);
}

}  // namespace

Template depthwise_conv2d_gpu_template() {
  return {"depthwise_conv2d.gpu", 1, gpus(), schedule_depthwise, depthwise_seeds};
}

}  // namespace nestwright
