// transposed_tile: points that read a tensor whose contiguous axis is not their own last one are computed in tiles. The
// threads of a block fetch the tensor's part of a tile into shared memory together, along its rows, and then compute
// the points along the rows of the result: neighbouring threads access neighbouring elements both times.
//
//   for i: for j: C[i, j] = A[j, i]     ->     blocks of i and j:
//                                                tile = A[block's j, block's i], by all threads          (padded rows)
//                                                threads i and j: C[i, j] = tile[j, i]
//
// A block has one point of each other axis. That threads read such tensors in place (elements) remains a choice.
#include <algorithm>
#include <tuple>

#include "templates/loops/candidates.h"
#include "templates/loops/gpu_threads.h"
#include "templates/sketch/gpu/gpu_rules.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMinSide = 8;     ///< of a tile: below, reads along a row are too short to pay
constexpr std::int64_t kMaxPoints = 16;  ///< of a thread

/// A read across the rows of the stage.
struct AcrossRead {
  std::size_t access = 0;
  int row_dimension = -1;  ///< of the tensor: the one whose index moves with the stage's last axis
};

struct PointTile {
  int axis = -1;  ///< of the stage: the one along which the tensors are contiguous; -1: there are none
  std::vector<AcrossRead> reads;
};

struct PointTileKnobs {
  std::int64_t x = 1, y = 1;  ///< points of a block along the last axis of the stage, and along tile.axis
  BlockThreads threads;
  std::int64_t store_lanes = 1;
  std::int64_t padding = 0;               ///< elements behind each row of the tensors' parts
  std::vector<std::int64_t> fetch_lanes;  ///< of tile.reads
  bool y_innermost = false;               ///< the blocks along tile.axis
};

/// The only dimension whose index mentions the axis, if it moves by 1 with it; -1 where there is none.
int dimension_along(const OperandAccess& access, int axis) {
  int found = -1;
  for (std::size_t d = 0; d < access.axes.size(); ++d) {
    if (std::find(access.axes[d].begin(), access.axes[d].end(), axis) == access.axes[d].end()) continue;
    if (found >= 0 || access.step_of(axis, d) != 1) return -1;
    found = static_cast<int>(d);
  }
  return found;
}

bool has_affine_indices(const OperandAccess& access) {
  for (std::size_t d = 0; d < access.steps.size(); ++d) {
    if (!access.is_affine(d)) return false;
  }
  return true;
}

/// The axis along which a read is contiguous, if it is long enough for a tile; -1 where there is none.
int contiguous_axis(const StageAnalysis& stage, const OperandAccess& access) {
  const int column = static_cast<int>(access.axes.size()) - 1;
  for (int axis = 0; axis + 1 < stage.spatial; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (stage.extents[at] >= kMinSide && access.strides[at] == std::int64_t{1} &&
        dimension_along(access, axis) == column) {
      return axis;
    }
  }
  return -1;
}

PointTile point_tile_of(const StageAnalysis& stage) {
  const int last = stage.spatial - 1;
  PointTile tile;
  if (stage.extents[static_cast<std::size_t>(last)] < kMinSide || stage.result_stride(last) != 1) return tile;
  for (std::size_t i = 0; i < stage.accesses.size(); ++i) {
    const OperandAccess& access = stage.accesses[i];
    if (!access.tensor.defined() || access.tensor.op()->results.size() > 1) continue;
    if (stage.reads_of(access.tensor) > 1 || !has_affine_indices(access)) continue;
    const int axis = contiguous_axis(stage, access), row = dimension_along(access, last);
    if (axis < 0 || row < 0 || row + 1 == access.tensor.rank()) continue;
    if (tile.axis >= 0 && tile.axis != axis) continue;
    tile.axis = axis;
    tile.reads.push_back({i, row});
  }
  return tile;
}

std::int64_t bytes_of_element(const StageAnalysis& stage, const AcrossRead& read) {
  return stage.accesses[read.access].tensor.dtype().bytes();
}

/// Whether the parts of a smallest tile fit into a block's shared memory.
bool may_fit(const StageAnalysis& stage, const PointTile& tile, const Target& target) {
  std::int64_t bytes = 0;
  for (const AcrossRead& read : tile.reads) bytes += kMinSide * kMinSide * bytes_of_element(stage, read);
  return bytes <= target.shared_bytes;
}

/// Sides of a tile along an axis.
std::vector<std::int64_t> sides_up_to(std::int64_t extent) { return up_to({32, 64, 16, kMinSide}, extent); }

