#include "templates/loops/reductions.h"

#include <algorithm>

namespace nestwright {

std::vector<IterVar> reduce_loops(Stage stage) {
  std::vector<IterVar> loops;
  for (const IterVar& loop : stage.loops()) {
    if (loop.is_reduce()) loops.push_back(loop);
  }
  return loops;
}

std::vector<std::int64_t> even_blocks(std::int64_t extent) {
  std::vector<std::int64_t> counts{2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64};
  std::erase_if(counts, [&](std::int64_t count) { return 2 * count > extent || extent % count != 0; });
  return counts;
}

int shared_reduce_axis(std::span<const std::int64_t> extents) {
  const auto found =
      std::find_if(extents.begin(), extents.end(), [](std::int64_t extent) { return !even_blocks(extent).empty(); });
  return found == extents.end() ? 0 : static_cast<int>(found - extents.begin());
}

Tensor share_reduction(Tuning& t, Schedule& s, const Tensor& y, int axis, bool in_threads, std::int64_t streams) {
  const IterVar shared = s[y].reduce_axis(axis);
  const std::int64_t extent = *ir::as_const_int(shared.extent());
  const std::int64_t blocks = in_threads ? t.define_knob("blocks", even_blocks(extent / streams)) : KnobExpr(1);
  return s.rfactor(y, s[y].split(shared, factor(extent / (blocks * streams))).first, 0);
}

}  // namespace nestwright
