#include "templates/sketch/nests/register_tile.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "templates/loops/candidates.h"
#include "templates/loops/register_tile.h"
#include "templates/loops/vectors.h"
#include "templates/sketch/nests/pack.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxUnrolled = 512;  ///< operations in the body of the innermost loop
constexpr std::int64_t kFewRows = 16;       ///< of the row axis: a tile may take rows of a second axis, too
constexpr int kWidened = 5;                 ///< registers where operands and sums are widened for each operation
constexpr std::int64_t kTasks = 8;          ///< of each thread: with so many, no further loop is parallel

std::int64_t extent_of(const StageAnalysis& stage, int axis) {
  return axis < 0 ? 1 : stage.extents[static_cast<std::size_t>(axis)];
}

/// Numbers of blocks to divide `tiles` tiles into.
std::vector<std::int64_t> block_counts(std::int64_t tiles) {
  return up_to({1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 256}, tiles);
}

/// The number of adjacent points of `axis` that read the same element where an index is a quotient, as in X[c/4]; 0: no
/// index is.
std::int64_t steady_lanes(const StageAnalysis& stage, int axis) {
  std::int64_t common = 0;
  for (const OperandAccess& access : stage.accesses) {
    const std::int64_t broadcast_period = access.broadcast_period[static_cast<std::size_t>(axis)];
    if (broadcast_period > 1) common = std::gcd(common, broadcast_period);
  }
  return common;
}

/// Widths of a vector in elements: the register's first, then narrower ones that leave fewer lanes idle. If wider
/// vectors would gather elements that stay the same over `broadcast_period` points, only widths that divide
/// `broadcast_period`.
std::vector<std::int64_t> lane_counts(std::int64_t extent, std::int64_t broadcast_period, ir::Type type,
                                      const Target& target) {
  constexpr std::int64_t kMinWidth = 4;
  std::vector<std::int64_t> widths{full_lanes(extent, type, target)};
  for (std::int64_t width = widths.front() / 2; width >= kMinWidth; width /= 2) {
    const bool gathers = broadcast_period % widths.back() != 0 && broadcast_period % width == 0;
    const bool has_fewer_idle = ceil_div(extent, width) * width < ceil_div(extent, widths.back()) * widths.back();
    if (gathers) widths.clear();
    if (gathers || has_fewer_idle) widths.push_back(width);
  }
  return widths;
}

std::vector<std::int64_t> k_block_counts(std::int64_t extent, std::int64_t steps) {
  std::vector<std::int64_t> counts;
  for (const std::int64_t count : {2, 3, 4, 6, 8, 12, 16, 24, 32, 64}) {
    if (is_even_division(extent, std::int64_t{count}) && ceil_div(extent, std::int64_t{count}) * steps >= 32)
      counts.push_back(count);
  }
  return counts;
}

