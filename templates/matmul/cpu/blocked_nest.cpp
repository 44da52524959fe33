// The CPU template of matmul: the classic blocked product, every part of it a knob.
//
//   for products of the batch:
//     for blocks of N, K, M (in some order, some of them parallel):
//       pack a panel of B, pack a panel of A                            (or read them in place)
//       for tiles of N, M within the block (in some order):
//         tile[rows, vectors*lanes] = 0, or C's block where the reduction is blocked     (in registers)
//         for k: tile += A[rows, k] * B[k, vectors]
//         C = epilogue(tile)
//     where the reduction is blocked: C = epilogue(stored sums), once per block of the loops outside K's
#include "templates/matmul/cpu/knobs.h"

#include "templates/matmul/cpu/blocks.h"
#include "templates/matmul/cpu/seeds.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

using Pack = MatmulKnobs::Pack;

/// The layout of a packed matrix: panels of `width` of its `across` axis, each contiguous over the reduction; one after
/// the other for the matrices of a batch.
std::vector<Expr> in_panels(std::span<const Expr> axes, const Expr& across, const Expr& step, std::int64_t width) {
  std::vector<Expr> layout{across / Expr(width), step, across % Expr(width)};
  if (axes.size() > 2) layout.insert(layout.begin(), axes[0]);
  return layout;
}

/// Squares of as many elements as a vector has are read along the rows of B and stored along its columns: nothing is
/// gathered.
void transpose_in_registers(Schedule& s, const Tensor& b, const Tensor& packed, const std::vector<IterVar>& loops,
                            const MatmulKnobs& knobs) {
  Stage stage = s[packed];
  const std::vector<IterVar> now = stage.loops();  // the panel's columns are vectors and lanes by now
  const IterVar vector = now[now.size() - 2], lane = now.back(), panel = loops[loops.size() - 3];
  auto [square, step] = stage.split(loops[loops.size() - 2], factor(knobs.lanes), Tail::partition());
  stage.reorder({panel, square, vector, step, lane});
  stage.unroll(step);
  const Tensor tile = s.cache_read(b, ir::Scope::kRegister, {packed});
  const int first = tile.rank() - 2;
  s[tile].compute_at(stage, vector).unroll(s[tile].axis(first)).vectorize(s[tile].axis(first + 1));
}

/// A panel of B as the microkernel reads it: whole tiles of columns, each contiguous over the reduction.
Tensor pack_b(Schedule& s, const MatmulForm& form, const Tensor& b, const Tensor& c, const Tensor& tile,
              const BlockLoops& blocks, const MatmulKnobs& knobs) {
  const Tensor packed = s.cache_read(b, ir::Scope::kGlobal, {tile});
  const bool is_made = b.op().compute() != nullptr && !form.views_b;
  if (is_made) s[b].compute_inline();
  const MatmulShape& shape = form.shape;
  const std::int64_t width = knobs.vectors * knobs.lanes;
  const auto loops = s.transform_layout(packed, [&](std::span<const Expr> axes) {
    return in_panels(axes, axes[axes.size() - (shape.tb ? 2 : 1)], axes[axes.size() - (shape.tb ? 1 : 2)], width);
  });
  split_lanes(s[packed], loops.back(), knobs.lanes);
  if (shape.tb && !is_made && shape.k >= knobs.lanes) transpose_in_registers(s, b, packed, loops, knobs);
  if (form.views_b) s[b].compute_inline();
  const int at = blocks.panel_of(kAxisN);
  const bool whole = knobs.pack_b == Pack::kWhole || knobs.pack_b == Pack::kPrepared;
  if (knobs.pack_b == Pack::kPrepared) {
    s[packed].prepare();
  } else if (whole) {
    s[packed].compute_root();
  } else {
    s[packed].compute_at(s[c], blocks.loops[static_cast<std::size_t>(at)]);
  }
  // Threads share the packing if it is outside of the parallel loop. At root the outermost loop is shared, over the
  // batch or the panels; at a loop, one matrix is packed, and its panels are shared.
  const std::size_t panels = whole ? 0 : loops.size() - 3;
  if (whole ? knobs.parallel != MatmulKnobs::Parallel::kNone : at < blocks.parallel) s[packed].parallel(loops[panels]);
  return packed;
}

/// A panel of A, tile by tile: the rows of a tile next to each other for each step of the reduction. Gives the loop
/// that threads may share.
IterVar lay_out_tiles(Schedule& s, const MatmulShape& shape, const Tensor& packed, const MatmulKnobs& knobs) {
  std::vector<IterVar> loops = s[packed].loops();
  if (knobs.rows == 1) return loops[loops.size() - 2];
  loops = s.transform_layout(packed, [&](std::span<const Expr> axes) {
    return in_panels(axes, axes[axes.size() - (shape.ta ? 1 : 2)], axes[axes.size() - (shape.ta ? 2 : 1)], knobs.rows);
  });
  return loops[loops.size() - 3];
}

