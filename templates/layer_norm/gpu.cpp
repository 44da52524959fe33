// The GPU template of layer normalisation: each block of threads computes one row, or several.
//
//   blocks of rows:
//     row     = X's rows                                        (fetched into shared memory; or read again each time)
//     mean    = sum of row / columns                            (each thread its share, then shares of shares)
//     inverse = 1 / sqrt(sum of (row - mean)^2 / columns + epsilon)
//     Y       = (row - mean) * inverse * scale + shift
#include "templates/framework/space/completion.h"
#include "templates/layer_norm/layer_norm.h"
#include "templates/loops/gpu_rows.h"

namespace nestwright {
namespace {

using Indices = std::span<const Expr>;

Schedule schedule_layer_norm(Tuning& t, const Workload& workload, Definition& definition, const Target& target) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const Tensor x = definition.args[0], scale = definition.args[1], shift = definition.args[2];
  const Type type = x.dtype();
  const bool one_fits = columns * type.bytes() <= target.shared_bytes / 2;
  const bool staged = t.choose("row", one_fits ? std::vector<std::string>{"shared", "read"}
                                               : std::vector<std::string>{"read"}) == "shared";
  const RowBlocksKnobs knobs = define_row_blocks(t, rows, columns, type, target);
  t.require(
      bytes_of_shares(knobs, 2, type) + knobs.rows * type.bytes() * (2 + (staged ? columns : 0)) <= target.shared_bytes,
      "the rows do not fit into a block's shared memory");
  const RowBlocks blocks = knobs.in_run();
  const std::vector<Expr> shape{Expr(rows), Expr(columns)};

  const Tensor row = staged ? compute(shape, [&](Expr i, Expr j) { return x(i, j); }, "row") : x;
  const Expr weight = ir::make_float(1.0 / static_cast<double>(columns), type);
  SharedReduction what{.rows = {Expr(rows)},
                       .extent = columns,
                       .threads = blocks.threads,
                       .fan_in = blocks.fan_in,
                       .shuffles = blocks.shuffles,
                       .kind = ir::ReducerKind::kSum,
                       .type = type,
                       .element = [&](Indices i, const Expr& k) { return row(i[0], k); },
                       .name = "total"};
  const ReducedRows total = reduce_by_threads(what);
  const Tensor mean = compute({Expr(rows)}, [&](Expr i) { return total.result(i) * weight; }, "mean");
  const auto centred = [&](const Expr& i, const Expr& j) { return row(i, j) - mean(i); };
  what.element = [&](Indices i, const Expr& k) { return centred(i[0], k) * centred(i[0], k); };
  what.name = "squares";
  const ReducedRows squares = reduce_by_threads(what);
  const Tensor inverse = compute(
      {Expr(rows)},
      [&](Expr i) { return rsqrt(squares.result(i) * weight + ir::make_float(workload.number("epsilon"), type)); },
      "inverse");
  const Tensor y = definition.args[3] =
      compute(shape, [&](Expr i, Expr j) { return centred(i, j) * inverse(i) * scale(j) + shift(j); }, "Y");

  Schedule s = create_schedule(y);
  const IterVar thread = bind_row_blocks(s[y], blocks);
  if (staged) schedule_staged_rows(s[row], s[y], thread, blocks);
  schedule_row_reduction(s, total, y, thread, blocks);
  schedule_row_value(s[mean], s[y], thread, blocks);
  schedule_row_reduction(s, squares, y, thread, blocks);
  schedule_row_value(s[inverse], s[y], thread, blocks);
  return s;
}

std::vector<Config> layer_norm_seeds(const Workload& workload, const Target& target) {
  std::vector<Config> seeds;
  for (const char* row : {"shared", "read"}) {
    for (Config& seed : row_block_seeds(workload.size("rows"), workload.size("columns"), target)) {
      seed.set("row", {}, row);
      seeds.push_back(std::move(seed));
    }
  }
  return complete_seeds(layer_norm_gpu_template(), workload, target, seeds);
}

}  // namespace

Template layer_norm_gpu_template() { return {"layer_norm.gpu", 2, gpus(), schedule_layer_norm, layer_norm_seeds}; }

}  // namespace nestwright
