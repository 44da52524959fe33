#include "templates/sketch/gpu/block_rows.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "templates/loops/candidates.h"
#include "templates/loops/gpu_threads.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxRowsOfBlock = 8;
constexpr std::int64_t kMinShared = 64;  ///< steps of the loops of a reduction that threads share, if it has so many

std::int64_t bytes_of_point(const StageAnalysis& stage) {
  // All members of a tuple, each as wide as the widest type (8 bytes).
  return stage.results == 1 ? stage.tensor.dtype().bytes() : 8 * stage.results;
}

/// The points of a row.
std::int64_t columns_of(const StageAnalysis& stage, int row_axes) {
  std::int64_t product = 1;
  for (int a = row_axes; a < stage.spatial; ++a) product *= stage.extents[static_cast<std::size_t>(a)];
  return product;
}

/// Fuses the innermost loops of the reduction until they have kMinShared iterations, if there are so many, and returns
/// the result.
IterVar loop_to_share(Stage loops, const StageAnalysis& stage) {
  IterVar shared = loops.reduce_axis(stage.reduced() - 1);
  for (int a = stage.reduced() - 2; a >= 0 && *ir::as_const_int(shared.extent()) < kMinShared; --a) {
    shared = loops.fuse(loops.reduce_axis(a), shared);
  }
  return shared;
}

}  // namespace

bool is_of_rows(const GpuSketch& sketch, int number, const SketchRelation& relation, int row_axes) {
  const StageAnalysis& stage = sketch.of(number);
  if (stage.is_output || stage.is_scan_part || stage.readers.empty() || sketch.is_contraction(number)) return false;
  if (stage.spatial < row_axes) return false;
  for (int d = 0; d < row_axes; ++d) {
    if (relation.identity[static_cast<std::size_t>(d)] != d) return false;
  }
  const std::int64_t columns = columns_of(stage, row_axes);
  if (stage.is_reduction) return columns == 1;
  return stage.results == 1 && columns * bytes_of_point(stage) <= sketch.target.shared_bytes / 2;
}

RowShape common_row_axes(const GpuSketch& sketch, int root) {
  RowShape rows;
  sketch.for_each_follower(root, [&](int i, const SketchRelation& relation) {
    const StageAnalysis& stage = sketch.of(i);
    if (stage.is_output) return false;
    int leading = 0;
    while (leading < std::min(stage.spatial, sketch.of(root).spatial) &&
           relation.identity[static_cast<std::size_t>(leading)] == leading) {
      ++leading;
    }
    if (leading == 0 || !is_of_rows(sketch, i, relation, rows.axes == 0 ? leading : rows.axes)) return false;
    if (stage.is_reduction) {
      if (rows.axes == 0) rows.axes = leading;
      rows.may_have_several = rows.may_have_several && stage.spatial == rows.axes;
    }
    return true;
  });
  return rows;
}

RowBlockNest define_row_block(GpuSketch& sketch, int number, const RowShape& rows, std::int64_t columns) {
  ScopedTuning t = sketch.knobs_of(number);
  const StageAnalysis& stage = sketch.of(number);
  std::vector<std::int64_t> threads = block_sizes(sketch.target);
  std::erase_if(threads, [columns, least = threads.front()](std::int64_t count) {
    return count > least && count >= 2 * columns;
  });
  const std::int64_t last = stage.extents[static_cast<std::size_t>(rows.axes - 1)];
  RowBlockNest nest;
  nest.stage = number;
  nest.row_axes = rows.axes;
  nest.threads_knob = t.define_knob("threads", threads);
  nest.rows_knob = t.define_knob("rows", powers_up_to(rows.may_have_several ? std::min(kMaxRowsOfBlock, last) : 1));
  nest.fan_in = t.define_knob("fan_in", {4, 2, 8, 1024});
  nest.unroll = t.define_knob("unroll", {1, 4, 8});
  require_threads(t, nest.threads_knob, nest.rows_knob, sketch.target.warp, sketch.target);
  nest.threads = nest.threads_knob;
  nest.rows = nest.rows_knob;
  return nest;
}

IterVar bind_rows(Stage stage, int spatial, RowBlockNest& nest, std::int64_t lanes) {
  std::vector<IterVar> blocks, columns;
  for (int a = 0; a + 1 < nest.row_axes; ++a) blocks.push_back(stage.axis(a));
  for (int a = nest.row_axes; a < spatial; ++a) columns.push_back(stage.axis(a));
  RowLoops rows = split_rows(stage, stage.axis(nest.row_axes - 1), nest.rows);
  blocks.push_back(rows.block);
  IterVar item, lane;
  if (columns.empty()) {
    // A loop of one iteration becomes one over all threads, of which the first has the value.
    std::tie(rows.inside, nest.at) = stage.split(rows.inside, factor(nest.threads));
  } else {
    if (lanes > 1) std::tie(columns.back(), lane) = stage.split(columns.back(), factor(lanes));
    IterVar all = columns.front();
    for (std::size_t c = 1; c < columns.size(); ++c) all = stage.fuse(all, columns[c]);
    std::tie(item, nest.at) = stage.split(all, factor(nest.threads));
  }
  std::vector<IterVar> order = blocks;
  for (const IterVar& loop : {rows.y, nest.at, rows.inside, item, lane}) {
    if (loop.defined()) order.push_back(loop);
  }
  stage.reorder(order);
  IterVar block = blocks.front();
  for (std::size_t b = 1; b < blocks.size(); ++b) block = stage.fuse(block, blocks[b]);
  stage.bind(block, kBlockIdxX).bind(nest.at, kThreadIdxX);
  if (rows.y.defined()) stage.bind(rows.y, kThreadIdxY);
  if (lane.defined()) stage.vectorize(lane);
  return rows.inside;
}

ReducedRows split_reduction(GpuSketch& sketch, int number, std::int64_t threads, std::int64_t fan_in,
                            bool threads_first) {
  const StageAnalysis& stage = sketch.of(number);
  Schedule& s = sketch.schedule;
  const Tensor& y = stage.tensor;
  const int axis = threads_first ? 0 : stage.spatial;
  ReducedRows reduced{{}, y, threads_first};
  const IterVar shared = loop_to_share(s[y], stage);
  const auto steps = static_cast<std::uint64_t>(*ir::as_const_int(shared.extent()));
  std::int64_t left = std::min<std::int64_t>(threads, static_cast<std::int64_t>(std::bit_floor(steps)));
  reduced.shares.push_back(s.rfactor(y, s[y].split(shared, factor(left)).second, axis));
  for (; left > fan_in; left /= fan_in) {
    const IterVar partial = s[y].loops().back();
    reduced.shares.push_back(s.rfactor(y, s[y].split(partial, factor(left / fan_in)).second, axis));
  }
  return reduced;
}

bool has_shared_bytes(const GpuSketch& sketch, const RowBlockNest& nest, const RowBytes& more) {
  RowBytes all = nest.shared_bytes;
  all += more;
  return all.of_block(block_sizes(sketch.target).front(), std::int64_t{1}) <= sketch.target.shared_bytes;
}

RowBytes bytes_of_rows(const StageAnalysis& stage, int row_axes) {
  if (stage.is_reduction && stage.reduced_points() > 1) {
    return {.of_row = 2 * bytes_of_point(stage), .of_thread = 2 * bytes_of_point(stage)};
  }
  return {.of_row = columns_of(stage, row_axes) * bytes_of_point(stage)};
}

}  // namespace nestwright
