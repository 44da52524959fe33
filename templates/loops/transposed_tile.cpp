#include "templates/loops/transposed_tile.h"

#include <algorithm>

#include "templates/loops/candidates.h"
#include "templates/loops/divide.h"
#include "templates/loops/vectors.h"

namespace nestwright {

TransposedLoops split_transposed_tiles(Tuning& t, Stage stage, std::vector<IterVar> outer, const IterVar& row,
                                       const IterVar& column, ir::Type type, const Target& target) {
  const std::int64_t rows = *ir::as_const_int(row.extent()), columns = *ir::as_const_int(column.extent());
  const std::int64_t full = full_lanes(std::max(rows, columns), type, target);
  std::vector<std::int64_t> sides;
  for (std::int64_t side = full; side >= 4 || side == full; side /= 2) sides.push_back(side);
  const KnobExpr side = t.define_knob("tile", sides);
  const std::vector<std::int64_t> counts{1, 2, 4, 8, 16, 32, 64, 128};
  const KnobExpr row_tiles = t.define_knob("row_tiles", up_to(counts, ceil_div(rows, sides.back()))),
                 column_tiles = t.define_knob("column_tiles", up_to(counts, ceil_div(columns, sides.back())));
  const bool rows_outer = t.define_reorder("block_order", {{0, 1}, {1, 0}})[0] == 0,
             rows_outer_in_block = t.define_reorder("tile_order", {{0, 1}, {1, 0}})[0] == 0;
  t.require(side * (row_tiles - 1) < rows && side * (column_tiles - 1) < columns,
            "a block has tiles that lie wholly past the end");

  const auto [column_block, in_column_block] = stage.split(column, factor(side * column_tiles), Tail::partition());
  const auto [row_block, in_row_block] = stage.split(row, factor(side * row_tiles), Tail::partition());
  const auto [column_tile, in_column] = stage.split(in_column_block, factor(side), Tail::partition());
  const auto [row_tile, in_row] = stage.split(in_row_block, factor(side), Tail::predicate());
  TransposedLoops loops{row_block, column_block, {row_block, column_block}, {}};
  if (!rows_outer) std::swap(loops.blocks[0], loops.blocks[1]);
  std::vector<IterVar> order = std::move(outer);
  order.insert(order.end(), loops.blocks.begin(), loops.blocks.end());
  if (rows_outer_in_block) {
    order.insert(order.end(), {row_tile, column_tile});
  } else {
    order.insert(order.end(), {column_tile, row_tile});
  }
  loops.innermost = order.back();
  order.insert(order.end(), {in_column, in_row});
  stage.reorder(order).unroll(in_column).vectorize(in_row);
  return loops;
}

void read_transposed_tiles(Schedule& s, const Tensor& tensor, const Tensor& reader, int row_dimension,
                           int column_dimension, const IterVar& innermost) {
  const Tensor tile = s.cache_read(tensor, ir::Scope::kRegister, {reader});
  s[tile].compute_at(s[reader], innermost);
  s[tile].unroll(s[tile].axis(row_dimension)).vectorize(s[tile].axis(column_dimension));
}

}  // namespace nestwright
