// The template of products on tensor cores: a thread block computes a tile of C, and each of its warps keeps a part as
// fragments.
//
//   blockIdx.y, blockIdx.x: blocks of C
//     threadIdx.z: warps; threadIdx.y, threadIdx.x: the threads of a warp
//       for slices of K:
//         shared A = rows of A, shared B = columns of B             (by all threads, ahead where double-buffered)
//         for 16 steps at a time: A.cache = shared A, B.cache = shared B; AB += A.cache * B.cache     (by the warp)
//       C = AB                                                       (the elements that the thread has)
//
// A and B have the layout of the matrix in shared memory, except for bytes, which are always K-major. float32 is
// rounded to tf32 where fragments are loaded, so that it is copied to shared memory as it is. C's loops are split so
// that each thread stores what it has of the fragments: of every 8 x 8 elements two neighbours of one row.
#include <array>
#include <tuple>

#include "target/description/gpu_target.h"
#include "templates/loops/gpu_threads.h"
#include "templates/matmul/gpu/mma.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

constexpr std::int64_t kPair = 2;     ///< elements of a row of 8 x 8 that a thread has
constexpr std::int64_t kColumns = 8;  ///< of a product of fragments

/// Splits and binds the loops of `c`. Returns the innermost loop over threads.
IterVar bind_warps(Stage c, const MatmulMmaKnobs& knobs) {
  const std::vector<IterVar> axes = c.loops();
  const std::size_t outer = axes.size() - 2;  // the batch
  const auto cut = [&](const IterVar& axis, const WarpTile& tile) {
    const auto [block, in_block] = c.split(axis, factor(tile.of_block()));
    const auto [warp, in_warp] = c.split(in_block, factor(tile.elements));
    const auto [matrix, inside] = c.split(in_warp, factor(ir::kFragmentSide));
    return std::array{block, warp, matrix, inside};
  };
  const auto m = cut(axes[outer], knobs.m);
  const auto n = cut(axes[outer + 1], knobs.n);
  auto [thread, pair] = c.split(n[3], factor(kPair));
  std::vector<IterVar> order(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(outer));
  order.insert(order.end(), {m[0], n[0], m[1], n[1], m[3], thread, m[2], n[2], pair});
  c.reorder(order);
  bind_blocks(c, {axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(outer)}, m[0], n[0], knobs);
  c.bind(c.fuse(m[1], n[1]), kThreadIdxZ).bind(m[3], kThreadIdxY).bind(thread, kThreadIdxX);
  c.unroll(m[2]).unroll(n[2]);
  knobs.lanes_c > 1 ? c.vectorize(pair) : c.unroll(pair);
  return thread;
}

/// A or B on its way to the fragments.
struct Operand {
  Tensor slice;
  Tensor rounded;  ///< what is multiplied instead; undefined: the slice
  MmaOperand lies;
  std::int64_t lanes, of_block;
};

void fetch_slice(Schedule& s, const Operand& x, const MatmulMmaKnobs& knobs) {
  Stage stage = s[x.slice];
  const int first = x.slice.rank() - 2;
  const std::int64_t row = (x.lies.rows ? knobs.k_block : x.of_block) + x.lies.padding(knobs.padding, x.slice.dtype());
  stage.storage_align(stage.axis(first), row + 1, row);
  const BlockThreads threads{ir::kWarpX, ir::kWarpY, knobs.m.warps * knobs.n.warps};
  std::vector<IterVar> loops{stage.axis(first), stage.axis(first + 1)};
  if (x.lies.along_k != x.lies.rows) std::swap(loops[0], loops[1]);  // neighbours in the matrix by neighbouring threads
  fetch_cooperatively(stage, loops, threads, x.lanes);
  if (knobs.double_buffer) stage.double_buffer(knobs.stages);
}

void read_fragments(Schedule& s, const Operand& x, const Tensor& tile, const IterVar& step) {
  const bool is_rounded = x.rounded.defined();
  const Tensor fragments = is_rounded ? x.rounded : s.cache_read(x.slice, ir::Scope::kFragment, {tile});
  Stage stage = s[fragments];
  if (is_rounded) stage.set_scope(ir::Scope::kFragment);
  stage.compute_at(s[tile], step);
  const int rank = fragments.rank();
  const auto [matrix, inside] = stage.split(stage.axis(rank - (x.lies.rows ? 2 : 1)), factor(kMmaTile));
  const IterVar along = stage.axis(rank - (x.lies.rows ? 1 : 2));
  stage.reorder({matrix, x.lies.rows ? inside : along, x.lies.rows ? along : inside}).unroll(matrix);
}

void schedule_products(Schedule& s, const MatmulGpuForm& form, const std::array<MmaOperand, 2>& lie,
                       const MatmulMmaKnobs& knobs) {
  Stage tile = s[form.tile];
  const int rank = form.tile.rank();
  const auto [block, in_block] = tile.split(tile.reduce_axis(0), factor(knobs.k_block));
  const auto [step, along] = tile.split(in_block, factor(kMmaStepBytes / form.a.dtype().bytes()));
  const auto [rows, row] = tile.split(tile.axis(rank - 2), factor(kMmaTile));
  const auto [columns, column] = tile.split(tile.axis(rank - 1), factor(kColumns));
  tile.reorder({block, step, rows, columns, row, column, along}).unroll(rows).unroll(columns);
  if (knobs.unroll_k) tile.unroll(step);
  const Operand operands[] = {{form.a, form.rounded_a, lie[0], knobs.lanes_a, knobs.m.of_block()},
                              {form.b, form.rounded_b, lie[1], knobs.lanes_b, knobs.n.of_block()}};
  for (const Operand& x : operands) {
    s[x.slice].set_scope(ir::Scope::kShared).compute_at(tile, block);
    fetch_slice(s, x, knobs);
    read_fragments(s, x, form.tile, step);
  }
}

Schedule schedule_matmul_mma(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const MatmulMmaKnobs knobs = define_matmul_mma_knobs(t, workload, target, MmaKind::kWarps);
  const std::array<MmaOperand, 2> lie = mma_operands(workload);
  const MatmulGpuForm form = matmul_mma_form(workload, definition, knobs);
  Schedule s = create_schedule(form.result);
  const IterVar thread = bind_warps(s[form.result], knobs);
  s[form.tile].set_scope(ir::Scope::kFragment).compute_at(s[form.result], thread);
  schedule_products(s, form, lie, knobs);
  return s;
}

std::string why_not(const Workload& workload, const Target& target) {
  if (!has_matrix_products(target)) return "it needs CUDA from sm_80 on";
  return mma_unsupported_reason(workload, kMmaTile, true);
}

}  // namespace

Template matmul_mma_template() {
  return {"matmul.mma", 2, {DeviceKind::kCuda}, schedule_matmul_mma, matmul_mma_seeds, why_not};
}

}  // namespace nestwright
