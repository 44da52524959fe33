// The GPU template of matmul: blocks of threads, each a tile of C in registers, fed through shared memory.
//
//   blocks of M, N (either along blockIdx.x), of the batch, of parts of the reduction:
//     threads, with strips and elements of their own:
//       tile = 0                                                              (in registers)
//       for blocks of K:
//         A.tile, B.tile = slices of A and B, fetched by all threads together (in shared memory, double-buffered)
//         for K in the block: tile += A.tile[k, rows] * B.tile[k, columns]    (from registers, read in vectors)
//       C = epilogue(tile)
//
// Where the reduction is in parts (split-K), blocks store partial sums, which a second kernel adds up. Small products
// read A and B where they lie.
#include "templates/matmul/gpu/register_tiles.h"

#include <algorithm>

#include "templates/loops/gpu_threads.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

constexpr std::int64_t kSumThreads = 256;  ///< of a block that adds up parts, where the device has as many

/// An axis of C: the loops that it becomes.
struct TileLoops {
  IterVar block, strip, thread, element;
};

TileLoops split_tile(Stage c, const IterVar& axis, const ThreadTile& tile) {
  TileLoops loops;
  IterVar rest;
  std::tie(loops.block, rest) = c.split(axis, factor(tile.of_block()));
  if (tile.strips > 1) std::tie(loops.strip, rest) = c.split(rest, factor(tile.threads * tile.elements));
  std::tie(loops.thread, loops.element) = c.split(rest, factor(tile.elements));
  return loops;
}

/// Splits and binds the loops of `c`, which copies the tile out. Returns the innermost loop over threads.
IterVar bind_tiles(Stage c, const MatmulGpuKnobs& knobs) {
  const std::vector<IterVar> axes = c.loops();
  const std::size_t outer = axes.size() - 2;  // the batch and the parts
  TileLoops m = split_tile(c, axes[outer], knobs.m), n = split_tile(c, axes[outer + 1], knobs.n);
  IterVar lane;
  if (knobs.lanes_c > 1) std::tie(n.element, lane) = c.split(n.element, factor(knobs.lanes_c));
  std::vector<IterVar> order(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(outer));
  for (const IterVar& loop : {m.block, n.block, m.strip, n.strip, m.thread, n.thread, m.element, n.element, lane}) {
    if (loop.defined()) order.push_back(loop);
  }
  c.reorder(order);
  IterVar others;
  for (std::size_t a = 0; a < outer; ++a) others = a == 0 ? axes[0] : c.fuse(others, axes[a]);
  const std::int64_t* count = others.defined() ? ir::as_const_int(others.extent()) : nullptr;
  if (count != nullptr && *count > kMaxBlocks) {
    m.block = c.fuse(others, m.block);
  } else if (others.defined()) {
    c.bind(others, kBlockIdxZ);
  }
  c.bind(m.block, knobs.n_along_y ? kBlockIdxX : kBlockIdxY).bind(n.block, knobs.n_along_y ? kBlockIdxY : kBlockIdxX);
  for (const IterVar& strip : {m.strip, n.strip}) {
    if (strip.defined()) c.bind(strip, kVThread);
  }
  c.bind(m.thread, kThreadIdxY).bind(n.thread, kThreadIdxX).unroll(m.element).unroll(n.element);
  if (lane.defined()) c.vectorize(lane);
  return n.thread;
}

/// A or B on its way to the tile.
struct Operand {
  Tensor slice;
  bool along_k;  ///< rows of the matrix run along the reduction
  bool rows;     ///< so do those of the slice
  std::int64_t lanes;
  const ThreadTile& tile;
};

