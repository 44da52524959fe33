// The CPU template of functions of a matrix and a vector:
//
//   for blocks of columns, or of rows (threads share them):
//     for rows, for tiles of a few vectors in the block:
//       Y = f(X, V)                       (X prefetched some tiles ahead, Y stored round the caches)
#include "templates/broadcast/broadcast.h"
#include "templates/framework/completion.h"
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
  const VectorTile tile = define_vectors(t, "vectors", columns, y.dtype(), target, most_vectors(function, target));
  const IterVar row = s[y].axis(0);
  IterVar column = s[y].axis(1);
  if (parallel == "rows") {
    share_loop(t, s[y], row);
  } else if (parallel == "columns") {
    const std::int64_t elements = define_vector_blocks(t, "vectors", columns, tile);
    const auto [block, inside] = s[y].split(column, factor(elements), Tail::partition());
    s[y].reorder({block, row}).parallel(block);
    column = inside;
  }
  const IterVar over = split_vectors(s[y], column, tile);
  if (const std::int64_t ahead = define_prefetch(t, definition.bytes, target)) s[y].prefetch(x, over, ahead);
  if (define_streaming(t, y, columns, target)) s[y].stream();
  return s;
}

std::vector<Config> broadcast_seeds(const Workload& workload, const Target& target) {
  std::vector<Config> wishes;
  for (const char* parallel : {"rows", "columns", "none"}) {
    for (const std::int64_t vectors : {4, 2, 8}) {
      Config wish;
      wish.set("parallel", {}, parallel);
      wish.set("vectors", {vectors});
      wish.set("blocks", {target.threads});
      wishes.push_back(std::move(wish));
    }
  }
  return complete_seeds(broadcast_cpu_template(), workload, target, wishes);
}

}  // namespace

Template broadcast_cpu_template() {
  return {"broadcast.cpu", 2, broadcast_operator(), {DeviceKind::kCpu}, schedule_broadcast, broadcast_seeds};
}

}  // namespace nestwright
