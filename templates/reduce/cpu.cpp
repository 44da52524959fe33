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
//
// Of tensors far larger than the caches, several rows far apart are taken side by side, as `streams`:
//
//   for i in rows / streams:  for s in streams:  Y[s * rows/streams + i] = sum of that row
//   for k in elements / streams:  for s in streams:  tile[s] += X[s * elements/streams + k]
#include "templates/framework/completion.h"
#include "templates/framework/seed_table.h"
#include "templates/loops/divide.h"
#include "templates/loops/vectors.h"
#include "templates/reduce/reduce.h"
#include "templates/reduce/shape.h"

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
/// caller makes parallel; of a single block where threads do not share them. Each block is of `streams` such results.
Tensor share_reduction(Tuning& t, Schedule& s, const Problem& p, bool parallel, std::int64_t streams = 1) {
  const IterVar outermost = s[p.y].reduce_axis(0);
  const std::int64_t extent = *ir::as_const_int(outermost.extent());
  const std::int64_t blocks = parallel ? t.define_knob("blocks", even_blocks(extent / streams)) : KnobExpr(1);
  return s.rfactor(p.y, s[p.y].split(outermost, factor(extent / (blocks * streams))).first, 0);
}

bool is_of_rows(const Problem& p) { return p.groups.size() == 2; }

/// Y of a matrix whose rows are reduced, in another order: Z[i, s] is of row s * rows/streams + i, so that neighbours
/// of Z's last axis are far apart in X.
Tensor far_rows(const Workload& workload, Problem& p, std::int64_t streams) {
  const std::int64_t rows = p.groups[0].extent / streams;
  const IterVar k = reduce_axis(p.groups[1].extent, "k");
  const Tensor z = compute(
      {Expr(rows), Expr(streams)},
      [&](Expr i, Expr stream) { return reduction(workload, p.x(stream * rows + i, k), {k}); }, "Z");
  p.y = compute({Expr(p.groups[0].extent)}, [&](Expr i) { return z(i % rows, i / rows); }, "Y");
  return z;
}

/// Whole tiles of the smallest block of columns.
KnobExpr whole_tiles(std::int64_t columns, const VectorTileKnobs& tile, const VectorBlocks& blocks) {
  return min(blocks.elements, columns - (blocks.count - 1) * blocks.elements) / tile.width();
}

/// The loops of `stage` over what is reduced, outermost first.
std::vector<IterVar> reduce_loops(Stage stage) {
  std::vector<IterVar> loops;
  for (const IterVar& loop : stage.loops()) {
    if (loop.is_reduce()) loops.push_back(loop);
  }
  return loops;
}

Schedule schedule_rows(Tuning& t, const Workload& workload, Problem& p, const Target& target) {
  std::vector<std::string> options{"none"};
  if (p.kept() > 0 && p.groups[0].extent > 1 && !p.groups[0].reduced) options.emplace_back("results");
  const std::int64_t outermost = p.groups[p.groups[0].reduced ? 0 : 1].extent;
  if (!even_blocks(outermost).empty()) options.emplace_back("reduction");
  const std::string parallel = choose_parallel(t, target, options);
  std::int64_t streams = 1;
  if (p.kept() == 0) {
    streams = choose_streams(t, outermost, 2 * target.lanes(p.y.dtype()), p.bytes, target);
  } else if (is_of_rows(p) && parallel != "reduction") {
    streams = choose_streams(t, p.groups[0].extent, 1, p.bytes, target);
  }
  const VectorTile tile =
      define_vectors(t, p.groups.back().extent / (p.kept() == 0 ? streams : 1), p.y.dtype(), target,
                     streams > 1 ? std::max<std::int64_t>(1, 2 * max_sums(target) / streams) : max_sums(target))
          .in_run();

  Tensor reduced = p.kept() > 0 && streams > 1 ? far_rows(workload, p, streams) : p.y;
  Schedule s = create_schedule(p.y);
  // Without a dimension that is kept there is no loop to compute at but that over partial results.
  if (parallel == "reduction" || p.kept() == 0) reduced = share_reduction(t, s, p, parallel == "reduction", streams);
  const int results = reduced.rank();
  IterVar at = s[reduced].axis(results - 1);
  if (streams > 1 && p.kept() == 0) {
    const auto [block, stream] = s[reduced].split(at, factor(streams));
    s[reduced].unroll(stream);
    at = block;
  } else if (streams > 1) {
    s[reduced].unroll(at);
    at = s[reduced].axis(0);
  }
  if (parallel == "reduction") s[reduced].parallel(streams > 1 ? at : s[reduced].axis(0));
  if (parallel == "results") {
    const IterVar inside = share_loop(t, s[reduced], s[reduced].axis(0)).second;
    if (results == 1 || streams > 1) at = inside;
  }
  const std::vector<Tensor> partial = reduce_in_vectors(s, reduced, reduce_loops(s[reduced]).back(), tile, streams);
  for (const Tensor& stage : partial) s[stage].compute_at(s[reduced], at);
  if (const std::int64_t ahead = define_prefetch(t, p.bytes, target)) {
    s[partial.front()].prefetch(p.x, reduce_loops(s[partial.front()]).back(), ahead);
  }
  return s;
}

