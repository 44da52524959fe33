#include "templates/loops/gpu_rows.h"

#include <algorithm>

#include "ir/gpu/divergence.h"
#include "nestwright/tensor.h"
#include "target/description/gpu_target.h"
#include "templates/framework/knobs/seed_table.h"
#include "templates/loops/candidates.h"
#include "templates/loops/divide.h"
#include "templates/loops/gpu_threads.h"
#include "templates/loops/reductions.h"

namespace nestwright {
namespace {

using Indices = std::span<const Expr>;

constexpr std::int64_t kMaxRows = 8;  ///< of a block

std::vector<Expr> with_threads(std::vector<Expr> rows, const Expr& threads, bool first) {
  rows.insert(first ? rows.begin() : rows.end(), threads);
  return rows;
}

/// Splits the indices of a share into those of its row and that of its thread.
std::pair<std::vector<Expr>, Expr> row_of(Indices at, bool first) {
  const Expr thread = first ? at.front() : at.back();
  const Indices row = first ? at.subspan(1) : at.first(at.size() - 1);
  return {{row.begin(), row.end()}, thread};
}

/// The number that differs from `thread` in `bit` alone.
Expr across(const Expr& thread, std::int64_t bit) {
  return thread / Expr(2 * bit) * Expr(2 * bit) + (thread + Expr(bit)) % Expr(2 * bit);
}

/// Adds a butterfly that leaves the combined shares of `warp` threads in each of them.
void exchange_in_warps(const SharedReduction& what, std::int64_t warp, ReducedRows& reduced) {
  for (std::int64_t bit = warp / 2; bit > 0; bit /= 2) {
    const Tensor before = reduced.shares.back();
    reduced.shares.push_back(compute(
        with_threads(what.rows, Expr(what.threads), false),
        [&](Indices at) {
          const auto [row, thread] = row_of(at, false);
          return ir::reducer_combine(what.kind, before.at(with_threads(row, thread, false)),
                                     before.at(with_threads(row, across(thread, bit), false)));
        },
        what.name + ".share"));
    ++reduced.exchanged;
  }
}

/// Combines the last shares, `fan_in` at a time, into `next` ones.
void combine_shares(const SharedReduction& what, std::int64_t next, ReducedRows& reduced) {
  const IterVar r = reduce_axis(what.fan_in, "r");
  const Tensor before = reduced.shares.back();
  reduced.shares.push_back(compute(
      with_threads(what.rows, Expr(next), what.threads_first),
      [&](Indices at) {
        const auto [row, thread] = row_of(at, what.threads_first);
        const Expr from = r * Expr(next) + thread;
        return reduce_over(what.kind, before.at(with_threads(row, from, what.threads_first)), {r});
      },
      what.name + ".share"));
}
}  // namespace

Expr reduce_over(ir::ReducerKind kind, const Expr& x, const std::vector<IterVar>& axes) {
  if (kind == ir::ReducerKind::kMax) return max(x, axes);
  if (kind == ir::ReducerKind::kMin) return min(x, axes);
  return sum(x, axes);
}

ReducedRows reduce_by_threads(const SharedReduction& what) {
  ReducedRows reduced{{}, {}, what.threads_first};
  const IterVar step = reduce_axis(ceil_div(what.extent, what.threads), "step");
  std::vector<IterVar> axes = what.others;
  axes.push_back(step);
  reduced.shares.push_back(compute(
      with_threads(what.rows, Expr(what.threads), what.threads_first),
      [&](Indices at) {
        const auto [row, thread] = row_of(at, what.threads_first);
        const Expr k = step * Expr(what.threads) + thread;
        Expr x = what.element(row, k);
        if (what.extent % what.threads != 0) {
          x = select(k < Expr(what.extent), x, ir::reducer_identity(what.kind, what.type));
        }
        return reduce_over(what.kind, x, axes);
      },
      what.name + ".share"));
  std::int64_t left = what.threads, apart = 1;
  if (what.shuffles) {
    apart = std::min(ir::kWarp, what.threads);
    exchange_in_warps(what, apart, reduced);
    left /= apart;
  } else {
    for (; left > what.fan_in; left /= what.fan_in) combine_shares(what, left / what.fan_in, reduced);
  }
  const IterVar r = reduce_axis(left, "r");
  reduced.result = compute(
      what.rows,
      [&](Indices row) {
        const std::vector<Expr> at = with_threads({row.begin(), row.end()}, r * Expr(apart), what.threads_first);
        return reduce_over(what.kind, reduced.shares.back().at(at), {r});
      },
      what.name);
  return reduced;
}

RowLoops split_rows(Stage stage, const IterVar& axis, std::int64_t rows) {
  RowLoops loops;
  std::tie(loops.block, loops.inside) = stage.split(axis, factor(rows));
  if (rows > 1) std::tie(loops.y, loops.inside) = stage.split(loops.inside, factor(1));
  return loops;
}

void unroll_steps(Stage stage, std::int64_t steps) {
  const IterVar last = reduce_loops(stage).back();
  const std::int64_t extent = *ir::as_const_int(last.extent());
  if (steps == 1 || extent == 1) return;
  if (extent <= steps) {
    stage.unroll(last);
    return;
  }
  stage.unroll(stage.split(last, factor(steps), Tail::partition()).second);
}

void schedule_shares(Schedule& s, const ReducedRows& reduced, const ShareLoops& loops) {
  for (std::size_t n = 0; n < reduced.shares.size(); ++n) {
    const Tensor& share = reduced.shares[n];
    const bool is_reduction = n + reduced.exchanged < reduced.shares.size();
    const Tensor own = is_reduction ? s.cache_write(share, ir::Scope::kLocal) : share;
    Stage stage = s[share];
    stage.set_scope(ir::Scope::kShared).compute_at(s[loops.consumer], loops.at);
    IterVar x = stage.axis(share.rank() - 1), lane;
    if (loops.lanes > 1) std::tie(x, lane) = stage.split(x, factor(loops.lanes));
    stage.bind(x, kThreadIdxX);
    if (reduced.threads_first) {
      stage.bind(stage.axis(0), kThreadIdxY);
    } else if (loops.rows_along_y) {
      stage.bind(stage.axis(share.rank() - 2), kThreadIdxY);
    }
    if (lane.defined()) stage.vectorize(lane);
    if (!is_reduction) continue;
    s[own].compute_at(stage, x);
    if (loops.lanes > 1) {
      std::vector<IterVar> order = reduce_loops(s[own]);
      order.push_back(s[own].axis(share.rank() - 1));
      s[own].reorder(order).vectorize(order.back());
    }
    if (share == reduced.shares.front()) unroll_steps(s[own], loops.unroll);
  }
}

bool choose_shuffles(Tuning& t, ir::Type type, const Target& target) {
  if (!has_shuffles(target) || type.bytes() < 4) return false;
  return t.choose("exchange", {"shuffles", "shared"}) == "shuffles";
}

RowBlocksKnobs define_row_blocks(Tuning& t, std::int64_t rows, std::int64_t columns, ir::Type type,
                                 const Target& target) {
  std::vector<std::int64_t> threads = block_sizes(target);
  std::erase_if(threads, [columns, least = threads.front()](std::int64_t count) {
    return count > least && count >= 2 * columns;
  });
  RowBlocksKnobs blocks;
  blocks.shuffles = choose_shuffles(t, type, target);
  blocks.threads = t.define_knob("threads", threads);
  blocks.rows = t.define_knob("rows", powers_up_to(std::min(kMaxRows, rows)));
  if (!blocks.shuffles) blocks.fan_in = t.define_knob("fan_in", {2, 4, 8, 1024});
  blocks.unroll = t.define_knob("unroll", {1, 4, 8});
  blocks.lanes = t.define_knob("lanes", vector_widths(columns, type));
  require_threads(t, blocks.threads, blocks.rows, target.warp, target);
  return blocks;
}

KnobExpr bytes_of_shares(const RowBlocksKnobs& blocks, int reductions, ir::Type type) {
  return (2 * blocks.threads + 2) * blocks.rows * (reductions * type.bytes());
}

IterVar bind_row_blocks(Stage y, const RowBlocks& blocks) {
  const RowLoops rows = split_rows(y, y.axis(0), blocks.rows);
  IterVar column = y.axis(1), lane;
  if (blocks.lanes > 1) std::tie(column, lane) = y.split(column, factor(blocks.lanes));
  const auto [item, thread] = y.split(column, factor(blocks.threads));
  std::vector<IterVar> order;
  for (const IterVar& loop : {rows.block, rows.y, thread, rows.inside, item, lane}) {
    if (loop.defined()) order.push_back(loop);
  }
  y.reorder(order).bind(rows.block, kBlockIdxX).bind(thread, kThreadIdxX);
  if (rows.y.defined()) y.bind(rows.y, kThreadIdxY);
  if (lane.defined()) y.vectorize(lane);
  return thread;
}

void schedule_staged_rows(Stage stage, const Stage& consumer, const IterVar& at, const RowBlocks& blocks) {
  stage.set_scope(ir::Scope::kShared).compute_at(consumer, at);
  IterVar column = stage.axis(1), lane;
  if (blocks.lanes > 1) std::tie(column, lane) = stage.split(column, factor(blocks.lanes));
  const auto [round, thread] = stage.split(column, factor(blocks.threads));
  stage.bind(thread, kThreadIdxX);
  if (blocks.rows > 1) stage.bind(stage.axis(0), kThreadIdxY);
  if (lane.defined()) stage.vectorize(lane);
}

void schedule_row_reduction(Schedule& s, const ReducedRows& reduced, const Tensor& consumer, const IterVar& at,
                            const RowBlocks& blocks) {
  schedule_shares(s, reduced,
                  {.consumer = consumer, .at = at, .rows_along_y = blocks.rows > 1, .unroll = blocks.unroll});
  const Tensor own = s.cache_write(reduced.result, ir::Scope::kLocal);
  schedule_row_value(s[reduced.result], s[consumer], at, blocks);
  s[own].compute_at(s[reduced.result], s[reduced.result].axis(0));
}

void schedule_row_value(Stage stage, const Stage& consumer, const IterVar& at, const RowBlocks& blocks) {
  stage.set_scope(ir::Scope::kShared).compute_at(consumer, at);
  if (blocks.rows > 1) stage.bind(stage.axis(0), kThreadIdxY);
}

std::vector<Config> row_block_seeds(std::int64_t rows, std::int64_t columns, const Target& target) {
  const std::int64_t fitting = columns >= 8192 ? 512 : columns >= 1024 ? 256 : columns >= 256 ? 128 : 32;
  const std::int64_t together = fitting > 32 || rows < 4 * target.multiprocessors ? 1 : 4;
  return seed_product({{"threads", {fitting, 2 * fitting, std::max<std::int64_t>(32, fitting / 2)}},
                       {"lanes", {4, 1}},
                       {"rows", {together}},
                       {"exchange", {"shuffles"}},
                       {"fan_in", {4}},
                       {"unroll", {4}}});
}

}  // namespace nestwright
