// Rows that the threads of a block reduce together, on GPUs: each thread its share, the shares through shared memory.
// Thread rule: as a Schedule's; the functions that make tensors are pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "target/target.h"
#include "templates/framework/tuning.h"

namespace nestwright {

/// What is reduced, and how threads share it.
struct SharedReduction {
  std::vector<Expr> rows;    ///< extents of the result
  std::int64_t extent = 1;   ///< of the row
  std::int64_t threads = 1;  ///< that share it, a power of two
  std::int64_t fan_in = 2;  ///< shares that one thread combines at a time, a power of two: a tree, or all by one thread
  bool threads_first = false;  ///< the axis of the threads is the first of the shares, else the last
  /// Each thread of a warp has all that the warp has in the end, by combining with the one whose number differs in one
  /// bit, for bit after bit: what CUDA does by shuffles (a butterfly; lower/passes/warp_shuffles.cpp). One thread
  /// combines what warps have. Requires warps of 32 and the threads last.
  bool shuffles = false;
  ir::ReducerKind kind = ir::ReducerKind::kSum;
  ir::Type type;
  /// Element `k` of the row `at`; what it returns may be reduced over `others`, too.
  std::function<Expr(std::span<const Expr> at, const Expr& k)> element;
  std::vector<IterVar> others;
  std::string name;
};

/// shares[0] is what each thread has of each row, the others combine it; the result is of shares.back().
struct ReducedRows {
  std::vector<Tensor> shares;
  Tensor result;
  bool threads_first = false;
  std::size_t exchanged = 0;  ///< so many of the last shares are exchanges between threads of a warp
};
ReducedRows reduce_by_threads(const SharedReduction& what);

/// `x` over `axes`.
Expr reduce_over(ir::ReducerKind kind, const Expr& x, const std::vector<IterVar>& axes);

/// The loops over rows of a stage, `rows` a block. `inside` is to be the first loop inside the block's threads: only
/// there it is known which row it is, so that the guard of the last rows lies inside, and all threads reach what they
/// share.
struct RowLoops {
  IterVar block, y, inside;  ///< y: one row each, to be bound; undefined where the block has one row
};
RowLoops split_rows(Stage stage, const IterVar& axis, std::int64_t rows);

/// How the shares are computed.
struct ShareLoops {
  Tensor consumer;
  IterVar at;                 ///< the innermost loop over threads of the consumer
  bool rows_along_y = false;  ///< the block has several rows; where threads come first, it is they that run along y
  std::int64_t unroll = 1;    ///< steps of a thread at a time
  std::int64_t lanes = 1;     ///< elements of the last axis of rows that a thread has, where threads come first
};

/// Has the threads of a block compute the shares together, and keep them in shared memory.
void schedule_shares(Schedule& s, const ReducedRows& reduced, const ShareLoops& loops);

/// How the rows of a matrix are shared out to blocks: numbers, or knobs.
template <class Int>
struct RowBlocksOf {
  Int threads = 32;  ///< along threadIdx.x: they share a row
  Int rows = 1;      ///< a block, each by threads of its own along threadIdx.y
  Int fan_in = 2, unroll = 1;
  Int lanes = 1;  ///< of a vector of Y, and of what is staged
  bool shuffles = false;
  RowBlocksOf<std::int64_t> in_run() const { return {threads, rows, fan_in, unroll, lanes, shuffles}; }
};
using RowBlocks = RowBlocksOf<std::int64_t>;
using RowBlocksKnobs = RowBlocksOf<KnobExpr>;

/// Whether the threads of a warp are to exchange their shares by shuffles: a choice where the target has them.
bool choose_shuffles(Tuning& t, ir::Type type, const Target& target);

/// Defines the knobs of the same names.
RowBlocksKnobs define_row_blocks(Tuning& t, std::int64_t rows, std::int64_t columns, ir::Type type,
                                 const Target& target);

/// Bytes of the shares of `reductions` reductions, and their results, at most.
KnobExpr bytes_of_shares(const RowBlocksKnobs& blocks, int reductions, ir::Type type);

/// Binds the loops of `y`, a matrix. Returns the innermost loop over threads: where what a row needs is computed.
IterVar bind_row_blocks(Stage y, const RowBlocks& blocks);

/// Has the threads of a block compute `stage`, rows of a matrix, together, and keep it in shared memory.
void schedule_staged_rows(Stage stage, const Stage& consumer, const IterVar& at, const RowBlocks& blocks);

/// As schedule_shares, and has a thread for each row compute the result, which all of them read.
void schedule_row_reduction(Schedule& s, const ReducedRows& reduced, const Tensor& consumer, const IterVar& at,
                            const RowBlocks& blocks);

/// One value a row, computed by one thread, which all of them read.
void schedule_row_value(Stage stage, const Stage& consumer, const IterVar& at, const RowBlocks& blocks);

/// Partial configurations of the knobs of define_row_blocks, the best guess first.
std::vector<Config> row_block_seeds(std::int64_t rows, std::int64_t columns, const Target& target);

/// Unrolls `steps` of the innermost reduce loop of `stage`.
void unroll_steps(Stage stage, std::int64_t steps);

}  // namespace nestwright
