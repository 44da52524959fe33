// The CPU template of functions of a matrix and a vector:
//
//   for blocks of columns, or of rows (threads share them):
//     for rows, for tiles of a few vectors in the block:
//       Y = f(X, V)                       (X prefetched some tiles ahead, Y stored non-temporally)
#include "templates/broadcast/broadcast.h"
#include "templates/framework/completion.h"
#include "templates/framework/seed_table.h"
#include "templates/loops/vectors.h"
#include "templates/pointwise/functions.h"

namespace nestwright {
namespace {

Schedule schedule_broadcast(Tuning& t, const Workload& workload, const Definition& definition, const Target& target) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const PointwiseFunction& function = find_pointwise(workload.choice("function"));
  const Tensor x = definition.args[0], y = definition.args[2];
  Schedule s = create_schedule(y);
  std::vector<std::string> options{"none"};
  if (rows > 1) options.emplace_back("rows");
  if (columns > 2 * target.lanes(y.dtype())) options.emplace_back("columns");
  const std::string parallel = choose_parallel(t, target, options);
  const VectorTileKnobs tile = define_vectors(t, columns, y.dtype(), target, max_vectors(function, target));
  const IterVar row = s[y].axis(0);
  IterVar column = s[y].axis(1);
  if (parallel == "rows") {
    share_loop(t, s[y], row);
  } else if (parallel == "columns") {
    const VectorBlocks blocks = define_vector_blocks(t, columns, tile);
    const auto [block, inside] = s[y].split(column, factor(blocks.elements), Tail::partition());
    s[y].reorder({block, row}).parallel(block);
    column = inside;
  }
  const IterVar over = split_vectors(s[y], column, tile.in_run());
  if (const std::int64_t ahead = define_prefetch(t, definition.bytes, target)) s[y].prefetch(x, over, ahead);
  if (define_streaming(t, y, columns, target)) s[y].stream();
  return s;
}

std::vector<Config> broadcast_seeds(const Workload& workload, const Target& target) {
  return complete_seeds(
      broadcast_cpu_template(), workload, target,
      seed_product({{"parallel", {"rows", "columns", "none"}}, {"vectors", {4, 2, 8}}, {"blocks", {target.threads}}}));
}

}  // namespace

Template broadcast_cpu_template() {
  return {"broadcast.cpu", 2, {DeviceKind::kCpu}, schedule_broadcast, broadcast_seeds};
}

}  // namespace nestwright