PointTileKnobs define_point_tile(GpuSketch& sketch, int number, const PointTile& tile) {
  const StageAnalysis& stage = sketch.of(number);
  const Target& target = sketch.target;
  ScopedTuning t = sketch.knobs_of(number);
  const std::int64_t columns = stage.extents[static_cast<std::size_t>(stage.spatial - 1)],
                     rows = stage.extents[static_cast<std::size_t>(tile.axis)];
  const std::vector<std::int64_t> x_sides = sides_up_to(columns), y_sides = sides_up_to(rows);
  const std::int64_t most = std::ranges::max(x_sides) * std::ranges::max(y_sides);
  const KnobExpr x = t.define_knob("tile_x", x_sides), y = t.define_knob("tile_y", y_sides);
  const KnobExpr threads_x = t.define_knob("threads_x", up_to({32, 16, 8, 64, 4}, columns)),
                 threads_y = t.define_knob("threads_y", up_to({8, 16, 32, 4, 64, 2, 1}, rows));
  const KnobExpr store_lanes = t.define_knob("store_lanes", vector_widths(columns, stage.tensor.dtype()));
  const KnobExpr padding = t.define_knob("padding", {1, 4, 0});
  PointTileKnobs knobs;
  KnobExpr bytes = 0;
  for (const AcrossRead& read : tile.reads) {
    const OperandAccess& access = stage.accesses[read.access];
    const std::int64_t length = *ir::as_const_int(access.tensor.shape().back());
    const bool has_vectors = access.identity.back() == tile.axis;
    const KnobExpr lanes = t.define_knob("fetch_lanes_" + std::to_string(read.access),
                                         vector_widths(has_vectors ? length : 1, access.tensor.dtype()));
    t.require(lanes == 1 || KnobExpr(length) % y == 0, "vectors that are fetched would cross the end of a row");
    knobs.fetch_lanes.push_back(lanes);
    bytes = bytes + ceil_div(x * (y + padding) * bytes_of_element(stage, read), kSharedAlignment) * kSharedAlignment;
  }
  t.require(bytes <= target.shared_bytes, "the tile does not fit into a block's shared memory");
  t.require(store_lanes == 1 || KnobExpr(columns) % x == 0, "vectors that are stored would cross the end of a row");
  t.require(threads_x * store_lanes <= x && threads_y <= y, "a tile has fewer points than its threads compute");
  t.require((x / threads_x) * (y / threads_y) <= kMaxPoints, "a thread has more than 16 points");
  require_threads(t, threads_x, threads_y, most, target);
  knobs.x = x;
  knobs.y = y;
  knobs.threads = {threads_x, threads_y};
  knobs.store_lanes = store_lanes;
  knobs.padding = padding;
  knobs.y_innermost = t.define_annotate("blocks_inner", {"last", "first"}) == "first";
  return knobs;
}

/// Splits and binds the loops of the stage. Returns the innermost loop over threads.
IterVar bind_point_tile(Stage loops, int last, int axis, const PointTileKnobs& knobs) {
  std::vector<IterVar> blocks;
  for (int a = 0; a < last; ++a) {
    if (a != axis) blocks.push_back(loops.axis(a));
  }
  const auto [y_block, in_y] = loops.split(loops.axis(axis), factor(knobs.y));
  const auto [y, y_thread] = loops.split(in_y, factor(knobs.threads.y));
  auto [x_block, in_x] = loops.split(loops.axis(last), factor(knobs.x));
  IterVar lane;
  if (knobs.store_lanes > 1) std::tie(in_x, lane) = loops.split(in_x, factor(knobs.store_lanes));
  const auto [x, x_thread] = loops.split(in_x, factor(knobs.threads.x));
  blocks.push_back(knobs.y_innermost ? x_block : y_block);
  blocks.push_back(knobs.y_innermost ? y_block : x_block);
  std::vector<IterVar> order = blocks;
  order.insert(order.end(), {y_thread, x_thread, y, x});
  if (lane.defined()) order.push_back(lane);
  loops.reorder(order).unroll(y).unroll(x);
  IterVar block = blocks.front();
  for (std::size_t b = 1; b < blocks.size(); ++b) block = loops.fuse(block, blocks[b]);
  loops.bind(block, kBlockIdxX).bind(y_thread, kThreadIdxY).bind(x_thread, kThreadIdxX);
  if (lane.defined()) loops.vectorize(lane);
  return x_thread;
}

}  // namespace

bool has_transposed_gpu_tile(GpuSketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (stage.is_reduction || stage.is_scan_part || stage.results > 1 || stage.spatial < 2) return false;
  if (stage.has_branch) return false;  // it may read outside of a tensor where its condition does not hold
  const PointTile tile = point_tile_of(stage);
  return tile.axis >= 0 && may_fit(stage, tile, sketch.target) &&
         sketch.choose_once(stage.name + ".staging", {"shared", "none"}) == "shared";
}

void schedule_transposed_gpu_tile(GpuSketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  const PointTile tile = point_tile_of(stage);
  const PointTileKnobs knobs = define_point_tile(sketch, number, tile);
  Schedule& s = sketch.schedule;
  const IterVar thread = bind_point_tile(s[stage.tensor], stage.spatial - 1, tile.axis, knobs);
  for (std::size_t n = 0; n < tile.reads.size(); ++n) {
    const Tensor& tensor = stage.accesses[tile.reads[n].access].tensor;
    const Tensor shared = s.cache_read(tensor, ir::Scope::kShared, {stage.tensor});
    Stage part = s[shared];
    part.compute_at(s[stage.tensor], thread);
    if (knobs.padding > 0) {
      const std::int64_t length = knobs.y + knobs.padding;
      part.storage_align(part.axis(tile.reads[n].row_dimension), length + 1, length);
    }
    fetch_cooperatively(part, part.loops(), knobs.threads, knobs.fetch_lanes[n]);
  }
  sketch.add_nest({SketchNest::Kind::kTiles, number, {}});
}

}  // namespace nestwright