/// Fetches the slice into shared memory: adjacent threads read adjacent elements of the matrix.
void fetch_slice(Schedule& s, const Operand& x, const MatmulGpuKnobs& knobs) {
  Stage stage = s[x.slice];
  const int first = x.slice.rank() - 2;
  if (knobs.padding > 0) {
    const std::int64_t row = (x.rows ? knobs.k_block : x.tile.of_block()) + knobs.padding;
    stage.storage_align(stage.axis(first), row + 1, row);
  }
  std::vector<IterVar> loops{stage.axis(first), stage.axis(first + 1)};
  if (x.along_k && !x.rows) std::swap(loops[0], loops[1]);
  fetch_cooperatively(stage, loops, {knobs.n.threads, knobs.m.threads}, x.lanes);
  if (knobs.double_buffer) stage.double_buffer(knobs.stages);
}

/// Reads what a thread needs of the slice for one step of the reduction into registers.
void read_fragment(Schedule& s, const Operand& x, const Tensor& tile, const IterVar& step) {
  const Tensor fragment = s.cache_read(x.slice, ir::Scope::kLocal, {tile});
  Stage stage = s[fragment];
  stage.compute_at(s[tile], step);
  IterVar loop = stage.axis(x.slice.rank() - (x.rows ? 2 : 1));
  const std::int64_t lanes = x.rows ? 1 : vector_widths(x.tile.elements, x.slice.dtype()).back();
  if (lanes > 1) {
    const auto [vector, lane] = stage.split(loop, factor(lanes));
    stage.vectorize(lane);
    loop = vector;
  }
  stage.unroll(loop);
}

void schedule_tile(Schedule& s, const MatmulGpuForm& form, const MatmulShape& shape, const MatmulGpuKnobs& knobs) {
  Stage tile = s[form.tile];
  const int rank = form.tile.rank();
  const IterVar row = tile.axis(rank - 2), column = tile.axis(rank - 1);
  const auto [block, in_block] = tile.split(tile.reduce_axis(0), factor(knobs.k_block));
  const auto [step, unrolled] = tile.split(in_block, factor(knobs.unroll_k));
  tile.reorder({block, step, unrolled, row, column}).unroll(unrolled).unroll(row).unroll(column);
  if (!knobs.shared) return;
  const Operand operands[] = {{form.a, !shape.ta, knobs.rows_a, knobs.lanes_a, knobs.m},
                              {form.b, shape.tb, knobs.rows_b, knobs.lanes_b, knobs.n}};
  for (const Operand& x : operands) {
    s[x.slice].set_scope(ir::Scope::kShared).compute_at(tile, block);
    fetch_slice(s, x, knobs);
    if (knobs.fragments) read_fragment(s, x, form.tile, unrolled);
  }
}

/// Schedules C, of which each thread computes an element from the partial sums.
void schedule_sum(Schedule& s, const MatmulGpuForm& form, const Target& target) {
  Stage c = s[form.result];
  const std::int64_t threads = std::min<std::int64_t>(kSumThreads, target.threads_per_block);
  const IterVar item = bind_elements(c, c.loops(), {.threads = threads});
  s[form.sums].set_scope(ir::Scope::kLocal).compute_at(c, item);
}

Schedule schedule_matmul_gpu(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const MatmulGpuKnobs knobs = define_matmul_gpu_knobs(t, workload, target);
  const MatmulGpuForm form = matmul_gpu_form(workload, definition, knobs);
  Schedule s = create_schedule(form.result);
  if (!knobs.shared) {
    for (const Tensor& operand : {form.a, form.b}) s[operand].compute_inline();
  }
  const Tensor stored = form.partial.defined() ? form.partial : form.result;
  const IterVar thread = bind_tiles(s[stored], knobs);
  s[form.tile].set_scope(ir::Scope::kLocal).compute_at(s[stored], thread);
  schedule_tile(s, form, matmul_shape(workload), knobs);
  if (form.partial.defined()) schedule_sum(s, form, target);
  return s;
}

}  // namespace

Template matmul_gpu_template() { return {"matmul.gpu", 2, gpus(), schedule_matmul_gpu, matmul_gpu_seeds}; }

}  // namespace nestwright