/// Orders of the groups that there are; axes that are not tiled are never inside the reduction's blocks.
std::vector<std::vector<int>> group_orders(const TileAxes& axes) {
  std::vector<int> order;
  if (!axes.others.empty() || axes.second_row >= 0) order.push_back(static_cast<int>(BlockGroup::kOther));
  if (axes.row >= 0) order.push_back(static_cast<int>(BlockGroup::kRows));
  order.push_back(static_cast<int>(BlockGroup::kVectors));
  if (axes.blocked) order.push_back(static_cast<int>(BlockGroup::kReduction));
  std::vector<std::vector<int>> orders;
  if (axes.is_inner) return {order};
  const auto at = [&](BlockGroup group) { return std::find(order.begin(), order.end(), static_cast<int>(group)); };
  do {
    if (order.back() != static_cast<int>(BlockGroup::kOther) && at(BlockGroup::kReduction) != order.end() &&
        at(BlockGroup::kOther) != order.end() && at(BlockGroup::kReduction) < at(BlockGroup::kOther)) {
      continue;
    }
    if (axes.blocked && order.back() == static_cast<int>(BlockGroup::kOther)) continue;
    orders.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

/// Orders of the axes of the reduction: as written, and with the longest one innermost.
std::vector<std::vector<int>> reduce_orders(const StageAnalysis& stage) {
  std::vector<int> order(static_cast<std::size_t>(stage.reduced()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::vector<std::vector<int>> orders{order};
  const auto first = stage.extents.begin() + stage.spatial;
  const auto longest = static_cast<std::size_t>(std::max_element(first, stage.extents.end()) - first);
  if (longest + 1 < order.size()) {
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(longest));
    order.push_back(static_cast<int>(longest));
    orders.push_back(order);
  }
  return orders;
}

/// The numbers, as knobs.
struct TileNumbers {
  KnobExpr lanes = 1, vectors = 1, rows = 1, second_rows = 1;
  KnobExpr row_blocks = 1, vector_blocks = 1, k_blocks = 1, unroll = 1, fused = 0;
  PartsKnob order, reduce_order;
  OptionKnob tail;
};

/// What constraints capture, by value because they outlive the run.
struct Extents {
  std::int64_t vector, row, second_row;
  std::vector<std::int64_t> others, reduce;
};

std::int64_t short_segment(std::int64_t extent, std::int64_t rows, bool composed) {
  return composed ? second_segment(extent, rows) : 0;
}

bool reads_narrow_floats(const StageAnalysis& stage) {
  return std::any_of(stage.accesses.begin(), stage.accesses.end(), [](const OperandAccess& access) {
    return access.tensor.defined() && access.tensor.dtype().is_narrow_float();
  });
}

/// The number of steps of an axis in one basic block: if the loop has a single iteration, its remainder is in the same
/// block.
std::int64_t steps_together(std::int64_t extent, std::int64_t unroll) { return extent < 2 * unroll ? extent : unroll; }

void require_register_tile(ScopedTuning& t, const StageAnalysis& sums, const Extents& e, const TileNumbers& x,
                           const TileAxes& axes, const Target& target) {
  t.require(fits_registers(x.rows * x.second_rows, x.vectors, target),
            "accumulators, vectors of an operand and a broadcast need more vector registers than the target's " +
                std::to_string(target.vector_registers));
  t.require(
      values_of(x.rows, x.second_rows, x.vectors, x.unroll, x.lanes, x.reduce_order),
      [registers = TileRegisters(sums, axes, target)](std::int64_t rows, std::int64_t second, std::int64_t vectors,
                                                      std::int64_t unroll, std::int64_t lanes, const KnobValue& order) {
        return registers.hold({rows * second, vectors, unroll, lanes},
                              order.empty() ? 0 : static_cast<std::size_t>(order.back()));
      },
      "unrolled so often, the register tile does not stay in the target's vector registers");
  t.require(x.rows * x.second_rows * x.vectors * x.unroll <= kMaxUnrolled,
            "the unrolled loop body has more than 512 operations");
  t.require((x.vectors - 1) * x.lanes < e.vector, "the register tile has vectors that lie wholly past the end");
  t.require(
      values_of(x.reduce_order, x.unroll),
      [reduce = e.reduce](const KnobValue& order, std::int64_t unroll) {
        return order.empty() || unroll <= std::max<std::int64_t>(1, reduce[static_cast<std::size_t>(order.back())]);
      },
      "the innermost reduction is shorter than what is unrolled");
  if (axes.row >= 0) {
    t.require(
        values_of(x.rows, x.tail == "compose"),
        [extent = e.row](std::int64_t rows, std::int64_t composed) {
          return composed == 0 || second_segment(extent, rows) > 0;
        },
        "no second height of tiles makes the rows come out even");
  }
}

void require_blocks(ScopedTuning& t, const Extents& e, const TileNumbers& x, const TileAxes& axes,
                    const Target& target) {
  t.require(is_even_division(ceil_div(e.vector, x.vectors * x.lanes), x.vector_blocks),
            "the register tiles do not divide into that many blocks of equal size");
  if (axes.row >= 0) {
    t.require(
        values_of(x.rows, x.tail == "compose", x.row_blocks),
        [extent = e.row](std::int64_t rows, std::int64_t composed, std::int64_t blocks) {
          return is_even_division(count_tiles(extent, rows, short_segment(extent, rows, composed != 0)), blocks);
        },
        "the register tiles do not divide into that many blocks of equal size");
  }
  if (axes.takes_blocks) {
    t.require(
        values_of(x.order, x.vector_blocks),
        [](const KnobValue& order, std::int64_t vector_blocks) {
          const auto at = [&](BlockGroup group) { return std::ranges::find(order, static_cast<std::int64_t>(group)); };
          return vector_blocks == 1 || at(BlockGroup::kRows) < at(BlockGroup::kVectors);
        },
        "blocks of vectors are inside of the blocks of rows, for each of which operands are computed");
  }
  t.require(
      values_of(x.order, x.row_blocks, x.vector_blocks, x.second_rows, x.fused),
      [e, threads = target.threads](const KnobValue& order, std::int64_t row_blocks, std::int64_t vector_blocks,
                                    std::int64_t second_rows, std::int64_t fused) {
        std::vector<std::int64_t> extents;
        bool seen_single = false;
        int last_single = -1;
        for (const std::int64_t number : order) {
          const auto group = static_cast<BlockGroup>(number);
          const std::int64_t blocks = group == BlockGroup::kRows ? row_blocks : vector_blocks;
          const bool is_single = blocks == 1 && (group == BlockGroup::kRows || group == BlockGroup::kVectors);
          if (seen_single && (!is_single || number < last_single)) return false;
          if (is_single) {
            seen_single = true;
            last_single = static_cast<int>(number);
          }
          if (group == BlockGroup::kOther) {
            extents.insert(extents.end(), e.others.begin(), e.others.end());
            if (e.second_row > 0) extents.push_back(ceil_div(e.second_row, second_rows));
          } else {
            extents.push_back(group == BlockGroup::kReduction ? 0 : blocks);
          }
        }
        if (fused == 0) return true;
        if (fused > static_cast<std::int64_t>(extents.size())) return false;
        std::int64_t tasks = 1;
        for (std::int64_t i = 0; i < fused; ++i) {
          if (i > 0 && tasks >= kTasks * threads) return false;
          tasks *= extents[static_cast<std::size_t>(i)];
          if (i + 1 == fused && extents[static_cast<std::size_t>(i)] == 1) return false;
        }
        return tasks >= 2;
      },
      "loops over single blocks are the innermost ones, and the parallel loop has two iterations or more, of no more "
      "loops than keep the threads busy");
}

}  // namespace

TileRegisters::TileRegisters(const StageAnalysis& sums, const TileAxes& axes, const Target& target)
    : target_(target),
      extent_(extent_of(sums, axes.vector)),
      reduce_(sums.extents.begin() + sums.spatial, sums.extents.end()),
      strided_(std::any_of(sums.accesses.begin(), sums.accesses.end(),
                           [&](const OperandAccess& access) {
                             const auto stride = access.strides[static_cast<std::size_t>(axes.vector)];
                             return (!stride || (*stride != 0 && *stride != 1)) &&
                                    !is_packed(sums, access, axes.vector);
                           })),
      fused_(sums.tensor.dtype().is_float() && !sums.tensor.dtype().is_narrow_float() &&
             (target.has_masks() || !reads_narrow_floats(sums))),
      others_(std::max(0, sums.operations - 1) + (sums.tensor.dtype().is_narrow_float() ? kWidened : 0)) {
  for (int axis = sums.spatial; axis < sums.spatial + sums.reduced(); ++axis) {
    const std::int64_t of_rows = overlapping_steps(sums, axes.row, axis);
    overlapping_.push_back(of_rows > 0 ? of_rows : overlapping_steps(sums, axes.second_row, axis));
  }
}

bool TileRegisters::hold(const Body& body, std::size_t innermost) const {
  // This is the smallest tile: it is accepted even if it needs more registers than there are.
  if (body.rows * body.vectors * body.unroll == 1) return true;
  const std::int64_t rest = extent_ % (body.vectors * body.lanes) % body.lanes;
  const bool overlaps =
      overlapping_[innermost] > 0 && steps_together(reduce_[innermost], body.unroll) >= overlapping_[innermost];
  return stays_in_registers({body.rows, max_vectors(extent_, body.vectors, body.lanes, target_), body.unroll, strided_,
                             rest > 0, is_narrower_vector(rest, body.lanes), others_, fused_, overlaps},
                            target_);
}

std::int64_t overlapping_steps(const StageAnalysis& sums, int row, int axis) {
  for (const OperandAccess& access : sums.accesses) {
    for (std::size_t d = 0; d < access.axes.size(); ++d) {
      const std::int64_t of_row = access.step_of(row, d), of_reduction = access.step_of(axis, d);
      if (of_row != 0 && of_reduction != 0) return ceil_div(std::abs(of_row), std::abs(of_reduction)) + 1;
    }
  }
  return 0;
}

/// Candidates for the number of outermost loops that threads share: 0 in a serial sketch, and for a stage that is a
/// single tile.
std::vector<std::int64_t> shared_loops(bool parallel, const Extents& e, std::int64_t tiles) {
  const bool is_single = tiles == 1 && e.row <= 1 && e.second_row <= 1 && e.others.empty();
  return parallel && !is_single ? std::vector<std::int64_t>{1, 2, 3} : std::vector<std::int64_t>{0};
}

TileAxes tile_axes(Sketch& sketch, int sums, int stored, int vector) {
  const StageAnalysis& stage = sketch.of(sums);
  TileAxes axes{.sums = sums, .stored = stored, .vector = vector};
  axes.row = row_axis(stage, vector);
  axes.transposed = is_transposed(stage, vector);
  if (axes.row >= 0 && extent_of(stage, axes.row) <= kFewRows) axes.second_row = row_axis(stage, vector, axes.row);
  for (int a = 0; a < stage.spatial; ++a) {
    if (a == axes.vector || a == axes.row || a == axes.second_row) continue;
    (extent_of(stage, a) > 1 ? axes.others : axes.singles).push_back(a);
  }
  return axes;
}

TileKnobs define_tile_knobs(Sketch& sketch, const TileAxes& axes) {
  ScopedTuning t = sketch.knobs_of(axes.sums);
  const StageAnalysis& sums = sketch.of(axes.sums);
  const Target& target = sketch.target;
  Extents e{extent_of(sums, axes.vector),
            extent_of(sums, axes.row),
            axes.second_row < 0 ? 0 : extent_of(sums, axes.second_row),
            {},
            {sums.extents.begin() + sums.spatial, sums.extents.end()}};
  for (const int axis : axes.others) e.others.push_back(extent_of(sums, axis));

  std::vector<std::int64_t> heights;
  for (std::int64_t rows = 1; rows <= e.row && fits_registers(rows, std::int64_t{1}, target); ++rows) {
    heights.push_back(rows);
  }
  const bool may_compose =
      std::any_of(heights.begin(), heights.end(), [&](std::int64_t rows) { return second_segment(e.row, rows) > 0; });
  const std::vector<std::int64_t> widths =
      lane_counts(e.vector, steady_lanes(sums, axes.vector), widest_type(sums), target);
  const std::int64_t tiles = ceil_div(e.vector, widths.back());
  const std::int64_t steps = sums.reduced() > 0 ? sums.reduced_points() / e.reduce.front() : 1;
  const KnobExpr lanes = t.define_knob("vector_lanes", widths);
  const KnobExpr rows = t.define_knob("register_rows", heights);
  const KnobExpr second_rows = t.define_knob(
      "second_rows", axes.second_row < 0 ? std::vector<std::int64_t>{1} : up_to({1, 2, 3, 4, 7}, e.second_row));
  const KnobExpr vectors = t.define_knob("register_vectors", up_to({1, 2, 3, 4, 5, 6, 8, 10, 12, 15}, tiles));
  const KnobExpr row_blocks = t.define_knob("row_blocks", block_counts(axes.row < 0 || axes.is_inner ? 1 : e.row));
  const KnobExpr vector_blocks = t.define_knob("vector_blocks", block_counts(axes.is_inner ? 1 : tiles));
  const KnobExpr k_blocks =
      axes.blocked ? t.define_knob("blocks_k", k_block_counts(e.reduce.front(), steps)) : KnobExpr(1);
  const KnobExpr unroll =
      t.define_knob("unroll_k", up_to({1, 2, 3, 4, 5, 7, 8}, *std::max_element(e.reduce.begin(), e.reduce.end())));
  const OptionKnob tail =
      t.define_annotate("tail", may_compose && axes.stored >= 0 ? std::vector<std::string>{"partition", "compose"}
                                                                : std::vector<std::string>{"partition"});
  const PartsKnob order = t.define_reorder("block_order", group_orders(axes));
  const PartsKnob reduce_order = t.define_reorder("reduce_order", reduce_orders(sums));
  const PartsKnob tile_order =
      t.define_reorder("tile_order", axes.row < 0 ? std::vector<std::vector<int>>{{0, 1}}
                                                  : std::vector<std::vector<int>>{{0, 1}, {1, 0}});
  const KnobExpr fused = t.define_knob("parallel_loops", shared_loops(sketch.parallel && !axes.is_inner, e, tiles));
  const bool prefetches = t.define_knob("prefetch_result", {0, 1}) == 1;
  const TileNumbers x{lanes,    vectors, rows,  second_rows, row_blocks,   vector_blocks,
                      k_blocks, unroll,  fused, order,       reduce_order, tail};
  require_register_tile(t, sums, e, x, axes, target);
  require_blocks(t, e, x, axes, target);

  TileKnobs knobs;
  knobs.lanes = lanes;
  knobs.vectors = vectors;
  knobs.rows = rows;
  knobs.second_rows = second_rows;
  knobs.short_rows = short_segment(e.row, rows, (tail == "compose") != 0);
  knobs.row_tiles = ceil_div(count_tiles(e.row, rows, knobs.short_rows), std::int64_t{row_blocks});
  knobs.vector_tiles = ceil_div(ceil_div(e.vector, vectors * lanes), vector_blocks);
  if (axes.blocked) knobs.k_block = ceil_div(e.reduce.front(), std::int64_t{k_blocks});
  knobs.unroll = unroll;
  for (const std::int64_t axis : KnobValue(reduce_order)) knobs.reduce_order.push_back(static_cast<int>(axis));
  for (const std::int64_t group : KnobValue(order)) knobs.order.push_back(static_cast<BlockGroup>(group));
  knobs.tiles_of_vectors_outer = tile_order[0] == 1;
  if (axes.is_inner) {
    knobs.row_tiles = knobs.vector_tiles = 1;
    if (knobs.tiles_of_vectors_outer) std::swap(*(knobs.order.end() - 2), knobs.order.back());
  }
  knobs.fused = fused;
  knobs.prefetches_result = prefetches;
  return knobs;
}

}  // namespace nestwright