struct ColumnKnobs {
  std::string parallel;
  bool blocked;  ///< what is reduced is taken in blocks, between which Y keeps the sums
  VectorTileKnobs tile;
  std::int64_t rows;  ///< of a block, or those that are unrolled
};

ColumnKnobs define_column_knobs(Tuning& t, const Problem& p, const Target& target) {
  const std::int64_t columns = p.groups.back().extent;
  const std::int64_t innermost = p.groups[p.groups.size() - 2].extent;  // of what is reduced
  std::vector<std::string> options{"none"};
  if (columns > 2 * target.lanes(p.y.dtype())) options.emplace_back("columns");
  if (p.kept() > 1) options.emplace_back("results");
  if (!even_blocks(p.groups[p.groups[0].reduced ? 0 : 1].extent).empty()) options.emplace_back("reduction");
  const std::string parallel = choose_parallel(t, target, options);
  const bool blocked =
      t.choose("reduction", p.reduced() == 1 && innermost >= 16 && columns >= 4 * target.lanes(p.y.dtype())
                                ? std::vector<std::string>{"full", "blocked"}
                                : std::vector<std::string>{"full"}) == "blocked";
  const VectorTileKnobs tile = define_vectors(t, columns, p.y.dtype(), target, max_sums(target));
  std::vector<std::int64_t> counts =
      blocked ? std::vector<std::int64_t>{8, 16, 32, 64} : std::vector<std::int64_t>{1, 2, 4, 8};
  std::erase_if(counts, [&](std::int64_t count) { return count > innermost; });
  return {parallel, blocked, tile, t.define_knob("rows_together", counts)};
}

/// Has threads share the columns of `reduced`, or its outermost dimension, where they do not share what is reduced.
/// Returns the loop over columns that is left.
IterVar share_columns(Tuning& t, Stage reduced, const ColumnKnobs& knobs, std::int64_t columns) {
  const int results = reduced.tensor().rank();
  const IterVar column = reduced.axis(results - 1);
  VectorBlocks blocks{1, columns};
  IterVar left = column;
  if (knobs.parallel == "columns") {
    blocks = define_vector_blocks(t, columns, knobs.tile);
    const auto [shared, inside] = reduced.split(column, factor(blocks.elements), Tail::partition());
    std::vector<IterVar> order{shared};
    for (int axis = 0; axis + 1 < results; ++axis) order.push_back(reduced.axis(axis));
    reduced.reorder(order).parallel(shared);
    left = inside;
  } else if (knobs.parallel == "results") {
    share_loop(t, reduced, reduced.axis(0));
  }
  if (knobs.blocked) {
    t.require(whole_tiles(columns, knobs.tile, blocks) >= 2,
              "a block of columns has less than two tiles, which are better summed up as a whole");
  }
  return left;
}

