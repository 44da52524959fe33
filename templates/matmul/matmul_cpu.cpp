// The CPU template of matmul: the classic blocked product, every part of it a knob.
//
//   for blocks of N, K, M (in some order, some of them parallel):
//     pack a panel of B, pack a panel of A                            (or read them in place)
//     for tiles of N, M within the block (in some order):
//       tile[rows, vectors*lanes] = 0, or C's block where the reduction is blocked     (in registers)
//       for k: tile += A[rows, k] * B[k, vectors]
//       C = tile
#include "templates/matmul/matmul_cpu.h"

#include "templates/matmul/matmul.h"
#include "templates/matmul/matmul_cpu_seeds.h"

namespace nestwright {
namespace {

using Pack = MatmulKnobs::Pack;
using Parallel = MatmulKnobs::Parallel;

/// C's loops, once they are in place.
struct BlockLoops {
  std::vector<IterVar> loops;  ///< outermost first; fused ones once
  std::vector<int> order;      ///< the axis of each of `loops`; of a fused one the axis that came second
  int parallel = -1;           ///< position of the parallel one
  IterVar tile;                ///< the innermost loop over tiles
  IterVar k;                   ///< over blocks of the reduction; undefined where it is not blocked
  /// Position of the innermost loop that runs over blocks of `axis` or of the reduction: where its panel is packed.
  int panel_of(int axis) const {
    int at = 0;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (order[i] == axis || order[i] == kAxisK || static_cast<int>(i) == fused) at = static_cast<int>(i);
    }
    return at;
  }
  int fused = -1;  ///< position of a loop that is fused from blocks of M and N
};

/// Vectors of a tile: the loop over its `width` elements becomes vectors and lanes, unrolled and vectorised.
std::pair<IterVar, IterVar> split_lanes(Stage stage, const IterVar& loop, std::int64_t lanes) {
  auto [vector, lane] = stage.split(loop, factor(lanes));
  stage.unroll(vector).vectorize(lane);
  return {vector, lane};
}

/// Splits, orders and annotates the loops of C, which copies the register tile out.
BlockLoops schedule_blocks(Stage c, const MatmulKnobs& knobs, const IterVar& k_blocks) {
  const IterVar rows = c.axis(knobs.vector_m ? 1 : 0), columns = c.axis(knobs.vector_m ? 0 : 1);
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
  std::vector<IterVar> all = blocks.loops;
  all.insert(all.end(),
             {knobs.tiles_n_outer ? tile_n : tile_m, knobs.tiles_n_outer ? tile_m : tile_n, row, vector, lane});
  blocks.tile = all[blocks.loops.size() + 1];
  blocks.k = k_blocks;
  c.reorder(all);

  if (knobs.parallel == Parallel::kBoth) {
    blocks.loops[0] = c.fuse(blocks.loops[0], blocks.loops[1]);
    blocks.loops.erase(blocks.loops.begin() + 1);
    blocks.order.erase(blocks.order.begin());
    blocks.fused = blocks.parallel = 0;
  }
  for (std::size_t i = 0; i < blocks.loops.size(); ++i) {
    if (knobs.parallel == Parallel::kM && blocks.order[i] == kAxisM) blocks.parallel = static_cast<int>(i);
    if (knobs.parallel == Parallel::kN && blocks.order[i] == kAxisN) blocks.parallel = static_cast<int>(i);
  }
  if (blocks.parallel >= 0) c.parallel(blocks.loops[static_cast<std::size_t>(blocks.parallel)]);
  return blocks;
}

/// The microkernel: the tile stays in registers over all of its reduction.
void schedule_tile(Stage tile, const MatmulForm& form, const MatmulKnobs& knobs, const Tensor& a, const Tensor& b) {
  const IterVar row = tile.axis(knobs.vector_m ? 1 : 0), column = tile.axis(knobs.vector_m ? 0 : 1);
  const std::vector<IterVar> loops = tile.loops();
  const IterVar k = loops[loops.size() - (form.parts > 1 ? 2 : 1)];
  auto [k_outer, k_inner] = tile.split(k, factor(knobs.unroll_k), Tail::partition());
  auto [vector, lane] = split_lanes(tile, column, knobs.lanes);
  std::vector<IterVar> order{k_outer, k_inner, row, vector, lane};
  if (form.parts > 1) {
    order.insert(order.begin() + 2, loops.back());
    tile.unroll(loops.back());
  }
  tile.reorder(order);
  tile.unroll(k_inner).unroll(row);
  const auto iterations = [&](std::int64_t steps) { return ceil_div(steps, knobs.unroll_k); };
  if (knobs.prefetch_a > 0) tile.prefetch(a, k_outer, iterations(knobs.prefetch_a));
  if (knobs.prefetch_b > 0) tile.prefetch(b, k_outer, iterations(knobs.prefetch_b));
}

/// A panel of B as the microkernel reads it: whole tiles of columns, each contiguous over the reduction.
Tensor pack_b(Schedule& s, const MatmulForm& form, const Tensor& b, const Tensor& c, const Tensor& tile,
              const BlockLoops& blocks, const MatmulKnobs& knobs) {
  const Tensor packed = s.cache_read(b, ir::Scope::kGlobal, {tile});
  if (b.op().compute() != nullptr) s[b].compute_inline();
  const MatmulShape& shape = form.shape;
  const std::int64_t width = knobs.vectors * knobs.lanes;
  const auto loops = s.transform_layout(packed, [&](std::span<const Expr> axes) {
    const Expr column = axes[shape.tb ? 0 : 1], step = axes[shape.tb ? 1 : 0];
    return std::vector<Expr>{column / Expr(width), step, column % Expr(width)};
  });
  split_lanes(s[packed], loops[2], knobs.lanes);
  const int at = blocks.panel_of(kAxisN);
  const bool whole = knobs.pack_b == Pack::kWhole;
  if (whole) {
    s[packed].compute_root();
  } else {
    s[packed].compute_at(s[c], blocks.loops[static_cast<std::size_t>(at)]);
  }
  // Threads share the work where the panel is packed outside of the parallel loop.
  if (blocks.parallel >= 0 && (whole || at < blocks.parallel)) s[packed].parallel(loops[0]);
  return packed;
}

/// A panel of A, tile by tile: the rows of a tile next to each other for each step of the reduction.
std::vector<IterVar> lay_out_tiles(Schedule& s, const MatmulShape& shape, const Tensor& packed,
                                   const MatmulKnobs& knobs) {
  if (knobs.rows == 1) return s[packed].loops();
  return s.transform_layout(packed, [&](std::span<const Expr> axes) {
    const Expr row = axes[shape.ta ? 1 : 0], step = axes[shape.ta ? 0 : 1];
    return std::vector<Expr>{row / Expr(knobs.rows), step, row % Expr(knobs.rows)};
  });
}

/// A panel of A row by row, each an odd number of cache lines after the one before: rows that are a multiple of 4 KiB
/// apart, as those of a matrix may be, share few sets of the first-level cache.
std::vector<IterVar> lay_out_rows(Schedule& s, const MatmulShape& shape, const Tensor& packed,
                                  const MatmulKnobs& knobs) {
  const std::vector<IterVar> loops = s[packed].loops();
  const std::int64_t line = 64 / shape.type.bytes();
  s[packed].storage_align(loops[0], 2 * line, line);
  auto [vector, lane] = s[packed].split(loops[1], factor(knobs.lanes), Tail::predicate());
  s[packed].vectorize(lane);
  return {loops[0], vector, lane};
}

Tensor pack_a(Schedule& s, const MatmulForm& form, const Tensor& a, const Tensor& c, const Tensor& tile,
              const BlockLoops& blocks, const MatmulKnobs& knobs) {
  const Tensor packed = s.cache_read(a, ir::Scope::kGlobal, {tile});
  if (a.op().compute() != nullptr) s[a].compute_inline();
  const auto lay_out = knobs.pack_a == Pack::kRows ? lay_out_rows : lay_out_tiles;
  const std::vector<IterVar> loops = lay_out(s, form.shape, packed, knobs);
  const int at = blocks.panel_of(kAxisM);
  s[packed].compute_at(s[c], blocks.loops[static_cast<std::size_t>(at)]);
  if (at < blocks.parallel) s[packed].parallel(loops[0]);
  return packed;
}

Schedule schedule_plain(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const MatmulForm form =
      plain_form(matmul_shape(workload), matmul_types(workload.type("dtype")), definition.args[0], definition.args[1]);
  return schedule_matmul(t, form, definition, target);
}

}  // namespace

