// The CPU template of conv2d by Winograd's minimal filtering, F(2x2, 3x3) and F(4x4, 3x3).
#include <algorithm>
#include <string>
#include <vector>

#include "templates/conv2d/conv2d.h"
#include "templates/conv2d/winograd_form.h"
#include "templates/conv2d/winograd_transform.h"
#include "templates/framework/completion.h"
#include "templates/framework/seed_table.h"
#include "templates/loops/candidates.h"
#include "templates/loops/register_tile.h"
#include "templates/loops/vectors.h"

namespace nestwright {
namespace {

struct Knobs {
  std::int64_t tile = 2;
  bool filters_outer = false;
  std::string parallel;
  std::int64_t block_rows = 1, block_filters = 16, rows = 1, second_rows = 0, vectors = 1, unroll = 1, lanes = 1;
};

Knobs define_knobs(Tuning& t, const Convolution& c, const Target& target) {
  Knobs x;
  x.lanes = target.lanes(kFloat32);
  x.tile = t.choose("tile", {"4x4", "2x2"}) == "4x4" ? 4 : 2;
  x.filters_outer = t.choose("order", {"rows", "filters"}) == "filters";
  x.parallel = t.choose(
      "parallel", target.threads > 1 ? std::vector<std::string>{"none", "blocks"} : std::vector<std::string>{"none"});
  x.block_rows = t.define_knob("block_rows", {1, 2, 3, 4, 7, 14, 28});
  x.block_filters = t.define_knob("block_filters", {16, 32, 48, 64, 96, 128, 192, 256, 512});
  x.rows = t.define_knob("register_rows", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 28});
  x.vectors = t.define_knob("register_vectors", {1, 2, 3, 4, 6});
  x.unroll = t.define_knob("unroll_c", {1, 2, 4, 8});
  (void)c;
  return x;
}

Schedule schedule_winograd(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const Convolution c = conv2d_shape(workload);
  const Knobs x = define_knobs(t, c, target);
  const WinogradForm f = make_winograd_form(c, x.tile, definition);
  definition.args.back() = f.y;
  const bool parallel = x.parallel == "blocks";
  Schedule s = create_schedule(f.y);

  Stage y = s[f.y];
  const int filter_axis = c.channels_last ? 3 : 1, row_axis = c.channels_last ? 1 : 2;
  const auto [row_block, in_rows] = y.split(y.axis(row_axis), factor(x.tile * x.block_rows), Tail::partition());
  const auto [tile_row, row] = y.split(in_rows, factor(x.tile), Tail::partition());
  const auto [filter_block, in_filters] = y.split(y.axis(filter_axis), factor(x.block_filters), Tail::partition());
  std::vector<IterVar> order{y.axis(0), row_block, filter_block, tile_row};
  if (x.filters_outer) order = {filter_block, y.axis(0), row_block, tile_row};
  if (parallel) y.parallel(x.filters_outer ? filter_block : row_block);
  Stage results = s[f.results];
  if (!c.channels_last) {
    const auto [filters, filter] = y.split(in_filters, factor(x.lanes), Tail::partition());
    const auto [columns, column] = y.split(y.axis(3), factor(x.lanes), Tail::predicate());
    order.insert(order.end(), {row, filters, columns, filter, column});
    y.reorder(order).unroll(filter).vectorize(column);
    const Tensor square = s.cache_read(f.results, ir::Scope::kRegister, {f.y});
    s[square].unroll(s[square].axis(2)).vectorize(s[square].axis(3)).compute_at(y, columns);
    results.compute_at(y, tile_row);
  }
  const IterVar result_row = c.channels_last ? row : results.axis(1);
  const auto [tile_column, column] = results.split(results.axis(2), factor(x.tile), Tail::partition());
  const auto [vector, lane] =
      results.split(c.channels_last ? in_filters : results.axis(3), factor(x.lanes), Tail::predicate());
  std::vector<IterVar> result_order{tile_column, vector, result_row, column, lane};
  if (c.channels_last) {
    result_order.insert(result_order.begin(), order.begin(), order.end());
  } else {
    result_order.insert(result_order.begin(), results.axis(0));
  }
  results.reorder(result_order).unroll(result_row).unroll(column).vectorize(lane);
  Stage result_rows = s[f.result_rows];
  result_rows.set_scope(ir::Scope::kRegister).unroll(result_rows.axis(1)).unroll(result_rows.axis(3));
  result_rows.vectorize(result_rows.axis(4)).compute_at(results, vector);

  // Products.
  const Tensor sums = s.cache_write(f.products, ir::Scope::kRegister);
  Stage products = s[f.products];
  const auto [tiles, tile] = products.split(products.axis(2), factor(x.rows), Tail::partition());
  const auto [panel, in_panel] = products.split(products.axis(3), factor(x.vectors * x.lanes), Tail::predicate());
  const auto [panel_vector, panel_lane] = products.split(in_panel, factor(x.lanes));
  products.reorder({products.axis(0), products.axis(1), panel, tiles, tile, panel_vector, panel_lane});
  products.unroll(tile).unroll(panel_vector).vectorize(panel_lane);
  products.storage_align(products.axis(1), 1024, 16);
  products.compute_at(y, filter_block);
  Stage sum = s[sums];
  sum.compute_at(products, tiles);
  const auto [channels, channel] = sum.split(sum.loops().back(), factor(x.unroll), Tail::partition());
  const auto [sum_vector, sum_lane] = sum.split(sum.axis(3), factor(x.lanes));
  sum.reorder({sum.axis(0), sum.axis(1), channels, channel, sum.axis(2), sum_vector, sum_lane});
  sum.unroll(channel).unroll(sum.axis(2)).unroll(sum_vector).vectorize(sum_lane);

  // Weights.
  const Tensor packed = s.cache_read(f.weights, ir::Scope::kGlobal, {sums});
  s[f.weight_rows].compute_inline();
  s[f.weights].compute_inline();
  const std::vector<IterVar> in_packed = s.transform_layout(packed, [&](std::span<const Expr> at) {
    const Expr width(x.vectors * x.lanes);
    return std::vector<Expr>{at[0], at[1], at[3] / width, at[2], at[3] % width};
  });
  s[packed].reorder({in_packed[2], in_packed[3], in_packed[4], in_packed[0], in_packed[1]});
  s[packed].unroll(in_packed[0]).unroll(in_packed[1]);
  if (c.prepares_weights) {
    s[packed].prepare();
  } else if (parallel) {
    s[packed].parallel(in_packed[2]);
  }

  // Inputs.
  Stage inputs = s[f.inputs];
  const auto [input_vector, input_lane] = inputs.split(inputs.axis(3), factor(x.lanes), Tail::predicate());
  inputs.reorder({inputs.axis(2), input_vector, inputs.axis(0), inputs.axis(1), input_lane});
  inputs.unroll(inputs.axis(0)).unroll(inputs.axis(1)).vectorize(input_lane);
  inputs.storage_align(inputs.axis(1), 1024, 16);
  if (!x.filters_outer) {
    inputs.compute_at(y, row_block);
  } else if (parallel) {
    inputs.parallel(inputs.axis(2));
  }
  Stage input_rows = s[f.input_rows];
  input_rows.set_scope(ir::Scope::kRegister).unroll(input_rows.axis(0)).unroll(input_rows.axis(2));
  input_rows.vectorize(input_rows.axis(3)).compute_at(inputs, input_vector);

  // The image.
  Stage image = s[f.image];
  if (parallel) image.parallel(image.axis(1));
  const auto [image_vector, image_lane] = image.split(image.axis(3), factor(x.lanes), Tail::predicate());
  image.vectorize(image_lane);
  if (!c.channels_last) {
    const auto [columns, at] = image.split(image.axis(2), factor(x.lanes), Tail::partition());
    image.reorder({image.axis(0), image.axis(1), image_vector, columns, at, image_lane}).unroll(at);
    Stage padded = s[f.padded];
    padded.set_scope(ir::Scope::kRegister).unroll(padded.axis(1)).vectorize(padded.axis(3)).compute_at(image, columns);
  }
  return s;
}

std::string why_not(const Workload& workload, const Target&) {
  const Convolution c = conv2d_shape(workload);
  if (c.rows.filter != 3 || c.columns.filter != 3) return "it needs filters of 3 x 3";
  return {};
}

}  // namespace

Template conv2d_winograd_template() {
  return {"conv2d.winograd", 1, {DeviceKind::kCpu}, schedule_winograd, {}, why_not};
}

}  // namespace nestwright
