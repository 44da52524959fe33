// The GPU template of the transposition: tiles go through shared memory, so that both matrices are read and written by
// neighbouring threads along their rows.
//
//   blocks of X's rows and columns (either along blockIdx.x):
//     tile = X's rows and columns, fetched by all threads together               (padded rows: no bank twice)
//     threads along X's rows and along its columns, some elements of either each:
//       Y = tile's columns
//
// The tile lies as X does or as Y does: in the one case vectors are fetched, in the other they are stored.
#include "templates/framework/knobs/seed_table.h"
#include "templates/framework/space/completion.h"
#include "templates/loops/divide.h"
#include "templates/loops/gpu_threads.h"
#include "templates/transpose/transpose.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxSide = 64;  ///< of a tile

/// Rows or columns of X: blocks of `items` elements for each of `threads` threads, `threads` apart.
template <class Int>
struct SideOf {
  Int blocks, items, threads;
  Int of_block() const { return items * threads; }
  SideOf<std::int64_t> in_run() const { return {blocks, items, threads}; }
};
using Side = SideOf<std::int64_t>;
using SideKnobs = SideOf<KnobExpr>;

SideKnobs define_side(Tuning& t, const std::string& name, std::int64_t extent) {
  SplitOptions options{.parts = 3, .policy = SplitOptions::Policy::kPowerOfTwo, .max_factor = kMaxSide, .filter = {}};
  options.filter = [extent](std::span<const std::int64_t> parts) {
    const Side side{parts[0], parts[1], parts[2]};
    return side.of_block() <= kMaxSide && (side.items - 1) * side.threads < extent;
  };
  const PartsKnob parts = t.define_split(name, extent, options);
  return {parts[0], parts[1], parts[2]};
}

struct Knobs {
  bool as_y;  ///< how the tile lies
  Side rows, columns;
  std::int64_t lanes, padding;
  bool rows_along_x;
};

Knobs define_knobs(Tuning& t, std::int64_t rows, std::int64_t columns, Type type, const Target& target) {
  Knobs knobs;
  knobs.as_y = t.choose("tile", {"as_x", "as_y"}) == "as_y";
  const SideKnobs of_rows = define_side(t, "rows", rows), of_columns = define_side(t, "columns", columns);
  knobs.rows = of_rows.in_run();
  knobs.columns = of_columns.in_run();
  // Vectors run along the rows of the tile, in which no element lies past the end of the matrix.
  const std::int64_t length = knobs.as_y ? rows : columns;
  const SideKnobs& along = knobs.as_y ? of_rows : of_columns;
  const KnobExpr lanes = t.define_knob("lanes", vector_widths(length, type));
  const KnobExpr padding = t.define_knob("padding", {1, 4, 0});
  knobs.lanes = lanes;
  knobs.padding = padding;
  const KnobExpr run = knobs.as_y ? along.items : along.of_block();
  t.require(lanes == 1 || (padding % lanes == 0 && run % lanes == 0 && length % along.of_block() == 0),
            "vectors would lie across rows of the tile, or cross the end of the matrix");
  require_threads(t, of_rows.threads, of_columns.threads, rows * columns, target);
  t.require(
      values_of(padding, of_rows.of_block(), of_columns.of_block()),
      [as_y = knobs.as_y, bytes = type.bytes(), most = target.shared_bytes](std::int64_t pad, std::int64_t r,
                                                                            std::int64_t c) {
        return bytes * (as_y ? c * (r + pad) : r * (c + pad)) <= most;
      },
      "the tile does not fit into a block's shared memory");
  const OptionKnob blocks_x = t.define_annotate("blocks_x", {"columns", "rows"});
  knobs.rows_along_x = blocks_x == "rows";
  t.require(select(blocks_x == "columns", of_rows.blocks, of_columns.blocks) <= kMaxBlocks,
            "there are more than 65535 blocks along blockIdx.y");
  return knobs;
}

