// The GPU template of reductions.
//
// Where the innermost dimension is reduced, the threads of a block share each row (or several rows, one along
// threadIdx.y each); where it is kept, threads along x have columns of their own, and those along y share them:
//
//   blocks of results:
//     threads:  share = X reduced over the thread's steps                     (in registers, then in shared memory)
//     threads:  shares of shares, `fan_in` at a time; or, within each warp, by shuffles
//     one thread:  Y = the last shares
//
// Where there are few results, blocks share them, too: their partial results are combined by a second kernel. The
// reduction of a whole tensor is always done this way, in the end by a single thread.
#include <algorithm>
#include <bit>

#include "templates/framework/knobs/seed_table.h"
#include "templates/framework/space/completion.h"
#include "templates/loops/candidates.h"
#include "templates/loops/divide.h"
#include "templates/loops/gpu_rows.h"
#include "templates/loops/gpu_threads.h"
#include "templates/reduce/reduce.h"
#include "templates/reduce/shape.h"

namespace nestwright {
namespace {

using Indices = std::span<const Expr>;

constexpr std::int64_t kMinPart = 32;          ///< elements that are reduced in a part
constexpr std::int64_t kMaxResults = 1 << 16;  ///< above, there is enough to share without parts
constexpr std::int64_t kMaxParts = 512;
constexpr std::int64_t kMaxRows = 8;
constexpr std::int64_t kSumThreads = 256;

struct Problem {
  const Workload& workload;
  Tensor x;
  std::vector<ReduceGroup> groups;
  ir::ReducerKind kind;
  Type type;
  bool in_rows() const { return groups.back().reduced; }
  std::vector<std::int64_t> extents(bool reduced) const {
    std::vector<std::int64_t> result;
    for (const ReduceGroup& group : groups) {
      if (group.reduced == reduced) result.push_back(group.extent);
    }
    return result;
  }
};

struct Knobs {
  std::int64_t parts = 1;
  std::int64_t x = 1, y = 1;  ///< threads
  std::int64_t lanes = 1, fan_in = 2, unroll = 1;
  bool shuffles = false;
  std::int64_t sharing(bool in_rows) const { return in_rows ? x : y; }
};

std::vector<std::int64_t> part_counts(const Problem& p) {
  const std::vector<std::int64_t> reduced = p.extents(true);
  std::vector<std::int64_t> counts;
  if (p.extents(false).empty()) counts.push_back(1);
  for (std::int64_t count = 2; count <= kMaxParts && reduced.front() / count >= (reduced.size() == 1 ? kMinPart : 1);
       count *= 2) {
    counts.push_back(count);
  }
  return counts;
}

Knobs define_knobs(Tuning& t, const Problem& p, const Target& target) {
  Knobs knobs;
  const std::vector<std::int64_t> kept = p.extents(false);
  const std::vector<std::int64_t> counts = part_counts(p);
  std::vector<std::string> options;
  if (!kept.empty()) options.emplace_back("whole");
  if (kept.empty() || (!counts.empty() && kept_elements(p.groups) <= kMaxResults)) options.emplace_back("parts");
  const bool in_parts = t.choose("reduction", options) == "parts";
  if (in_parts) knobs.parts = t.define_knob("parts", counts);
  knobs.shuffles = p.in_rows() && choose_shuffles(t, p.type, target);
  if (!knobs.shuffles) knobs.fan_in = t.define_knob("fan_in", {2, 4, 8, 1024});
  knobs.unroll = t.define_knob("unroll", {1, 4, 8});
  const std::int64_t last = kept.empty() ? 1 : kept.back();
  if (p.in_rows()) {
    const KnobExpr x = t.define_knob("threads_x", block_sizes(target));
    const KnobExpr y = t.define_knob("threads_y", powers_up_to(std::min(kMaxRows, last)));
    require_threads(t, x, y, target.warp, target);
    knobs.x = x;
    knobs.y = y;
    return knobs;
  }
  const KnobExpr lanes = t.define_knob("lanes", vector_widths(last, p.type));
  const KnobExpr x = t.define_knob("threads_x", powers_up_to(std::min<std::int64_t>(256, last)));
  const KnobExpr y = t.define_knob("threads_y", powers_up_to(std::min<std::int64_t>(64, p.extents(true).back())));
  require_threads(t, x, y, last, target);
  t.require((x - 1) * lanes < last, "there are threads that lie wholly past the end of a row");
  knobs.lanes = lanes;
  knobs.x = x;
  knobs.y = y;
  return knobs;
}

/// X reduced to [parts, kept...], or [kept...] where there is one part: to [parts] where all is reduced.
ReducedRows reduce_parts(const Problem& p, const Knobs& knobs) {
  const std::vector<std::int64_t> kept = p.extents(false), reduced = p.extents(true);
  const bool in_parts = knobs.parts > 1 || kept.empty();
  const std::int64_t of_part = ceil_div(reduced.front(), knobs.parts);
  SharedReduction what;
  what.extent = reduced.size() == 1 ? of_part : reduced.back();
  what.threads = knobs.sharing(p.in_rows());
  what.fan_in = knobs.fan_in;
  what.threads_first = !p.in_rows();
  what.shuffles = knobs.shuffles;
  what.kind = p.kind;
  what.type = p.type;
  what.name = in_parts ? "partial" : "Y";
  if (in_parts) what.rows.emplace_back(knobs.parts);
  for (const std::int64_t extent : kept) what.rows.emplace_back(extent);
  for (std::size_t r = 0; r + 1 < reduced.size(); ++r) {
    what.others.push_back(reduce_axis(r == 0 ? of_part : reduced[r], "r" + std::to_string(r)));
  }
  what.element = [&p, reduced, others = what.others, of_part, in_parts, parts = knobs.parts](Indices row,
                                                                                             const Expr& k) {
    std::vector<Expr> at;
    auto next_kept = row.begin() + (in_parts ? 1 : 0);
    std::size_t number = 0;
    Expr inside;
    for (const ReduceGroup& group : p.groups) {
      if (!group.reduced) {
        at.push_back(*next_kept++);
        continue;
      }
      Expr index = number + 1 == reduced.size() ? k : Expr(others[number]);
      if (number == 0 && parts > 1) {
        index = row[0] * Expr(of_part) + index;
        if (of_part * parts > group.extent) inside = index < Expr(group.extent);
      }
      at.push_back(index);
      ++number;
    }
    const Expr x = weighted(p.workload, p.x.at(at));
    return inside.defined() ? select(inside, x, ir::reducer_identity(p.kind, p.type)) : x;
  };
  return reduce_by_threads(what);
}

/// Binds the loops of `y`, whose results the threads of a block make together, one a row or a thread along x. Returns
/// the innermost loop over threads, and the first one inside.
std::pair<IterVar, IterVar> bind_results(Stage y, const Knobs& knobs, bool in_rows) {
  std::vector<IterVar> outer = y.loops();
  std::erase_if(outer, [](const IterVar& loop) { return loop.is_reduce(); });
  IterVar last = outer.back(), lane;
  if (knobs.lanes > 1) std::tie(last, lane) = y.split(last, factor(knobs.lanes));
  IterVar block, x, row, inside;
  if (in_rows) {
    const RowLoops rows = split_rows(y, last, knobs.y);
    block = rows.block;
    row = rows.y;
    // A loop of one iteration becomes one over all threads, of which the first has the result.
    std::tie(inside, x) = y.split(rows.inside, factor(knobs.x));
  } else {
    IterVar columns;
    std::tie(block, columns) = y.split(last, factor(knobs.x));
    std::tie(x, inside) = y.split(columns, factor(1));
    std::tie(inside, row) = y.split(inside, factor(knobs.y));
  }
  outer.back() = block;
  std::vector<IterVar> order = outer;
  for (const IterVar& loop : {row, x, inside, lane}) {
    if (loop.defined()) order.push_back(loop);
  }
  y.reorder(order);
  IterVar blocks = outer.front();
  for (std::size_t l = 1; l < outer.size(); ++l) blocks = y.fuse(blocks, outer[l]);
  y.bind(blocks, kBlockIdxX).bind(x, kThreadIdxX);
  if (row.defined()) y.bind(row, kThreadIdxY);
  if (lane.defined()) y.vectorize(lane);
  return {x, inside};
}

/// Schedules `reduced`, whose result is stored by a kernel of its own.
void schedule_results(Schedule& s, const ReducedRows& reduced, const Knobs& knobs, bool in_rows) {
  const Tensor y = reduced.result;
  const Tensor own = s.cache_write(y, ir::Scope::kLocal);
  const auto [x, inside] = bind_results(s[y], knobs, in_rows);
  schedule_shares(
      s, reduced,
      {.consumer = y, .at = x, .rows_along_y = in_rows && knobs.y > 1, .unroll = knobs.unroll, .lanes = knobs.lanes});
  s[own].compute_at(s[y], inside);
  if (knobs.lanes > 1) {
    const IterVar lane = s[own].axis(y.rank() - 1);
    s[own].reorder({s[own].loops().back(), lane}).vectorize(lane);
  }
}

Schedule schedule_reduce(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const std::string& function = workload.choice("function");
  const Problem p{workload, definition.args[0], reduce_groups(workload),
                  function == "max"   ? ir::ReducerKind::kMax
                  : function == "min" ? ir::ReducerKind::kMin
                                      : ir::ReducerKind::kSum,
                  workload.type("dtype")};
  const Knobs knobs = define_knobs(t, p, target);
  const ReducedRows partial = reduce_parts(p, knobs);
  std::vector<Expr> kept;
  for (const std::int64_t extent : p.extents(false)) kept.emplace_back(extent);
  if (kept.empty()) {
    // The parts are one row, which a block reduces; its result is that of the whole.
    SharedReduction what{.rows = {Expr(1)},
                         .extent = knobs.parts,
                         .threads = knobs.x,
                         .fan_in = knobs.fan_in,
                         .shuffles = knobs.shuffles,
                         .kind = p.kind,
                         .type = p.type,
                         .element = [&](Indices, const Expr& k) { return partial.result(k); },
                         .name = "total"};
    const ReducedRows total = reduce_by_threads(what);
    definition.args[1] = compute({}, [&] { return total.result(0); }, "Y");
    Schedule s = create_schedule(definition.args[1]);
    schedule_results(s, partial, knobs, true);
    Knobs one = knobs;
    one.y = 1;
    schedule_results(s, total, one, true);
    return s;
  }
  if (knobs.parts == 1) {
    definition.args[1] = partial.result;
    Schedule s = create_schedule(partial.result);
    schedule_results(s, partial, knobs, p.in_rows());
    return s;
  }
  const IterVar part = reduce_axis(knobs.parts, "part");
  const Tensor y = definition.args[1] = compute(
      kept,
      [&](Indices i) {
        std::vector<Expr> at(i.begin(), i.end());
        at.insert(at.begin(), part);
        return reduce_over(p.kind, partial.result.at(at), {part});
      },
      "Y");
  Schedule s = create_schedule(y);
  schedule_results(s, partial, knobs, p.in_rows());
  const Tensor own = s.cache_write(y, ir::Scope::kLocal);
  const IterVar item = bind_elements(s[y], s[y].loops(), {.threads = kSumThreads});
  s[own].compute_at(s[y], item);
  return s;
}

std::vector<Config> reduce_seeds(const Workload& workload, const Target& target) {
  const std::vector<ReduceGroup> groups = reduce_groups(workload);
  const bool in_rows = groups.back().reduced;
  const std::int64_t results = kept_elements(groups);
  const std::int64_t row = groups.back().extent;
  std::vector<Config> seeds;
  const auto add = [&](std::int64_t x, std::int64_t y, std::int64_t parts) {
    append(seeds, seed_product({{"reduction", {parts > 1 ? "parts" : "whole"}},
                                {"parts", {parts}},
                                {"threads_x", {x}},
                                {"threads_y", {y}},
                                {"exchange", {"shuffles"}},
                                {"fan_in", {in_rows ? 4 : 8}},
                                {"unroll", {4}},
                                {"lanes", {results >= target.multiprocessors * 1024 ? 4 : 1}}}));
  };
  // Enough blocks for the device, of results or of parts of them.
  const std::int64_t wanted = 4 * target.multiprocessors;
  if (in_rows) {
    const std::int64_t threads = row >= 4096 ? 512 : row >= 1024 ? 256 : row >= 256 ? 128 : 32;
    const std::int64_t parts = results >= wanted ? 1 : ceil_div(wanted, results);
    for (const std::int64_t count : {parts, std::int64_t{1}}) {
      add(threads, threads == 32 ? 4 : 1, count);
      add(threads / 2, 2, count);
      add(2 * threads, 1, count);
    }
    return complete_seeds(reduce_gpu_template(), workload, target, seeds);
  }
  const std::int64_t blocks = ceil_div(results, 64);
  const std::int64_t parts = blocks >= wanted ? 1 : ceil_div(wanted, blocks);
  for (const std::int64_t y : {8, 16, 1}) {
    for (const std::int64_t count : {parts, std::int64_t{1}}) {
      add(64, y, count);
      add(32, y, count);
    }
  }
  return complete_seeds(reduce_gpu_template(), workload, target, seeds);
}

}  // namespace

Template reduce_gpu_template() { return {"reduce.gpu", 2, gpus(), schedule_reduce, reduce_seeds}; }

}  // namespace nestwright
