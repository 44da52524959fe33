// The CPU template of the transposition: square tiles, a vector wide, are read by rows and stored by columns, which the
// code generator turns in registers by shuffles.
//
//   for blocks of X's columns, blocks of its rows (in either order; threads share the outer ones, or one of them):
//     for tiles in the block (in either order):
//       tile[lanes, lanes] = X[rows, columns]          (in registers)
//       Y[columns, rows] = tile's columns
#include "templates/framework/completion.h"
#include "templates/framework/seed_table.h"
#include "templates/loops/transposed_tile.h"
#include "templates/loops/vectors.h"
#include "templates/transpose/transpose.h"

namespace nestwright {
namespace {

Schedule schedule_transpose(Tuning& t, const Workload& workload, const Definition& definition, const Target& target) {
  const Tensor x = definition.args[0], y = definition.args[1];
  Schedule s = create_schedule(y);
  const std::string parallel = choose_parallel(t, target, {"none", "columns", "rows"});
  const TransposedLoops loops = split_transposed_tiles(t, s[y], {}, s[y].axis(1), s[y].axis(0), x.dtype(), target);
  if (define_streaming(t, y, workload.size("rows"), target)) s[y].stream();
  if (parallel != "none") s[y].parallel(parallel == "rows" ? loops.row_block : loops.column_block);
  read_transposed_tiles(s, x, y, 0, 1, loops.innermost);
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
