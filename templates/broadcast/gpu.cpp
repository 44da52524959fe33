// The GPU template of functions of a matrix and a vector, in one of two ways:
//
//   flat:   the elements of the matrix in a row, as those of elementwise; or
//   tiles:  blocks of threads along columns and rows, several rows a thread, so that V's element is read once
//
//   blocks of columns, of rows:  threads along columns, rows:  for rows of the thread:  Y = f(X, V)
#include "templates/broadcast/broadcast.h"
#include "templates/framework/knobs/seed_table.h"
#include "templates/framework/space/completion.h"
#include "templates/loops/candidates.h"
#include "templates/loops/divide.h"
#include "templates/loops/gpu_threads.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxRows = 16;  ///< of a thread
constexpr std::int64_t kMaxThreadsY = 16;
constexpr std::int64_t kWideRow = 256;  ///< elements: shorter rows leave threads idle in tiles

void schedule_flat(Tuning& t, Stage y, std::int64_t rows, std::int64_t columns, const Target& target) {
  const ElementTile tile = define_elements(t, rows * columns, columns, y.tensor().dtype(), target);
  bind_elements(y, {y.axis(0), y.axis(1)}, tile);
}

void schedule_tiles(Tuning& t, Stage y, std::int64_t rows, std::int64_t columns, const Target& target) {
  const ir::Type type = y.tensor().dtype();
  const KnobExpr lanes = t.define_knob("lanes", vector_widths(columns, type));
  const KnobExpr x_threads =
      t.define_knob("threads_x", powers_up_to(std::min<std::int64_t>(target.threads_per_block, 2 * columns)));
  const KnobExpr y_threads = t.define_knob("threads_y", powers_up_to(std::min(kMaxThreadsY, rows)));
  const KnobExpr items = t.define_knob("rows", powers_up_to(std::min(kMaxRows, rows)));
  require_threads(t, x_threads, y_threads, rows * columns, target);
  t.require(y_threads * (items - 1) < rows && ceil_div(rows, y_threads * items) <= kMaxBlocks,
            "a thread has rows that lie wholly past the end, or there are more than 65535 blocks of rows");
  t.require(x_threads * lanes < 2 * columns, "most threads of a block lie past the end of a row");
  const auto [row_block, rest] = y.split(y.axis(0), factor(y_threads * items));
  const auto [item, row] = y.split(rest, factor(y_threads));
  IterVar column = y.axis(1), lane;
  if (lanes > 1) std::tie(column, lane) = y.split(column, factor(lanes));
  const auto [column_block, in_block] = y.split(column, factor(x_threads));
  std::vector<IterVar> order{row_block, column_block, row, in_block, item};
  if (lane.defined()) order.push_back(lane);
  y.reorder(order).bind(row_block, kBlockIdxY).bind(column_block, kBlockIdxX).bind(row, kThreadIdxY);
  y.bind(in_block, kThreadIdxX).unroll(item);
  if (lane.defined()) y.vectorize(lane);
}

Schedule schedule_broadcast(Tuning& t, const Workload& workload, const Definition& definition, const Target& target) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const Tensor y = definition.args[2];
  Schedule s = create_schedule(y);
  const auto schedule = t.choose("mapping", {"flat", "tiles"}) == "flat" ? schedule_flat : schedule_tiles;
  schedule(t, s[y], rows, columns, target);
  return s;
}

std::vector<Config> broadcast_seeds(const Workload& workload, const Target& target) {
  std::vector<Config> flat = element_seeds();
  for (Config& seed : flat) seed.set("mapping", {}, "flat");
  const std::vector<std::string> knobs{"mapping", "lanes", "threads_x", "threads_y", "rows"};
  if (workload.size("columns") < kWideRow) {
    append(flat, seed_rows(knobs, {{"tiles", 4, 64, 4, 4}, {"tiles", 4, 64, 4, 8}, {"tiles", 4, 64, 4, 1}}));
    return complete_seeds(broadcast_gpu_template(), workload, target, flat);
  }
  std::vector<Config> seeds =
      seed_rows(knobs, {{"tiles", 4, 64, 4, 1}, {"tiles", 4, 64, 4, 8}, {"tiles", 4, 64, 4, 4}});
  append(seeds, flat);
  return complete_seeds(broadcast_gpu_template(), workload, target, seeds);
}

}  // namespace

Template broadcast_gpu_template() { return {"broadcast.gpu", 1, gpus(), schedule_broadcast, broadcast_seeds}; }

}  // namespace nestwright