/// A panel of A row by row, each an odd number of cache lines after the one before: rows that are a multiple of 4 KiB
/// apart, as those of a matrix may be, share few sets of the first-level cache. Gives the loop that threads may share.
IterVar lay_out_rows(Schedule& s, const MatmulShape& shape, const Tensor& packed, const MatmulKnobs& knobs) {
  const std::vector<IterVar> loops = s[packed].loops();
  const IterVar row = loops[loops.size() - 2], column = loops.back();
  const std::int64_t line = 64 / shape.type.bytes();
  s[packed].storage_align(row, 2 * line, line);
  auto [vector, lane] = s[packed].split(column, factor(knobs.lanes), Tail::predicate());
  s[packed].vectorize(lane);
  return row;
}

Tensor pack_a(Schedule& s, const MatmulForm& form, const Tensor& a, const Tensor& c, const Tensor& tile,
              const BlockLoops& blocks, const MatmulKnobs& knobs) {
  const Tensor packed = s.cache_read(a, ir::Scope::kGlobal, {tile});
  if (a.op().compute() != nullptr) s[a].compute_inline();
  const auto lay_out = knobs.pack_a == Pack::kRows ? lay_out_rows : lay_out_tiles;
  const IterVar shared = lay_out(s, form.shape, packed, knobs);
  if (knobs.pack_a == Pack::kPrepared) {
    s[packed].prepare();
    if (knobs.parallel != MatmulKnobs::Parallel::kNone) s[packed].parallel(shared);
    return packed;
  }
  const int at = blocks.panel_of(kAxisM);
  s[packed].compute_at(s[c], blocks.loops[static_cast<std::size_t>(at)]);
  if (at < blocks.parallel) s[packed].parallel(shared);
  return packed;
}

Schedule schedule_plain(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  return schedule_matmul(t, plain_form(workload, definition), definition, target);
}

}  // namespace

Schedule schedule_matmul(Tuning& t, MatmulForm form, Definition& definition, const Target& target) {
  const MatmulKnobs knobs = define_matmul_knobs(t, form, target);
  const Tensor c = take_result(form, definition);
  Tensor a = form.a, b = form.b;
  Schedule s = create_schedule(c);
  if (form.row_sums.defined()) {
    const auto loops = s[form.partial_sums].loops();
    s[form.partial_sums].reorder({loops[0], loops[2], loops[1]}).vectorize(loops[1]);
  }

  Tensor tile = form.sums;
  Tensor stored = c;  // what the tiles are copied to
  IterVar k_blocks;
  if (knobs.k_block > 0) {
    stored = form.sums;
    k_blocks = s[stored].split(s[stored].reduce_axis(0), factor(knobs.k_block), Tail::partition()).first;
    tile = s.cache_write(stored, ir::Scope::kRegister, k_blocks);
  } else if (c == tile) {
    tile = s.cache_write(c, ir::Scope::kRegister);
  } else {
    s[tile].set_scope(ir::Scope::kRegister);
  }
  const bool is_shared = !(stored == c) && schedule_result(s[c], s[stored], knobs);
  MatmulKnobs inside = knobs;
  if (is_shared) inside.parallel = MatmulKnobs::Parallel::kNone;
  const BlockLoops blocks = schedule_blocks(s[stored], inside, k_blocks);
  s[tile].compute_at(s[stored], blocks.tile);
  if (knobs.prefetch_c) s[stored].prefetch(stored, blocks.tile, 1);
  if (knobs.pack_b != Pack::kNo) b = pack_b(s, form, b, stored, tile, blocks, knobs);
  if (knobs.pack_a != Pack::kNo) a = pack_a(s, form, a, stored, tile, blocks, knobs);
  for (Tensor* operand : {&a, &b}) {
    // An operand that is neither packed nor an input is inlined; prefetches name the input that it is computed from.
    if (operand->op().compute() == nullptr || !(*operand == form.a || *operand == form.b)) continue;
    s[*operand].compute_inline();
    *operand = definition.args[*operand == form.a ? 0 : 1];
  }
  schedule_tile(s[tile], form.parts, knobs, a, b);
  return s;
}

Template matmul_cpu_template() {
  return {"matmul.cpu",
          4,
          {DeviceKind::kCpu},
          schedule_plain,
          [](const Workload& workload, const Target& target) {
            return matmul_cpu_seeds(matmul_cpu_template(), workload, matmul_shape(workload), target);
          },
          // Without instructions for it, every operation on a float16 is one on a float32 and a conversion back.
          [](const Workload& workload, const Target& target) -> std::string {
            const bool serves = workload.type("dtype") != kFloat16 || target.has(CpuFeature::kAvx512Fp16);
            return serves ? "" : "it needs a CPU with arithmetic on float16";
          }};
}

}  // namespace nestwright
