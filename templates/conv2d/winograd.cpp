// The CPU template of conv2d by Winograd's minimal filtering, F(2x2, 3x3) and F(4x4, 3x3): 2.25 and 4 times fewer
// multiplications, in products of matrices, one for each of the 16 or 36 points of a transformed tile.
//
//   weights = transformed filters, in panels of vectors                     (before the calls, if W does not change)
//   image = X with zeros around it, channels innermost                      (squares of it are transposed in registers)
//   for blocks of rows of tiles, for blocks of filters (or the other way around, one of them parallel):
//     inputs = transformed tiles of a block                                 (vectors of channels)
//     for points, for panels of filters, for tiles (in some order):
//       sums[tiles, vectors of filters] = 0                                 (in registers)
//       for channels: sums += inputs[tiles, channel] * weights[channel, vectors]
//       products = sums
//     for rows of tiles:
//       results = what the transformation makes of products, bias, relu     (vectors of filters)
//       Y = results, transposed in registers
//
// Rounding. The operator allows an error of 8 eps sqrt(K sum (x w)^2), K = 9 c, that of a direct sum with room to spare
// (templates/checking/rounding.h). Of that bound, the largest errors of inputs that are uniform in [-1, 1] are, over
// 24,000 results or more:
//                                                c = 8    c = 64    c = 512
//   F(2x2)                                       0.08     0.05      0.04
//   F(4x4) at 0, 1, -1, 2, -1/2, infinity        0.62     0.57      0.32
//   F(4x4) at 0, 1, -1, 2, -2, infinity          2.28     1.22      0.77
// The last one, the usual choice, is therefore not used, and F(4x4) only from 16 channels on. The error of a result
// grows with the elements of its whole tile, not of its own window alone: beside much larger neighbours a small result
// has an error of their size. Where the whole window of a result lies in the padding, that would be an error where a
// direct sum has none: paddings of more than 2 are refused.
#include "templates/conv2d/winograd.h"

#include <string>
#include <vector>

#include "templates/conv2d/conv2d.h"
#include "templates/conv2d/winograd_knobs.h"
#include "templates/framework/space/completion.h"

namespace nestwright {
namespace {

/// The stride from the elements of one point to those of the next one is 16 elements, a cache line, more than a
/// multiple of 1024, a page: otherwise the elements of all points, which a transformation accesses together, would
/// share few sets of the first-level cache.
constexpr std::int64_t kPage = 1024, kLine = 16;

using Parallel = WinogradKnobs::Parallel;

/// Loops that other stages are computed at.
struct BlockLoops {
  IterVar rows, filters;
};

class WinogradSchedule {
 public:
  WinogradSchedule(const Convolution& c, const WinogradKnobs& knobs, const WinogradForm& form)
      : c_(c), x_(knobs), f_(form), s_(create_schedule(form.y)) {}

  Schedule build() && {
    const BlockLoops blocks = schedule_results();
    schedule_products(blocks);
    schedule_inputs(blocks);
    schedule_image();
    return std::move(s_);
  }

 private:
  bool is_parallel() const { return x_.parallel != Parallel::kNone; }

  /// Splits Y, and the results that it is made of, into blocks and these into rows of tiles.
  BlockLoops schedule_results() {
    Stage y = s_[f_.y];
    const int rows_axis = c_.channels_last ? 1 : 2, filters_axis = c_.channels_last ? 3 : 1;
    const auto [row_block, in_rows] = y.split(y.axis(rows_axis), factor(x_.tile * x_.block_rows), Tail::partition());
    const auto [tile_row, row] = y.split(in_rows, factor(x_.tile), Tail::partition());
    const auto [filter_block, filters] = y.split(y.axis(filters_axis), factor(x_.block_filters), Tail::partition());
    const IterVar image = y.axis(0);
    std::vector<IterVar> order{image, row_block, filter_block, tile_row};
    if (x_.filters_outer) order = {filter_block, image, row_block, tile_row};
    if (x_.parallel == Parallel::kBlocks) y.parallel(x_.filters_outer ? filter_block : row_block);
    if (x_.parallel == Parallel::kImages) y.parallel(image);
    if (c_.channels_last) {
      schedule_tiles(y, order, row, filters);
    } else {
      const auto [squares, filter] = y.split(filters, factor(x_.lanes), Tail::partition());
      const auto [columns, column] = y.split(y.axis(3), factor(x_.lanes), Tail::predicate());
      order.insert(order.end(), {row, squares, columns, filter, column});
      y.reorder(order).unroll(filter).vectorize(column);
      const Tensor square = s_.cache_read(f_.results, ir::Scope::kRegister, {f_.y});
      s_[square].compute_at(y, columns).unroll(s_[square].axis(2)).vectorize(s_[square].axis(3));
      Stage results = s_[f_.results];
      results.compute_at(y, tile_row);
      schedule_tiles(results, {results.axis(0)}, results.axis(1), results.axis(3));
    }
    return {row_block, filter_block};
  }

  /// Schedules one row of tiles of `results`, with the loops `outer` around it.
  void schedule_tiles(Stage results, std::vector<IterVar> outer, const IterVar& row, const IterVar& filters) {
    const auto [tile, column] = results.split(results.axis(2), factor(x_.tile), Tail::partition());
    const auto [vector, lane] = results.split(filters, factor(x_.lanes), Tail::predicate());
    outer.insert(outer.end(), {tile, vector, row, column, lane});
    results.reorder(outer).unroll(row).unroll(column).vectorize(lane);
    Stage rows = s_[f_.result_rows];
    rows.set_scope(ir::Scope::kRegister).compute_at(results, vector);
    rows.unroll(rows.axis(1)).unroll(rows.axis(3)).vectorize(rows.axis(4));
  }

