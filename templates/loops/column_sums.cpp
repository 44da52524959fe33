#include "templates/loops/column_sums.h"

#include <algorithm>

#include "templates/loops/divide.h"
#include "templates/loops/reductions.h"

namespace nestwright {
namespace {

constexpr std::int64_t kUnrolledRows = 4;  ///< of a block at a time

/// Splits the columns into blocks that run in parallel if `sums.shares_columns`. Returns the loop over the columns of a
/// block.
IterVar share_columns(Tuning& t, Stage reduced, const ColumnSums& sums) {
  const int results = reduced.tensor().rank();
  IterVar column = reduced.axis(results - 1);
  const std::int64_t columns = *ir::as_const_int(column.extent());
  VectorBlocks blocks{1, columns};
  if (sums.shares_columns) {
    blocks = define_vector_blocks(t, columns, sums.tile);
    const auto [shared, inside] = reduced.split(column, factor(blocks.elements), Tail::partition());
    std::vector<IterVar> order{shared};
    for (int axis = 0; axis + 1 < results; ++axis) order.push_back(reduced.axis(axis));
    reduced.reorder(order).parallel(shared);
    column = inside;
  }
  if (sums.is_blocked) {
    const KnobExpr smallest = min(blocks.elements, columns - (blocks.count - 1) * blocks.elements);
    t.require(smallest / sums.tile.width() >= 2,
              "a block of columns has less than two tiles, which are better summed up as a whole");
  }
  return column;
}

/// Moves the loop over blocks of the reduction outside of `over`, the loop over tiles of columns.
void move_blocks_outside(Stage reduced, const IterVar& block, const IterVar& over) {
  std::vector<IterVar> order{block};
  for (const IterVar& loop : reduced.loops()) {
    if (loop == over || order.size() > 1) order.push_back(loop);
  }
  order.pop_back();  // `block`, which is now the first one
  reduced.reorder(order);
}

}  // namespace

IterVar schedule_column_tile(Stage tile, std::int64_t lanes, std::int64_t unrolled) {
  std::vector<IterVar> order = reduce_loops(tile);
  const auto [vector, lane] = tile.split(tile.axis(tile.tensor().rank() - 1), factor(lanes));
  tile.unroll(vector).vectorize(lane);
  const auto [outer, inner] = tile.split(order.back(), factor(unrolled), Tail::partition());
  tile.unroll(inner);
  order.back() = outer;
  order.insert(order.end(), {inner, vector, lane});
  tile.reorder(order);
  return outer;
}

bool may_block_column_sums(std::int64_t innermost, std::int64_t columns, std::int64_t lanes) {
  return innermost >= 16 && columns >= 4 * lanes;
}

void define_column_sums(Tuning& t, ColumnSums& sums, std::int64_t innermost, std::int64_t columns, ir::Type type,
                        const Target& target) {
  sums.tile = define_vectors(t, columns, type, target, max_sums(target));
  std::vector<std::int64_t> counts =
      sums.is_blocked ? std::vector<std::int64_t>{8, 16, 32, 64} : std::vector<std::int64_t>{1, 2, 4, 8};
  std::erase_if(counts, [&](std::int64_t count) { return count > innermost; });
  sums.rows = t.define_knob("rows_together", counts);
}

void schedule_column_sums(Tuning& t, Schedule& s, const Tensor& y, const Tensor& reduced, const ColumnSums& sums) {
  const VectorTile shape = sums.tile.in_run();
  Tensor tile;
  IterVar block;
  if (sums.is_blocked) {
    block = s[reduced].split(s[reduced].reduce_axis(0), factor(sums.rows), Tail::partition()).first;
    tile = s.cache_write(reduced, ir::Scope::kRegister, block);
  } else {
    tile = s.cache_write(reduced, ir::Scope::kRegister);
  }
  if (sums.shares_reduction) s[reduced].parallel(s[reduced].axis(0));
  const IterVar column = share_columns(t, s[reduced], sums);
  const IterVar over = split_vectors(s[reduced], column, shape);
  if (sums.is_blocked) move_blocks_outside(s[reduced], block, over);
  s[tile].compute_at(s[reduced], over);
  schedule_column_tile(s[tile], shape.lanes, sums.is_blocked ? kUnrolledRows : sums.rows);
  if (reduced == y) return;
  // The partial results are combined in vectors, too.
  const IterVar whole = s[y].axis(y.rank() - 1), last = s[y].loops().back();
  const auto [rest, elements] = s[y].split(whole, factor(shape.lanes), Tail::predicate());
  s[y].reorder({rest, last, elements}).vectorize(elements);
}

}  // namespace nestwright
