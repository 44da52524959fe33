// Block-wide reductions of rows on GPUs: each thread reduces its share of a row, and the shares are combined through
// shared memory or by warp shuffles.
// Thread rule: as a Schedule's; the functions that make tensors are pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "nestwright/knobs.h"
#include "nestwright/schedule.h"
#include "nestwright/target.h"

namespace nestwright {

/// What is reduced, and how threads share it.
struct SharedReduction {
  std::vector<Expr> rows;    ///< extents of the result
  std::int64_t extent = 1;   ///< of the row
  std::int64_t threads = 1;  ///< that share it, a power of two
  std::int64_t fan_in = 2;  ///< shares that one thread combines at a time, a power of two: a tree, or all by one thread
  bool threads_first = false;  ///< the axis of the threads is the first of the shares, else the last
  /// A butterfly of shuffles leaves the combined share of a warp in each of its threads
  /// (lower/passes/warp_shuffles.cpp); one thread then combines those of the warps. Requires warps of 32, and
  /// threads_first to be false.
  bool shuffles = false;
  ir::ReducerKind kind = ir::ReducerKind::kSum;
  ir::Type type;
  /// Returns element `k` of the row `at`, which is reduced over `others`, too.
  std::function<Expr(std::span<const Expr> at, const Expr& k)> element;
  std::vector<IterVar> others;
  std::string name;
};

/// shares[0] has a share for each row and thread, each further tensor combines shares of the one before, and the result
/// is computed from shares.back().
struct ReducedRows {
  std::vector<Tensor> shares;
  Tensor result;
  bool threads_first = false;
  std::size_t exchanged = 0;  ///< how many of the last shares are exchanges between threads of a warp
};
ReducedRows reduce_by_threads(const SharedReduction& what);

/// `x`, reduced over `axes`.
Expr reduce_over(ir::ReducerKind kind, const Expr& x, const std::vector<IterVar>& axes);

/// The loops over the rows of a stage, `rows` for each block. `inside` must be the first loop inside the block's
/// threads: only there is the row known, so that the guard of the last rows lies inside and all threads reach the
/// barriers.
struct RowLoops {
  IterVar block, y, inside;  ///< y: one row each, to be bound; undefined where the block has one row
};
RowLoops split_rows(Stage stage, const IterVar& axis, std::int64_t rows);

/// How the shares are computed.
struct ShareLoops {
  Tensor consumer;
  IterVar at;                 ///< the innermost loop over threads of the consumer
  bool rows_along_y = false;  ///< the block has several rows; if threads come first, they run along y instead
  std::int64_t unroll = 1;    ///< steps of a thread at a time
  std::int64_t lanes = 1;     ///< elements of the last axis of rows that a thread has, where threads come first
};

/// Makes the threads of a block compute the shares cooperatively, in shared memory.
void schedule_shares(Schedule& s, const ReducedRows& reduced, const ShareLoops& loops);

/// How the rows of a matrix are distributed over blocks. Int is std::int64_t or KnobExpr.
template <class Int>
struct RowBlocksOf {
  Int threads = 32;  ///< along threadIdx.x: they share a row
  Int rows = 1;      ///< of a block, each with its own threads along threadIdx.y
  Int fan_in = 2, unroll = 1;
  Int lanes = 1;  ///< of a vector of Y, and of what is staged
  bool shuffles = false;
  RowBlocksOf<std::int64_t> in_run() const { return {threads, rows, fan_in, unroll, lanes, shuffles}; }
};
using RowBlocks = RowBlocksOf<std::int64_t>;
using RowBlocksKnobs = RowBlocksOf<KnobExpr>;

/// Whether the threads of a warp are to exchange their shares by shuffles: a choice where the target has them.
bool choose_shuffles(Tuning& t, ir::Type type, const Target& target);

/// Defines the choice `exchange` (see choose_shuffles()), the knobs threads, rows, unroll and lanes, and, without
/// shuffles, fan_in. Constrains threads * rows to at least a warp and at most the target's limit.
RowBlocksKnobs define_row_blocks(Tuning& t, std::int64_t rows, std::int64_t columns, ir::Type type,
                                 const Target& target);

/// An upper bound on the bytes of shared memory that the shares and results of `reductions` reductions take.
KnobExpr bytes_of_shares(const RowBlocksKnobs& blocks, int reductions, ir::Type type);

/// Binds the loops of `y`, a matrix. Returns the innermost loop over threads, at which the stages that a row needs are
/// computed.
IterVar bind_row_blocks(Stage y, const RowBlocks& blocks);

/// Makes the threads of a block compute `stage`, rows of a matrix, cooperatively in shared memory.
void schedule_staged_rows(Stage stage, const Stage& consumer, const IterVar& at, const RowBlocks& blocks);

/// As schedule_shares(); in addition, one thread for each row computes the result, which all of them read.
void schedule_row_reduction(Schedule& s, const ReducedRows& reduced, const Tensor& consumer, const IterVar& at,
                            const RowBlocks& blocks);

/// Computes `stage`, one value per row, into shared memory at loop `at` of `consumer`, in one thread per row; all
/// threads of the row read it.
void schedule_row_value(Stage stage, const Stage& consumer, const IterVar& at, const RowBlocks& blocks);

/// Partial configurations of the knobs of define_row_blocks, the best guess first.
std::vector<Config> row_block_seeds(std::int64_t rows, std::int64_t columns, const Target& target);

/// Unrolls `steps` of the innermost reduce loop of `stage`.
void unroll_steps(Stage stage, std::int64_t steps);

}  // namespace nestwright
