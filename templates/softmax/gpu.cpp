// The GPU template of softmax: each block of threads computes one row, or several.
//
//   blocks of rows:
//     row     = X's rows                                        (fetched into shared memory; or read again each time)
//     largest = max of row                                      (each thread its share, then shares of shares)
//     power   = exp(row - largest)                              (in shared memory; or computed again by each reader)
//     total   = sum of power
//     Y       = power * (1 / total)
#include "templates/framework/knobs/seed_table.h"
#include "templates/framework/space/completion.h"
#include "templates/loops/gpu_rows.h"
#include "templates/softmax/softmax.h"

namespace nestwright {
namespace {

using Indices = std::span<const Expr>;

struct Knobs {
  bool staged;        ///< X's rows are kept in shared memory
  bool keeps_powers;  ///< and so are the powers
  RowBlocks blocks;
};

Knobs define_knobs(Tuning& t, std::int64_t rows, std::int64_t columns, Type type, const Target& target) {
  const bool one_fits = columns * type.bytes() <= target.shared_bytes / 2;
  const auto options = [&](const char* without, const char* with) {
    return one_fits ? std::vector<std::string>{with, without} : std::vector<std::string>{without};
  };
  Knobs knobs;
  knobs.staged = t.choose("row", options("read", "shared")) == "shared";
  knobs.keeps_powers = t.choose("powers", options("again", "shared")) == "shared";
  const RowBlocksKnobs blocks = define_row_blocks(t, rows, columns, type, target);
  knobs.blocks = blocks.in_run();
  const std::int64_t copies = (knobs.staged ? 1 : 0) + (knobs.keeps_powers ? 1 : 0);
  t.require(
      bytes_of_shares(blocks, 2, type) + blocks.rows * type.bytes() * (1 + copies * columns) <= target.shared_bytes,
      "the rows do not fit into a block's shared memory");
  return knobs;
}

Schedule schedule_softmax(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const Tensor x = definition.args[0];
  const Type type = x.dtype();
  const Knobs knobs = define_knobs(t, rows, columns, type, target);
  const RowBlocks& blocks = knobs.blocks;
  const std::vector<Expr> shape{Expr(rows), Expr(columns)};

  const Tensor row = knobs.staged ? compute(shape, [&](Expr i, Expr j) { return x(i, j); }, "row") : x;
  SharedReduction what{.rows = {Expr(rows)},
                       .extent = columns,
                       .threads = blocks.threads,
                       .fan_in = blocks.fan_in,
                       .shuffles = blocks.shuffles,
                       .kind = ir::ReducerKind::kMax,
                       .type = type,
                       .element = [&](Indices i, const Expr& k) { return row(i[0], k); },
                       .name = "largest"};
  const ReducedRows largest = reduce_by_threads(what);
  const Tensor power = compute(shape, [&](Expr i, Expr j) { return exp(row(i, j) - largest.result(i)); }, "power");
  what.kind = ir::ReducerKind::kSum;
  what.element = [&](Indices i, const Expr& k) { return power(i[0], k); };
  what.name = "total";
  const ReducedRows total = reduce_by_threads(what);
  const Tensor share = compute({Expr(rows)}, [&](Expr i) { return 1.0 / total.result(i); }, "share");
  const Tensor y = definition.args[1] = compute(shape, [&](Expr i, Expr j) { return power(i, j) * share(i); }, "Y");

  Schedule s = create_schedule(y);
  if (!knobs.keeps_powers) s[power].compute_inline();
  const IterVar thread = bind_row_blocks(s[y], blocks);
  if (knobs.staged) schedule_staged_rows(s[row], s[y], thread, blocks);
  schedule_row_reduction(s, largest, y, thread, blocks);
  if (knobs.keeps_powers) schedule_staged_rows(s[power], s[y], thread, blocks);
  schedule_row_reduction(s, total, y, thread, blocks);
  schedule_row_value(s[share], s[y], thread, blocks);
  return s;
}

std::vector<Config> softmax_seeds(const Workload& workload, const Target& target) {
  std::vector<Config> seeds;
  for (const auto& [row, powers] :
       {std::pair{"read", "shared"}, {"shared", "again"}, {"read", "again"}, {"shared", "shared"}}) {
    for (Config& seed : row_block_seeds(workload.size("rows"), workload.size("columns"), target)) {
      seed.set("row", {}, row);
      seed.set("powers", {}, powers);
      seeds.push_back(std::move(seed));
    }
  }
  return complete_seeds(softmax_gpu_template(), workload, target, seeds);
}

}  // namespace

Template softmax_gpu_template() { return {"softmax.gpu", 2, gpus(), schedule_softmax, softmax_seeds}; }

}  // namespace nestwright