  void schedule_products(const BlockLoops& blocks) {
    const Tensor sums = s_.cache_write(f_.products, ir::Scope::kRegister);
    Stage products = s_[f_.products];
    const Tail tail = x_.second_rows > 0 ? Tail::compose({x_.rows, x_.second_rows}) : Tail::partition();
    const auto [tiles, tile] = products.split(products.axis(2), factor(x_.rows), tail);
    const auto [panels, in_panel] = products.split(products.axis(3), factor(x_.vectors * x_.lanes), Tail::predicate());
    const auto [vector, lane] = products.split(in_panel, factor(x_.lanes));
    const IterVar outer = x_.tiles_outer ? tiles : panels, inner = x_.tiles_outer ? panels : tiles;
    products.reorder({products.axis(0), products.axis(1), outer, inner, tile, vector, lane});
    products.unroll(tile).unroll(vector).vectorize(lane);
    products.storage_align(products.axis(1), kPage, kLine).compute_at(s_[f_.y], blocks.filters);

    Stage sum = s_[sums];
    sum.compute_at(products, inner);
    const auto [channels, channel] = sum.split(sum.loops().back(), factor(x_.unroll), Tail::partition());
    const auto [sum_vector, sum_lane] = sum.split(sum.axis(3), factor(x_.lanes));
    sum.reorder({sum.axis(0), sum.axis(1), channels, channel, sum.axis(2), sum_vector, sum_lane});
    sum.unroll(channel).unroll(sum.axis(2)).unroll(sum_vector).vectorize(sum_lane);
    const Tensor packed = pack_weights(sums);
    if (x_.prefetch > 0) sum.prefetch(packed, channels, x_.prefetch);
  }

  /// Panels of as many filters as a register tile has, each contiguous over the channels.
  Tensor pack_weights(const Tensor& sums) {
    const Tensor packed = s_.cache_read(f_.weights, ir::Scope::kGlobal, {sums});
    s_[f_.weight_rows].compute_inline();
    s_[f_.weights].compute_inline();
    const std::vector<IterVar> loops = s_.transform_layout(packed, [&](std::span<const Expr> at) {
      const Expr width(x_.vectors * x_.lanes);
      return std::vector<Expr>{at[0], at[1], at[3] / width, at[2], at[3] % width};
    });
    Stage stage = s_[packed];
    stage.reorder({loops[2], loops[3], loops[4], loops[0], loops[1]}).unroll(loops[0]).unroll(loops[1]);
    if (c_.prepares_weights) {
      stage.prepare();
    } else if (is_parallel()) {
      stage.parallel(loops[2]);
    }
    return packed;
  }

  void schedule_inputs(const BlockLoops& blocks) {
    Stage inputs = s_[f_.inputs];
    const auto [vector, lane] = inputs.split(inputs.axis(3), factor(x_.lanes), Tail::predicate());
    const IterVar tile = inputs.axis(2);
    inputs.reorder({tile, vector, inputs.axis(0), inputs.axis(1), lane});
    inputs.unroll(inputs.axis(0)).unroll(inputs.axis(1)).vectorize(lane);
    inputs.storage_align(inputs.axis(1), kPage, kLine);
    if (!x_.filters_outer) {
      inputs.compute_at(s_[f_.y], blocks.rows);
    } else if (is_parallel()) {
      inputs.parallel(tile);
    }
    Stage rows = s_[f_.input_rows];
    rows.set_scope(ir::Scope::kRegister).compute_at(inputs, vector);
    rows.unroll(rows.axis(0)).unroll(rows.axis(2)).vectorize(rows.axis(3));
  }

  void schedule_image() {
    Stage image = s_[f_.image];
    const IterVar row = image.axis(1);
    if (is_parallel()) image.parallel(row);
    const auto [vector, lane] = image.split(image.axis(3), factor(x_.lanes), Tail::predicate());
    image.vectorize(lane);
    if (c_.channels_last) return;
    const auto [columns, column] = image.split(image.axis(2), factor(x_.lanes), Tail::partition());
    image.reorder({image.axis(0), row, vector, columns, column, lane}).unroll(column);
    Stage padded = s_[f_.padded];
    padded.set_scope(ir::Scope::kRegister).compute_at(image, columns);
    padded.unroll(padded.axis(1)).vectorize(padded.axis(3));
  }

  const Convolution& c_;
  const WinogradKnobs& x_;
  const WinogradForm& f_;
  Schedule s_;
};

Schedule schedule_own(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  return schedule_winograd(t, conv2d_shape(workload), definition, target);
}

std::vector<Config> seeds(const Workload& workload, const Target& target) {
  return complete_seeds(conv2d_winograd_template(), workload, target, winograd_guesses(conv2d_shape(workload), target));
}

std::string why_not(const Workload& workload, const Target& target) {
  if (!target.has_fma()) return "it needs a CPU with fused multiply-adds";
  return winograd_unsupported_reason(conv2d_shape(workload));
}

}  // namespace

Schedule schedule_winograd(Tuning& t, const Convolution& c, Definition& definition, const Target& target,
                           const WinogradFinish& finish) {
  const WinogradKnobs knobs = define_winograd_knobs(t, c, target);
  const WinogradForm form = make_winograd_form(c, knobs.tile, definition, finish);
  definition.args.back() = form.y;
  return WinogradSchedule(c, knobs, form).build();
}

Template conv2d_winograd_template() { return {"conv2d.winograd", 2, {DeviceKind::kCpu}, schedule_own, seeds, why_not}; }

}  // namespace nestwright
