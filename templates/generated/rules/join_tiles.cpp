// join_tiles: what the tiles of a reduction read, as padding, is computed for the blocks that read it, or as a whole.
//
//   P[i] = padded A[i];  for i blocks: for i tiles: C = sum of P        (root)
//   for i blocks: P of the block; for i tiles: C = sum of P             (block; or further inside)
#include <algorithm>

#include "templates/generated/inner_loops.h"
#include "templates/generated/rules.h"

namespace nestwright {
namespace {

/// The loops that the stage may join: the outermost and the innermost one that moves its region.
std::vector<int> loops_to_join(const Nest& nest, const NestRelation& relation) {
  std::vector<int> found;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    const std::set<int>& axes = nest.loops[i].axes;
    const bool moves = std::any_of(axes.begin(), axes.end(), [&](int axis) {
      return std::any_of(relation.axes.begin(), relation.axes.end(),
                         [&](const std::set<int>& dimension) { return dimension.count(axis) > 0; });
    });
    if (moves) found.push_back(static_cast<int>(i));
  }
  if (found.size() > 2) found.erase(found.begin() + 1, found.end() - 1);
  return found;
}

}  // namespace

bool may_join_tiles(Sketch& sketch, int stage) {
  const StageAnalysis& analysis = sketch.of(stage);
  const int nest = sketch.nest_of_readers(stage);
  return !analysis.is_output && !analysis.is_scan_part && !analysis.is_reduction && nest >= 0 &&
         sketch.nests[static_cast<std::size_t>(nest)].kind == Nest::Kind::kTiles;
}

void join_tiles(Sketch& sketch, int number) {
  const int nest_number = sketch.nest_of_readers(number);
  const Nest& nest = sketch.nests[static_cast<std::size_t>(nest_number)];
  const std::vector<int> loops = loops_to_join(nest, sketch.relation(number, nest_number));
  std::vector<std::string> options{"root"};
  if (!loops.empty()) options.emplace_back("block");
  if (loops.size() > 1) options.emplace_back("tile");
  const std::string chosen = sketch.choose(sketch.of(number).name + ".at", options);
  if (chosen == "root") {
    schedule_rows(sketch, number);
    return;
  }
  const int at = chosen == "block" ? loops.front() : loops.back();
  ScopedTuning t = sketch.knobs_of(number);
  schedule_points(sketch, t, number, false);
  sketch.loops_of(number).compute_at(sketch.loops_of(nest.stage), nest.loops[static_cast<std::size_t>(at)].loop);
  sketch.join(number, nest_number, at);
}

}  // namespace nestwright
