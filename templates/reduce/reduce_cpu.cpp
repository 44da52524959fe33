// The CPU template of reductions.
//
// Vectors along the innermost dimension, where that is kept (sum over the rows of a matrix):
//
//   for kept dimensions, for blocks of columns (threads share one of them):
//     for blocks of what is reduced:                       (one, or a few rows: then Y keeps the sums from block to
//     block)
//       for tiles of a few vectors:
//         tile = 0, or Y;  for what is reduced in the block: tile += X;  Y = tile             (in registers)
//
// Vectors along the innermost dimension, where that is reduced (sum of each row):
//
//   for kept dimensions (threads share the outermost):
//     for what is reduced, the innermost in tiles of a few vectors: tile += X                 (in registers)
//     Y = tile's vectors added, its lanes added by halves
//
// Threads may share what is reduced, too: each block has its partial result, which are combined at the end.
#include "templates/divide.h"
#include "templates/guess.h"
#include "templates/reduce/reduce.h"
#include "templates/reduce/reduce_shape.h"
#include "templates/vector_loops.h"

namespace nestwright {
namespace {

constexpr std::int64_t kUnrolled = 4;  ///< rows of a block at a time

struct Problem {
  Tensor x, y;
  std::vector<ReduceGroup> groups;
  double bytes;
  int kept() const { return y.rank(); }
  int reduced() const { return static_cast<int>(groups.size()) - kept(); }
};

/// Numbers of blocks that divide `extent`: others would need masks in every block.
std::vector<std::int64_t> even_blocks(std::int64_t extent) {
  std::vector<std::int64_t> counts{2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64};
  std::erase_if(counts, [&](std::int64_t count) { return 2 * count > extent || extent % count != 0; });
  return counts;
}

/// The partial results of blocks of the outermost reduce axis, one block an iteration of the first axis, which the
/// caller makes parallel; of a single block where threads do not share them.
Tensor share_reduction(Tuning& t, Schedule& s, const Problem& p, bool parallel) {
  const IterVar outermost = s[p.y].reduce_axis(0);
  const std::int64_t extent = *ir::as_const_int(outermost.extent());
  const std::int64_t blocks = parallel ? t.define_knob("blocks", even_blocks(extent)) : 1;
  return s.rfactor(p.y, s[p.y].split(outermost, factor(extent / blocks)).first, 0);
}

/// Whole tiles of the smallest block of columns. `v`: lanes, vectors, and the number of blocks where there are several.
std::int64_t least_tiles(std::int64_t columns, std::span<const KnobValue> v) {
  const std::int64_t width = v[0][0] * v[1][0], blocks = v.size() > 2 ? v[2][0] : 1;
  const std::int64_t block = ceil_div(ceil_div(columns, width), blocks) * width;
  return std::min(block, columns - (blocks - 1) * block) / width;
}

/// The loops of `stage` over what is reduced, outermost first.
std::vector<IterVar> reduce_loops(Stage stage) {
  std::vector<IterVar> loops;
  for (const IterVar& loop : stage.loops()) {
    if (loop.is_reduce()) loops.push_back(loop);
  }
  return loops;
}

void schedule_rows(Tuning& t, Schedule& s, const Problem& p, const Target& target) {
  std::vector<std::string> options{"none"};
  if (p.kept() > 0 && p.groups[0].extent > 1 && !p.groups[0].reduced) options.emplace_back("results");
  const IterVar outermost = s[p.y].reduce_axis(0);
  if (!even_blocks(*ir::as_const_int(outermost.extent())).empty()) options.emplace_back("reduction");
  const std::string parallel = choose_parallel(t, target, options);
  const VectorTile tile = define_vectors(t, "vectors", p.groups.back().extent, p.y.dtype(), target, most_sums(target));

  // Without a dimension that is kept there is no loop to compute at but that over partial results.
  Tensor reduced = p.y;
  if (parallel == "reduction" || p.kept() == 0) reduced = share_reduction(t, s, p, parallel == "reduction");
  if (parallel == "reduction") s[reduced].parallel(s[reduced].axis(0));
  const int results = reduced.rank();
  IterVar at = s[reduced].axis(results - 1);
  if (parallel == "results") {
    const IterVar inside = share_loop(t, s[reduced], s[reduced].axis(0)).second;
    if (results == 1) at = inside;
  }
  const std::vector<Tensor> partial = reduce_in_vectors(s, reduced, reduce_loops(s[reduced]).back(), tile);
  for (const Tensor& stage : partial) s[stage].compute_at(s[reduced], at);
  if (const std::int64_t ahead = define_prefetch(t, p.bytes, target)) {
    s[partial.front()].prefetch(p.x, reduce_loops(s[partial.front()]).back(), ahead);
  }
}

void schedule_columns(Tuning& t, Schedule& s, const Problem& p, const Target& target) {
  const std::int64_t columns = p.groups.back().extent;
  const std::int64_t innermost = p.groups[p.groups.size() - 2].extent;  // of what is reduced
  std::vector<std::string> options{"none"};
  if (columns > 2 * target.lanes(p.y.dtype())) options.emplace_back("columns");
  if (p.kept() > 1) options.emplace_back("results");
  if (!even_blocks(*ir::as_const_int(s[p.y].reduce_axis(0).extent())).empty()) options.emplace_back("reduction");
  const std::string parallel = choose_parallel(t, target, options);
  const bool blocked =
      t.choose("reduction", p.reduced() == 1 && innermost >= 16 && columns >= 4 * target.lanes(p.y.dtype())
                                ? std::vector<std::string>{"full", "blocked"}
                                : std::vector<std::string>{"full"}) == "blocked";
  const VectorTile tile_shape = define_vectors(t, "vectors", columns, p.y.dtype(), target, most_sums(target));
  // Rows of a block, or those that are unrolled.
  std::vector<std::int64_t> counts =
      blocked ? std::vector<std::int64_t>{8, 16, 32, 64} : std::vector<std::int64_t>{1, 2, 4, 8};
  std::erase_if(counts, [&](std::int64_t count) { return count > innermost; });
  const std::int64_t rows = t.define_knob("rows_together", counts);

  Tensor reduced = p.y;
  if (parallel == "reduction") reduced = share_reduction(t, s, p, true);
  Tensor tile;
  IterVar block;
  if (blocked) {
    block = s[reduced].split(s[reduced].reduce_axis(0), factor(rows), Tail::partition()).first;
    tile = s.cache_write(reduced, ir::Scope::kRegister, block);
  } else {
    tile = s.cache_write(reduced, ir::Scope::kRegister);
  }
  if (parallel == "reduction") s[reduced].parallel(s[reduced].axis(0));
  const int results = reduced.rank();
  IterVar column = s[reduced].axis(results - 1);
  if (parallel == "columns") {
    const std::int64_t elements = define_vector_blocks(t, "vectors", columns, tile_shape);
    const auto [shared, inside] = s[reduced].split(column, factor(elements), Tail::partition());
    std::vector<IterVar> order{shared};
    for (int axis = 0; axis + 1 < results; ++axis) order.push_back(s[reduced].axis(axis));
    s[reduced].reorder(order).parallel(shared);
    column = inside;
  } else if (parallel == "results") {
    share_loop(t, s[reduced], s[reduced].axis(0));
  }
  if (blocked) {
    std::vector<std::string> names{"vector_lanes", "vectors"};
    if (parallel == "columns") names.emplace_back("blocks");
    t.constrain(
        names, [columns](std::span<const KnobValue> v) { return least_tiles(columns, v) >= 2; },
        "a block of columns has less than two tiles, which are better summed up as a whole");
  }
  const IterVar over = split_vectors(s[reduced], column, tile_shape);
  if (blocked) {
    std::vector<IterVar> inside{block};
    for (const IterVar& loop : s[reduced].loops()) {
      if (loop == over || inside.size() > 1) inside.push_back(loop);
    }
    inside.pop_back();  // the last one is the blocks' again
    s[reduced].reorder(inside);
  }
  s[tile].compute_at(s[reduced], over);

  const std::vector<IterVar> loops = reduce_loops(s[tile]);
  const auto [vector, lane] = s[tile].split(s[tile].axis(results - 1), factor(tile_shape.lanes));
  s[tile].unroll(vector).vectorize(lane);
  std::vector<IterVar> order = loops;
  const auto [outer, inner] = s[tile].split(loops.back(), factor(blocked ? kUnrolled : rows), Tail::partition());
  s[tile].unroll(inner);
  order.back() = outer;
  order.push_back(inner);
  order.insert(order.end(), {vector, lane});
  s[tile].reorder(order);
  if (reduced == p.y) return;
  // The partial results are combined in vectors, too.
  const IterVar whole = s[p.y].axis(p.kept() - 1), last = s[p.y].loops().back();
  const auto [rest, elements] = s[p.y].split(whole, factor(tile_shape.lanes), Tail::predicate());
  s[p.y].reorder({rest, last, elements}).vectorize(elements);
}

Schedule schedule_reduce(Tuning& t, const Workload& workload, const Definition& definition, const Target& target) {
  const Problem p{definition.args[0], definition.args[1], reduce_groups(workload), definition.bytes};
  Schedule s = create_schedule(p.y);
  if (p.groups.back().reduced) {
    schedule_rows(t, s, p, target);
  } else {
    schedule_columns(t, s, p, target);
  }
  return s;
}

std::vector<Config> reduce_seeds(const Workload& workload, const Target& target) {
  std::vector<Config> wishes;
  for (const char* parallel : {"results", "columns", "reduction", "none"}) {
    for (const char* reduction : {"blocked", "full"}) {
      for (const std::int64_t vectors : {8, 4}) {
        Config wish;
        wish.set("parallel", {}, parallel);
        wish.set("reduction", {}, reduction);
        wish.set("vectors", {vectors});
        wish.set("rows_together", {8});
        wish.set("blocks", {target.threads});
        wishes.push_back(std::move(wish));
      }
    }
  }
  return guess_configs(reduce_cpu_template(), workload, target, wishes);
}

}  // namespace

Template reduce_cpu_template() { return {"reduce.cpu", 1, "reduce", DeviceKind::kCpu, schedule_reduce, reduce_seeds}; }

}  // namespace nestwright