/// X, or its transpose if the tile is laid out as Y is, padded with zeros to whole tiles.
Tensor make_tile(const Tensor& x, std::int64_t rows, std::int64_t columns, const Knobs& knobs) {
  const std::int64_t padded_rows = ceil_div(rows, knobs.rows.of_block()) * knobs.rows.of_block(),
                     padded_columns = ceil_div(columns, knobs.columns.of_block()) * knobs.columns.of_block();
  std::vector<Expr> shape{Expr(padded_rows), Expr(padded_columns)};
  if (knobs.as_y) std::swap(shape[0], shape[1]);
  return compute(
      shape,
      [&](Expr i, Expr j) {
        if (knobs.as_y) std::swap(i, j);
        Expr inside;
        if (padded_rows > rows) inside = i < Expr(rows);
        if (padded_columns > columns) {
          inside = inside.defined() ? inside && j < Expr(columns) : j < Expr(columns);
        }
        return inside.defined() ? select(inside, x(i, j), ir::make_const(0, x.dtype())) : x(i, j);
      },
      "tile");
}

Schedule schedule_transpose(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const Tensor x = definition.args[0];
  const Knobs knobs = define_knobs(t, rows, columns, x.dtype(), target);
  const Tensor tile = make_tile(x, rows, columns, knobs);
  const Tensor y = definition.args[1] =
      compute({Expr(columns), Expr(rows)}, [&](Expr j, Expr i) { return knobs.as_y ? tile(j, i) : tile(i, j); }, "Y");
  Schedule s = create_schedule(y);

  const auto [column_block, in_columns] = s[y].split(s[y].axis(0), factor(knobs.columns.of_block()));
  const auto [column, column_thread] = s[y].split(in_columns, factor(knobs.columns.threads));
  auto [row_block, in_rows] = s[y].split(s[y].axis(1), factor(knobs.rows.of_block()));
  IterVar lane;
  if (knobs.as_y && knobs.lanes > 1) std::tie(in_rows, lane) = s[y].split(in_rows, factor(knobs.lanes));
  const auto [row, row_thread] = s[y].split(in_rows, factor(knobs.rows.threads));
  std::vector<IterVar> order{column_block, row_block, column_thread, row_thread, column, row};
  if (lane.defined()) order.push_back(lane);
  s[y].reorder(order).unroll(column).unroll(row);
  s[y].bind(column_block, knobs.rows_along_x ? kBlockIdxY : kBlockIdxX);
  s[y].bind(row_block, knobs.rows_along_x ? kBlockIdxX : kBlockIdxY);
  s[y].bind(column_thread, kThreadIdxY).bind(row_thread, kThreadIdxX);
  if (lane.defined()) s[y].vectorize(lane);

  s[tile].set_scope(ir::Scope::kShared).compute_at(s[y], row_thread);
  if (knobs.padding > 0) {
    const std::int64_t length = (knobs.as_y ? knobs.rows : knobs.columns).of_block() + knobs.padding;
    s[tile].storage_align(s[tile].axis(0), length + 1, length);
  }
  std::vector<IterVar> loops{s[tile].axis(0), s[tile].axis(1)};
  if (knobs.as_y) std::swap(loops[0], loops[1]);  // adjacent threads read adjacent elements of X
  fetch_cooperatively(s[tile], loops, {knobs.rows.threads, knobs.columns.threads}, knobs.as_y ? 1 : knobs.lanes);
  return s;
}

std::vector<Config> transpose_seeds(const Workload& workload, const Target& target) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  struct Block {
    std::int64_t side, x_threads, y_threads, lanes, padding;
  };
  std::vector<Config> seeds;
  for (const char* tile : {"as_x", "as_y"}) {
    for (const auto& [side, x, y, lanes, padding] :
         {Block{64, 16, 16, 4, 4}, {32, 32, 8, 1, 1}, {32, 8, 32, 1, 1}, {64, 32, 16, 4, 4}}) {
      append(seeds, seed_rows({"tile", "rows", "columns", "lanes", "padding"},
                              {{tile, KnobValue{ceil_div(rows, side), side / x, x},
                                KnobValue{ceil_div(columns, side), side / y, y}, lanes, padding}}));
    }
  }
  return complete_seeds(transpose_gpu_template(), workload, target, seeds);
}

}  // namespace

Template transpose_gpu_template() { return {"transpose.gpu", 1, gpus(), schedule_transpose, transpose_seeds}; }

}  // namespace nestwright
