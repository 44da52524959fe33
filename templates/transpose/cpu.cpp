// The CPU template of the transposition: square tiles, a vector wide, are read by rows and stored by columns, which the
// code generator turns in registers by shuffles.
//
//   for blocks of X's columns, blocks of its rows (in either order; threads share the outer ones, or one of them):
//     for tiles in the block (in either order):
//       tile[lanes, lanes] = X[rows, columns]          (in registers)
//       Y[columns, rows] = tile's columns
#include "templates/framework/completion.h"
#include "templates/framework/seed_table.h"
#include "templates/loops/candidates.h"
#include "templates/loops/divide.h"
#include "templates/loops/vectors.h"
#include "templates/transpose/transpose.h"

namespace nestwright {
namespace {

Schedule schedule_transpose(Tuning& t, const Workload& workload, const Definition& definition, const Target& target) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const Tensor x = definition.args[0], y = definition.args[1];
  Schedule s = create_schedule(y);
  const std::string parallel = choose_parallel(t, target, {"none", "columns", "rows"});

  const std::int64_t full = full_lanes(std::max(rows, columns), x.dtype(), target);
  std::vector<std::int64_t> sides;
  for (std::int64_t side = full; side >= 4 || side == full; side /= 2) sides.push_back(side);
  const KnobExpr side = t.define_knob("tile", sides);
  const std::vector<std::int64_t> counts{1, 2, 4, 8, 16, 32, 64, 128};
  const KnobExpr row_tiles = t.define_knob("row_tiles", up_to(counts, ceil_div(rows, sides.back()))),
                 column_tiles = t.define_knob("column_tiles", up_to(counts, ceil_div(columns, sides.back())));
  const bool rows_outer = t.define_reorder("block_order", {{0, 1}, {1, 0}})[0] == 0,
             rows_outer_in_block = t.define_reorder("tile_order", {{0, 1}, {1, 0}})[0] == 0;
  t.require(side * (row_tiles - 1) < rows && side * (column_tiles - 1) < columns,
            "a block has tiles that lie wholly past the end");

  const auto [column_block, in_column_block] = s[y].split(s[y].axis(0), factor(side * column_tiles), Tail::partition());
  const auto [row_block, in_row_block] = s[y].split(s[y].axis(1), factor(side * row_tiles), Tail::partition());
  const auto [column_tile, column] = s[y].split(in_column_block, factor(side), Tail::partition());
  const auto [row_tile, row] = s[y].split(in_row_block, factor(side), Tail::predicate());
  std::vector<IterVar> order{row_block, column_block};
  if (!rows_outer) std::swap(order[0], order[1]);
  order.insert(order.end(), {row_tile, column_tile});
  if (!rows_outer_in_block) std::swap(order[2], order[3]);
  const IterVar innermost = order.back();
  order.insert(order.end(), {column, row});
  s[y].reorder(order).unroll(column).vectorize(row);
  if (define_streaming(t, y, rows, target)) s[y].stream();
  if (parallel != "none") s[y].parallel(parallel == "rows" ? row_block : column_block);

  const Tensor tile = s.cache_read(x, ir::Scope::kRegister, {y});
  s[tile].unroll(s[tile].axis(0)).vectorize(s[tile].axis(1)).compute_at(s[y], innermost);
  return s;
}

std::vector<Config> transpose_seeds(const Workload& workload, const Target& target) {
  const double bytes = workload.type("dtype").bytes() * static_cast<double>(workload.size("rows")) *
                       static_cast<double>(workload.size("columns"));
  std::vector<Config> seeds;
  for (const char* parallel : {"columns", "rows", "none"}) {
    const std::vector<std::string> knobs{"parallel", "row_tiles", "column_tiles", "stores"};
    append(seeds, seed_rows(knobs, {{parallel, 4, 4, "cached"}}));
    // Runs of a quarter of a page and more, both ways, that leave room for what is read in the second-level cache.
    if (bytes > static_cast<double>(target.l2_bytes)) {
      append(seeds, seed_rows(knobs, {{parallel, 16, 16, "streaming"}, {parallel, 32, 32, "streaming"}}));
    }
    append(seeds, seed_rows(knobs, {{parallel, 1, 1, "cached"}, {parallel, 8, 8, "cached"}}));
  }
  return complete_seeds(transpose_cpu_template(), workload, target, seeds);
}

}  // namespace

Template transpose_cpu_template() {
  return {"transpose.cpu", 1, {DeviceKind::kCpu}, schedule_transpose, transpose_seeds};
}

}  // namespace nestwright
