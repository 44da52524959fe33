#include "templates/loops/reductions.h"

#include <algorithm>

#include "templates/loops/divide.h"

namespace nestwright {

bool has_several(const IterVar& loop) { return !ir::is_const_int(loop.extent(), 1); }

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

std::vector<std::int64_t> reduction_blocks(std::int64_t extent, std::int64_t streams) {
  std::vector<std::int64_t> counts = even_blocks(extent / streams);
  if (!counts.empty() || streams > 1) return counts;
  constexpr std::int64_t kLongBlock = 64;  // steps, of which the guard of the last block is a small part
  counts = {2, 4, 8, 16, 32, 64};
  std::erase_if(counts, [&](std::int64_t count) { return kLongBlock * count > extent; });
  return counts;
}

IterVar move_innermost(Stage stage, std::vector<IterVar> loops) {
  const auto last = std::find_if(loops.rbegin(), loops.rend(), has_several);
  if (last != loops.rbegin() && last != loops.rend()) {
    std::rotate(loops.rbegin(), last, last + 1);
    stage.reorder(loops);
  }
  return loops.back();
}

Tensor split_reduction(Tuning& t, Schedule& s, const Tensor& y, int axis, bool in_threads, std::int64_t streams) {
  const IterVar shared = s[y].reduce_axis(axis);
  const std::int64_t extent = *ir::as_const_int(shared.extent());
  const std::int64_t blocks = in_threads ? t.define_knob("blocks", reduction_blocks(extent, streams)) : KnobExpr(1);
  return s.rfactor(y, s[y].split(shared, factor(ceil_div(extent, blocks * streams))).first, 0);
}

}  // namespace nestwright
