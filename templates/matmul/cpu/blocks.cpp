#include "templates/matmul/cpu/blocks.h"

namespace nestwright {

using Parallel = MatmulKnobs::Parallel;

std::pair<IterVar, IterVar> split_lanes(Stage stage, const IterVar& loop, std::int64_t lanes) {
  auto [vector, lane] = stage.split(loop, factor(lanes));
  stage.unroll(vector).vectorize(lane);
  return {vector, lane};
}

BlockLoops schedule_blocks(Stage c, const MatmulKnobs& knobs, const IterVar& k_blocks) {
  const int first = c.tensor().rank() - 2;  // before it comes the batch, where there is one
  const IterVar rows = c.axis(first + (knobs.vector_m ? 1 : 0)), columns = c.axis(first + (knobs.vector_m ? 0 : 1));
  const Tail tail = knobs.second_rows > 0 ? Tail::compose({knobs.rows, knobs.second_rows}) : Tail::partition();
  auto [row_tile, row] = c.split(rows, factor(knobs.rows), tail);
  auto [column_tile, column] = c.split(columns, factor(knobs.vectors * knobs.lanes), Tail::predicate());
  auto [row_block, row_tile_in] = c.split(row_tile, factor(knobs.row_tiles));
  auto [column_block, column_tile_in] = c.split(column_tile, factor(knobs.vector_tiles));
  auto [vector, lane] = split_lanes(c, column, knobs.lanes);
  c.unroll(row);

  BlockLoops blocks;
  const IterVar by_axis[] = {knobs.vector_m ? column_block : row_block, knobs.vector_m ? row_block : column_block,
                             k_blocks};
  const IterVar tile_m = knobs.vector_m ? column_tile_in : row_tile_in;
  const IterVar tile_n = knobs.vector_m ? row_tile_in : column_tile_in;
  blocks.order = knobs.block_order;
  for (const int axis : blocks.order) blocks.loops.push_back(by_axis[axis]);
  if (first > 0) {
    blocks.order.insert(blocks.order.begin(), kAxisBatch);
    blocks.loops.insert(blocks.loops.begin(), c.axis(0));
  }
  std::vector<IterVar> all = blocks.loops;
  all.insert(all.end(),
             {knobs.tiles_n_outer ? tile_n : tile_m, knobs.tiles_n_outer ? tile_m : tile_n, row, vector, lane});
  blocks.tile = all[blocks.loops.size() + 1];
  blocks.k = k_blocks;
  c.reorder(all);

  if (knobs.parallel == Parallel::kBoth || knobs.parallel == Parallel::kBatch) {
    const std::size_t at = knobs.parallel == Parallel::kBatch ? 0 : static_cast<std::size_t>(first);
    const bool batch_alone = knobs.parallel == Parallel::kBatch && blocks.order[1] == kAxisK;
    if (!batch_alone) {
      blocks.loops[at] = c.fuse(blocks.loops[at], blocks.loops[at + 1]);
      blocks.loops.erase(blocks.loops.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      blocks.order.erase(blocks.order.begin() + static_cast<std::ptrdiff_t>(at));
      blocks.fused = static_cast<int>(at);
    }
    blocks.parallel = static_cast<int>(at);
  }
  for (std::size_t i = 0; i < blocks.loops.size(); ++i) {
    if (knobs.parallel == Parallel::kM && blocks.order[i] == kAxisM) blocks.parallel = static_cast<int>(i);
    if (knobs.parallel == Parallel::kN && blocks.order[i] == kAxisN) blocks.parallel = static_cast<int>(i);
  }
  if (blocks.parallel >= 0) c.parallel(blocks.loops[static_cast<std::size_t>(blocks.parallel)]);
  return blocks;
}

bool schedule_result(Stage c, Stage sums, const MatmulKnobs& knobs) {
  const int first = c.tensor().rank() - 2;
  const std::int64_t row_block = knobs.rows * knobs.row_tiles;
  const std::int64_t column_block = knobs.vectors * knobs.lanes * knobs.vector_tiles;
  std::vector<IterVar> blocks, inner{c.axis(first), c.axis(first + 1)};
  if (first > 0) blocks.push_back(c.axis(0));
  int parallel = knobs.parallel == Parallel::kBatch ? 0 : -1;
  for (const int axis : knobs.block_order) {
    if (axis == kAxisK) break;
    const bool is_vector = (axis == kAxisM) == knobs.vector_m;
    auto [block, rest] =
        c.split(inner[static_cast<std::size_t>(axis)], factor(is_vector ? column_block : row_block), Tail::partition());
    inner[static_cast<std::size_t>(axis)] = rest;
    if (knobs.parallel == (axis == kAxisM ? Parallel::kM : Parallel::kN)) parallel = static_cast<int>(blocks.size());
    blocks.push_back(block);
  }
  auto [vector, lane] = c.split(inner[knobs.vector_m ? 0 : 1], factor(knobs.lanes), Tail::predicate());
  c.vectorize(lane);
  const IterVar row = inner[knobs.vector_m ? 1 : 0];
  std::vector<IterVar> all = blocks;
  all.insert(all.end(), {row, vector, lane});
  c.reorder(all);
  if (knobs.parallel == Parallel::kBoth) {
    blocks.push_back(c.fuse(blocks[blocks.size() - 2], blocks.back()));
    parallel = static_cast<int>(blocks.size()) - 1;
  }
  if (parallel >= 0) c.parallel(blocks[static_cast<std::size_t>(parallel)]);
  if (!blocks.empty()) sums.compute_at(c, blocks.back());
  if (blocks.empty() && knobs.parallel != Parallel::kNone) c.parallel(row);
  return parallel >= 0;
}

void schedule_tile(Stage tile, int parts, const MatmulKnobs& knobs, const Tensor& a, const Tensor& b) {
  const int first = tile.tensor().rank() - 2;
  const IterVar row = tile.axis(first + (knobs.vector_m ? 1 : 0)), column = tile.axis(first + (knobs.vector_m ? 0 : 1));
  const std::vector<IterVar> loops = tile.loops();
  const IterVar k = loops[loops.size() - (parts > 1 ? 2 : 1)];
  auto [k_outer, k_inner] = tile.split(k, factor(knobs.unroll_k), Tail::partition());
  auto [vector, lane] = split_lanes(tile, column, knobs.lanes);
  std::vector<IterVar> order{k_outer, k_inner, row, vector, lane};
  if (parts > 1) {
    order.insert(order.begin() + 2, loops.back());
    tile.unroll(loops.back());
  }
  if (first > 0) order.insert(order.begin(), tile.axis(0));
  tile.reorder(order);
  tile.unroll(k_inner).unroll(row);
  const auto iterations = [&](std::int64_t steps) { return ceil_div(steps, knobs.unroll_k); };
  if (knobs.prefetch_a > 0) tile.prefetch(a, k_outer, iterations(knobs.prefetch_a));
  if (knobs.prefetch_b > 0) tile.prefetch(b, k_outer, iterations(knobs.prefetch_b));
}

Tensor sums_in_registers(Schedule& s, const Tensor& c) {
  const Tensor sums = sums_of(c);
  if (sums == c) return s.cache_write(c, ir::Scope::kRegister);
  s[sums].set_scope(ir::Scope::kRegister);
  return sums;
}

}  // namespace nestwright
