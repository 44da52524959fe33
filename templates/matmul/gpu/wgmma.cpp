// The template of products by warpgroups (wgmma): a thread block computes a tile of C, of which each warpgroup has 64
// rows and some columns, and each of its warps 16 of these rows as a fragment.
//
//   blockIdx.y, blockIdx.x: blocks of C
//     threadIdx.z: warpgroups, then their four warps; threadIdx.y, threadIdx.x: the threads of a warp
//       for slices of K:
//         shared A = rows of A, shared B = columns of B             (by all threads, ahead where double-buffered)
//         AB += shared A * shared B                                 (by the warpgroup, of its 64 rows)
//       C = AB                                                      (the elements that the thread has)
//
// In shared memory A and B are divided into panels whose rows have 128 bytes, which are swizzled, or 16 bytes if a row
// is not a multiple of 128. The 8 rows of a core matrix are contiguous; rows run as those of the matrix do, except for
// bytes, whose rows run along the reduction. Panels of 16-byte rows are 16 bytes further apart, so that threads that
// copy along rows write to different banks.
#include <algorithm>

#include "target/description/gpu_target.h"
#include "templates/loops/gpu_threads.h"
#include "templates/matmul/gpu/mma.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

constexpr std::int64_t kGroupRows = kWarpgroupWarps * kMmaTile;
constexpr std::int64_t kPair = 2;  ///< elements of a row of 8 x 8 that a thread has

/// Splits and binds the loops of `c`. Returns the innermost loop over threads.
IterVar bind_warpgroups(Stage c, const MatmulMmaKnobs& knobs) {
  const std::vector<IterVar> axes = c.loops();
  const std::vector<IterVar> batch(axes.begin(), axes.end() - 2);
  const auto [m, rows] = c.split(axes[batch.size()], factor(knobs.m.of_block()));
  const auto [m_group, group_rows] = c.split(rows, factor(kGroupRows));
  const auto [warp, warp_rows] = c.split(group_rows, factor(kMmaTile));
  const auto [m_matrix, row] = c.split(warp_rows, factor(ir::kFragmentSide));
  const auto [n, columns] = c.split(axes[batch.size() + 1], factor(knobs.n.of_block()));
  const auto [n_group, group_columns] = c.split(columns, factor(knobs.n.elements));
  const auto [n_matrix, column] = c.split(group_columns, factor(ir::kFragmentSide));
  const auto [thread, pair] = c.split(column, factor(kPair));
  std::vector<IterVar> order = batch;
  order.insert(order.end(), {m, n, m_group, n_group, warp, row, thread, m_matrix, n_matrix, pair});
  c.reorder(order);
  bind_blocks(c, batch, m, n, knobs);
  c.bind(c.fuse(c.fuse(m_group, n_group), warp), kThreadIdxZ).bind(row, kThreadIdxY).bind(thread, kThreadIdxX);
  c.unroll(m_matrix).unroll(n_matrix);
  knobs.lanes_c > 1 ? c.vectorize(pair) : c.unroll(pair);
  return thread;
}

/// A or B on its way to shared memory.
struct Operand {
  Tensor slice;
  MmaOperand lies;
  std::int64_t lanes, of_block;
  std::int64_t row;  ///< what a warpgroup reads of a row of the slice
};

void fetch_slice(Schedule& s, const Operand& x, const Tensor& tile, const IterVar& block, const MatmulMmaKnobs& knobs) {
  const Tensor cache = s.cache_read(x.slice, ir::Scope::kShared, {tile});
  s[x.slice].compute_inline();
  const std::int64_t bytes = cache.dtype().bytes(),
                     row = (is_swizzled(x.row * bytes) ? ir::kSwizzledRowBytes : kCoreMatrixRowBytes) / bytes;
  // The batch, columns of rows, rows, and the elements of these.
  const std::vector<IterVar> layout = s.transform_layout(cache, [&](std::span<const Expr> at) {
    std::vector<Expr> stored(at.begin(), at.end() - 2);
    stored.insert(stored.end(), {at.back() / row, at[at.size() - 2], at.back() % row});
    return stored;
  });
  const std::size_t first = layout.size() - 3;
  Stage stage = s[cache];
  stage.compute_at(s[tile], block);
  if (!is_swizzled(x.row * bytes)) {
    const std::int64_t column = (x.lies.rows ? x.of_block : knobs.k_block) * row + row;
    stage.storage_align(layout[first], column + 1, column);
  }
  // Neighbours in the matrix by neighbouring threads.
  std::vector<IterVar> loops{layout[first + 1], layout[first], layout[first + 2]};
  if (x.lies.along_k != x.lies.rows) loops = {layout[first], layout[first + 2], layout[first + 1]};
  fetch_cooperatively(stage, loops, {ir::kWarpX, ir::kWarpY, knobs.m.warps * knobs.n.warps}, x.lanes);
  if (knobs.double_buffer) stage.double_buffer(knobs.stages);
}

Schedule schedule_matmul_wgmma(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const MatmulMmaKnobs knobs = define_matmul_mma_knobs(t, workload, target, MmaKind::kWarpgroups);
  const MatmulGpuForm form = matmul_mma_form(workload, definition, knobs);
  const auto [a, b] = mma_operands(workload);
  Schedule s = create_schedule(form.result);
  const IterVar thread = bind_warpgroups(s[form.result], knobs);
  Stage tile = s[form.tile];
  tile.set_scope(ir::Scope::kFragment).compute_at(s[form.result], thread);
  const int rank = form.tile.rank();
  const auto [block, in_block] = tile.split(tile.reduce_axis(0), factor(knobs.k_block));
  const std::int64_t bytes = form.a.dtype().bytes(), long_row = ir::kSwizzledRowBytes / bytes;
  const auto [slices, in_row] = tile.split(in_block, factor(std::min(knobs.k_block, long_row)));
  const auto [pieces, step] = tile.split(in_row, factor(kCoreMatrixRowBytes / bytes));
  const auto [rows, row] = tile.split(tile.axis(rank - 2), factor(ir::kFragmentSide));
  const auto [columns, column] = tile.split(tile.axis(rank - 1), factor(ir::kFragmentSide));
  std::vector<IterVar> order{block, slices, rows, row, columns, column, pieces, step};
  if (!b.rows && is_swizzled(knobs.n.elements * bytes)) {
    const auto [wide, narrow] = tile.split(columns, factor(long_row / ir::kFragmentSide));
    order[4] = wide;
    order.insert(order.begin() + 5, narrow);
  }
  tile.reorder(order).unroll(slices);
  fetch_slice(s, {form.a, a, knobs.lanes_a, knobs.m.of_block(), a.rows ? knobs.k_block : kGroupRows}, form.tile, block,
              knobs);
  fetch_slice(s, {form.b, b, knobs.lanes_b, knobs.n.of_block(), b.rows ? knobs.k_block : knobs.n.elements}, form.tile,
              block, knobs);
  return s;
}

std::string why_not(const Workload& workload, const Target& target) {
  if (!has_warpgroup_products(target)) return "it needs CUDA on sm_90";
  return mma_unsupported_reason(workload, kGroupRows - kMmaTile + 1, false);  // some for each warp
}

}  // namespace

Template matmul_wgmma_template() {
  return {"matmul.wgmma", 3, {DeviceKind::kCuda}, schedule_matmul_wgmma, matmul_wgmma_seeds, why_not};
}

}  // namespace nestwright