Schedule schedule_matmul(Tuning& t, const MatmulForm& form, Definition& definition, const Target& target) {
  const MatmulKnobs knobs = define_matmul_knobs(t, form, target);
  const Tensor c = definition.args[2] = form.result;
  Tensor a = form.a, b = form.b;
  Schedule s = create_schedule(c);
  if (form.row_sums.defined()) {
    const auto loops = s[form.partial_sums].loops();
    s[form.partial_sums].reorder({loops[0], loops[2], loops[1]}).vectorize(loops[1]);
  }

  Tensor tile = form.sums;
  IterVar k_blocks;
  if (!(c == tile)) {
    s[tile].set_scope(ir::Scope::kRegister);
  } else if (knobs.k_block > 0) {
    k_blocks = s[c].split(s[c].reduce_axis(0), factor(knobs.k_block), Tail::partition()).first;
    tile = s.cache_write(c, ir::Scope::kRegister, k_blocks);
  } else {
    tile = s.cache_write(c, ir::Scope::kRegister);
  }
  const BlockLoops blocks = schedule_blocks(s[c], knobs, k_blocks);
  s[tile].compute_at(s[c], blocks.tile);
  if (knobs.prefetch_c) s[c].prefetch(c, blocks.tile, 1);
  if (knobs.pack_b != Pack::kNo) b = pack_b(s, form, b, c, tile, blocks, knobs);
  if (knobs.pack_a != Pack::kNo) a = pack_a(s, form, a, c, tile, blocks, knobs);
  for (Tensor* operand : {&a, &b}) {
    // What is neither stored nor an input is made where it is used, from an input, which prefetches name.
    if (operand->op().compute() == nullptr || !(*operand == form.a || *operand == form.b)) continue;
    s[*operand].compute_inline();
    *operand = definition.args[*operand == form.a ? 0 : 1];
  }
  schedule_tile(s[tile], form, knobs, a, b);
  return s;
}

Template matmul_cpu_template() {
  return {"matmul.cpu", 2, "matmul", DeviceKind::kCpu, schedule_plain,
          [](const Workload& workload, const Target& target) {
            return matmul_cpu_seeds(matmul_cpu_template(), workload, matmul_shape(workload), target);
          },
          // Without instructions for it, every operation on a float16 is one on a float32 and a conversion back.
          [](const Workload& workload, const Target& target) {
            return workload.type("dtype") != kFloat16 || target.has(CpuFeature::kAvx512Fp16);
          }};
}

}  // namespace nestwright
