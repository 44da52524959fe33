// What the parts of the GPU template of matmul share: its knobs and the expressions that it computes. Internal to
// templates/matmul.
//
// The tiles are whole: A and B are fetched as matrices that are padded with zeros up to whole tiles, so that nothing is
// tested in the loop over the reduction, and barriers are reached by all threads. Only the stores to C are guarded.
// Thread rule: plain data and pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "target/target.h"
#include "templates/framework/template.h"
#include "templates/matmul/form.h"

namespace nestwright {

/// Rows or columns of C: blocks, each of `strips` of neighbouring elements that all of its threads share, so that a
/// thread has as many runs of `elements`. Numbers, or knobs.
template <class Int>
struct ThreadTileOf {
  Int blocks = 1, strips = 1, threads = 1, elements = 1;
  Int of_thread() const { return strips * elements; }
  Int of_block() const { return strips * threads * elements; }
  ThreadTileOf<std::int64_t> in_run() const { return {blocks, strips, threads, elements}; }
};
using ThreadTile = ThreadTileOf<std::int64_t>;
using ThreadTileKnobs = ThreadTileOf<KnobExpr>;

struct MatmulGpuKnobs {
  ThreadTile m, n;
  bool shared = true;        ///< A and B are read through shared memory
  std::int64_t parts = 1;    ///< of the reduction, summed up by blocks of their own
  std::int64_t k_block = 1;  ///< steps of the reduction that are fetched at a time
  std::int64_t unroll_k = 1;
  bool rows_a = false, rows_b = false;                 ///< stored as A and B are, along the reduction, not across
  std::int64_t lanes_a = 1, lanes_b = 1, lanes_c = 1;  ///< of vectors that are fetched and stored
  std::int64_t padding = 0;                            ///< elements between rows in shared memory
  bool fragments = false;  ///< what a thread needs for a step is read into registers first, in vectors
  bool double_buffer = false;
  std::int64_t stages = 2;   ///< slices in shared memory, where double-buffered
  bool rounds_late = false;  ///< what is rounded to tf32 is where it is multiplied, not where it is fetched
  bool n_along_y = false;    ///< blocks of N have blockIdx.y, those of M blockIdx.x
};

/// How slices of A and B come to shared memory, as knobs.
struct SliceKnobs {
  KnobExpr k_block = 1;               ///< steps of the reduction
  KnobExpr lanes_a = 1, lanes_b = 1;  ///< of the vectors that are fetched
  KnobExpr padding = 0;
  KnobExpr double_buffer = 0, stages = 2;
  KnobExpr parts = 1;  ///< of the reduction
  /// Slices of each operand that are there at a time.
  KnobExpr slices() const { return select(double_buffer, stages, 1); }
};

/// Requires of more than two stages that there are as many slices of the `k` steps of the reduction, and that vectors
/// are copied asynchronously.
void require_stages(Tuning& t, const MatmulTypes& types, std::int64_t k, const SliceKnobs& slice);

/// Defines the knobs of tiles in registers and slices in shared memory, and what they must satisfy.
MatmulGpuKnobs define_matmul_gpu_knobs(Tuning& t, const Workload& workload, const Target& target);

/// Widths of vectors in rows of which the next one, or that of the next matrix, begins at a multiple of them, too.
std::vector<std::int64_t> matrix_widths(const MatrixLayout& layout, std::int64_t batch, ir::Type type,
                                        std::int64_t limit = 4);

/// Sums are of float32 where the operator's would be of float16.
ir::Type matmul_gpu_sums(const Workload& workload);

/// What is computed instead of the operator's expression, of whole tiles. In front, each has an axis for the batch
/// where there is one.
struct MatmulGpuForm {
  Tensor a, b;                  ///< [K, M] and [K, N], or [M, K] and [N, K]: padded
  Tensor rounded_a, rounded_b;  ///< of these, what is multiplied where they are rounded late; else undefined
  Tensor tile;                  ///< sums of products, [M, N] padded; where there are parts, [parts, M, N]
  Tensor partial;  ///< [parts, M, N] without padding: what the blocks of parts store; undefined where there is one
  Tensor sums;     ///< of the parts; undefined where there is one
  Tensor result;   ///< C
  bool has_batch = false;
};
MatmulGpuForm matmul_gpu_form(const Workload& workload, const Definition& definition, const MatmulGpuKnobs& knobs);

/// Valid configurations from formulas, the best guess first; never empty.
std::vector<Config> matmul_gpu_seeds(const Workload& workload, const Target& target);

}  // namespace nestwright
