// The knobs of the GPU template of matmul, and the expressions that it computes. Internal to templates/matmul.
//
// Tiles are always whole: A and B are fetched as matrices that are padded with zeros to whole tiles, so that the
// reduction loop needs no guards and all threads reach the barriers. Only the stores to C are guarded.
// Thread rule: plain data and pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/target.h"
#include "nestwright/template.h"
#include "templates/matmul/form.h"

namespace nestwright {

/// How rows or columns of C are split: blocks, and strips of a block, in each of which every thread has `elements`
/// adjacent elements. Int is std::int64_t or KnobExpr.
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
  std::int64_t parts = 1;    ///< of the reduction (split-K), each summed by its own blocks
  std::int64_t k_block = 1;  ///< steps of the reduction that are fetched at a time
  std::int64_t unroll_k = 1;
  bool rows_a = false, rows_b = false;  ///< slices of A and B are K-major in shared memory, as in the matrix
  std::int64_t lanes_a = 1, lanes_b = 1, lanes_c = 1;  ///< of vectors that are fetched and stored
  std::int64_t padding = 0;                            ///< elements between rows in shared memory
  bool fragments = false;  ///< a thread reads the operands of a step into registers first, in vectors
  bool double_buffer = false;
  std::int64_t stages = 2;     ///< slices in shared memory, where double-buffered
  bool rounds_at_use = false;  ///< elements are rounded to tf32 where they are multiplied, not where they are fetched
  bool n_along_y = false;      ///< blocks of N have blockIdx.y, those of M blockIdx.x
};

/// How slices of A and B are staged in shared memory, as knobs.
struct SliceKnobs {
  KnobExpr k_block = 1;               ///< steps of the reduction
  KnobExpr lanes_a = 1, lanes_b = 1;  ///< of the vectors that are fetched
  KnobExpr padding = 0;
  KnobExpr double_buffer = 0, stages = 2;
  KnobExpr parts = 1;  ///< of the reduction
  /// The number of slices of each operand in shared memory at a time.
  KnobExpr slices() const { return select(double_buffer, stages, 1); }
};

/// Adds the constraints of more than two stages: the `k` steps of the reduction have at least that many slices, and
/// vectors are wide enough to be copied asynchronously.
void require_stages(Tuning& t, const MatmulTypes& types, std::int64_t k, const SliceKnobs& slice);

/// Defines the knobs of tiles in registers and slices in shared memory, and what they must satisfy.
MatmulGpuKnobs define_matmul_gpu_knobs(Tuning& t, const Workload& workload, const Target& target);

/// Vector widths that divide the rows and the distances between rows and between matrices of a batch, so that every row
/// is aligned.
std::vector<std::int64_t> matrix_widths(const MatrixLayout& layout, std::int64_t batch, ir::Type type,
                                        std::int64_t limit = 4);

/// The type of the accumulators: float32 where the operator's would be float16.
ir::Type matmul_gpu_sums(const Workload& workload);

/// The expressions that replace the operator's, padded to whole tiles. Each tensor has a leading axis for the batch if
/// there is one.
struct MatmulGpuForm {
  Tensor a, b;                  ///< [K, M] and [K, N], or [M, K] and [N, K]: padded
  Tensor rounded_a, rounded_b;  ///< these, rounded to tf32, if they are rounded late; else undefined
  Tensor tile;                  ///< sums of products, [M, N] padded; where there are parts, [parts, M, N]
  Tensor partial;  ///< [parts, M, N] without padding: what the blocks of parts store; undefined where there is one
  Tensor sums;     ///< the sum of the parts; undefined where there is one
  Tensor result;   ///< C
  bool has_batch = false;
};
/// Replaces the definition's C by the form's, passed in the same shape.
MatmulGpuForm matmul_gpu_form(const Workload& workload, Definition& definition, const MatmulGpuKnobs& knobs);

/// Valid configurations from formulas, the best guess first; never empty.
std::vector<Config> matmul_gpu_seeds(const Workload& workload, const Target& target);

}  // namespace nestwright