/// Moves the loop over blocks of what is reduced outside of `over`, the loop over tiles of columns.
void move_blocks_outside(Stage reduced, const IterVar& block, const IterVar& over) {
  std::vector<IterVar> inside{block};
  for (const IterVar& loop : reduced.loops()) {
    if (loop == over || inside.size() > 1) inside.push_back(loop);
  }
  inside.pop_back();  // the last one is the blocks' again
  reduced.reorder(inside);
}

/// The sums of a tile of columns in vectors, some rows at a time.
void schedule_sums(Stage tile, std::int64_t lanes, std::int64_t unrolled) {
  std::vector<IterVar> order = reduce_loops(tile);
  const auto [vector, lane] = tile.split(tile.axis(tile.tensor().rank() - 1), factor(lanes));
  tile.unroll(vector).vectorize(lane);
  const auto [outer, inner] = tile.split(order.back(), factor(unrolled), Tail::partition());
  tile.unroll(inner);
  order.back() = outer;
  order.insert(order.end(), {inner, vector, lane});
  tile.reorder(order);
}

Schedule schedule_columns(Tuning& t, const Problem& p, const Target& target) {
  const ColumnKnobs knobs = define_column_knobs(t, p, target);
  const VectorTile shape = knobs.tile.in_run();
  Schedule s = create_schedule(p.y);
  Tensor reduced = p.y;
  if (knobs.parallel == "reduction") reduced = share_reduction(t, s, p, true);
  Tensor tile;
  IterVar block;
  if (knobs.blocked) {
    block = s[reduced].split(s[reduced].reduce_axis(0), factor(knobs.rows), Tail::partition()).first;
    tile = s.cache_write(reduced, ir::Scope::kRegister, block);
  } else {
    tile = s.cache_write(reduced, ir::Scope::kRegister);
  }
  if (knobs.parallel == "reduction") s[reduced].parallel(s[reduced].axis(0));
  const IterVar column = share_columns(t, s[reduced], knobs, p.groups.back().extent);
  const IterVar over = split_vectors(s[reduced], column, shape);
  if (knobs.blocked) move_blocks_outside(s[reduced], block, over);
  s[tile].compute_at(s[reduced], over);
  schedule_sums(s[tile], shape.lanes, knobs.blocked ? kUnrolled : knobs.rows);
  if (reduced == p.y) return s;
  // The partial results are combined in vectors, too.
  const IterVar whole = s[p.y].axis(p.kept() - 1), last = s[p.y].loops().back();
  const auto [rest, elements] = s[p.y].split(whole, factor(shape.lanes), Tail::predicate());
  s[p.y].reorder({rest, last, elements}).vectorize(elements);
  return s;
}

Schedule schedule_reduce(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  Problem p{definition.args[0], definition.args[1], reduce_groups(workload), definition.bytes};
  Schedule s = p.groups.back().reduced ? schedule_rows(t, workload, p, target) : schedule_columns(t, p, target);
  definition.args[1] = p.y;
  return s;
}

std::vector<Config> reduce_seeds(const Workload& workload, const Target& target) {
  double elements = 1;
  for (const ReduceGroup& group : reduce_groups(workload)) elements *= static_cast<double>(group.extent);
  const Type type = workload.type("dtype");
  const bool is_large = elements * type.bytes() > static_cast<double>(target.l2_bytes);
  std::vector<Config> seeds;
  for (const char* parallel : {"results", "columns", "reduction", "none"}) {
    if (is_large) {
      append(seeds,
             seed_rows({"parallel", "reduction", "vectors", "rows_together", "blocks", "streams", "vector_lanes"},
                       {{parallel, "blocked", 2, 8, target.threads, "eight", half_lanes(type, target)}}));
    }
    append(seeds, seed_product({{"parallel", {parallel}},
                                {"reduction", {"blocked", "full"}},
                                {"vectors", {8, 4}},
                                {"rows_together", {8}},
                                {"blocks", {target.threads}}}));
  }
  return complete_seeds(reduce_cpu_template(), workload, target, seeds);
}

}  // namespace

Template reduce_cpu_template() { return {"reduce.cpu", 2, {DeviceKind::kCpu}, schedule_reduce, reduce_seeds}; }

}  // namespace nestwright
