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
#include "templates/loops/column_sums.h"
#include "templates/loops/reductions.h"
#include "templates/loops/vectors.h"
#include "templates/reduce/reduce.h"
#include "templates/reduce/shape.h"

namespace nestwright {
namespace {

struct Problem {
  Tensor x, y;
  std::vector<ReduceGroup> groups;
  double bytes;
  int kept() const { return y.rank(); }
  int reduced() const { return static_cast<int>(groups.size()) - kept(); }
};

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
  if (parallel == "reduction" || p.kept() == 0) reduced = share_reduction(t, s, p.y, parallel == "reduction", streams);
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

Schedule schedule_columns(Tuning& t, const Problem& p, const Target& target) {
  const std::int64_t columns = p.groups.back().extent;
  const std::int64_t innermost = p.groups[p.groups.size() - 2].extent;  // of what is reduced
  std::vector<std::string> options{"none"};
  if (columns > 2 * target.lanes(p.y.dtype())) options.emplace_back("columns");
  if (p.kept() > 1) options.emplace_back("results");
  if (!even_blocks(p.groups[p.groups[0].reduced ? 0 : 1].extent).empty()) options.emplace_back("reduction");
  const std::string parallel = choose_parallel(t, target, options);
  ColumnSums sums{.shares_columns = parallel == "columns", .shares_reduction = parallel == "reduction"};
  const bool may_block = p.reduced() == 1 && may_block_column_sums(innermost, columns, target.lanes(p.y.dtype()));
  sums.is_blocked = t.choose("reduction", may_block ? std::vector<std::string>{"full", "blocked"}
                                                    : std::vector<std::string>{"full"}) == "blocked";
  define_column_sums(t, sums, innermost, columns, p.y.dtype(), target);
  Schedule s = create_schedule(p.y);
  const Tensor reduced = sums.shares_reduction ? share_reduction(t, s, p.y, true) : p.y;
  schedule_column_sums(t, s, p.y, reduced, sums);
  if (parallel == "results") share_loop(t, s[p.y], s[p.y].axis(0));
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
