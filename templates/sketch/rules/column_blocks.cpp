// column_blocks: points that read reductions of columns, such as a softmax along the channels, take a few vectors of
// the columns at a time, and all rows of them, so that what is reduced is still in the caches where the points are
// computed. A choice beside loops over rows (rows). The reductions join at the loop over tiles of columns
// (join_columns).
//
//   for k: for j: s[j] += A[k, j]                        for j tiles:
//   for k: for j: C[k, j] = A[k, j]/s[j]       ->          s of the tile
//                                                          for k: C[k, vectors] = A[k, vectors]/s
#include <algorithm>

#include "templates/sketch/nests/parallelize_outer_loops.h"
#include "templates/sketch/rules.h"
#include "templates/sketch/rules/inner_loops.h"

namespace nestwright {
namespace {

struct Followers {
  std::set<int> axes;  ///< of the root, those that all followers have, too
  bool reduces = false;
  bool is_expensive = false;
};

/// The stages that can be computed for a tile of the root's columns.
Followers column_followers(Sketch& sketch, int root) {
  const StageAnalysis& points = sketch.of(root);
  Followers found{{}, false, points.expensive > 0};
  for (int axis = 0; axis < points.spatial; ++axis) found.axes.insert(axis);
  sketch.for_each_follower(root, [&](int i, const SketchRelation& relation) {
    if (!may_follow_columns(sketch, i, relation, points.last_axis())) return false;
    found.reduces = found.reduces || sketch.of(i).is_reduction;
    found.is_expensive = found.is_expensive || sketch.of(i).expensive > 0;
    std::erase_if(found.axes, [&](int axis) { return !relation.has_axis(axis); });
    return true;
  });
  return found;
}

}  // namespace

bool has_column_blocks(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (stage.is_reduction || stage.is_scan_part || stage.spatial == 0 || sketch.row_streams > 0) return false;
  if (stage.extents[static_cast<std::size_t>(stage.last_axis())] < 2 || !column_followers(sketch, number).reduces) {
    return false;
  }
  return sketch.choose_once(stage.name + ".order", {"rows", "columns"}) == "columns";
}

void schedule_column_blocks(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  const int last = stage.last_axis();
  const Followers followers = column_followers(sketch, number);
  Stage loops = sketch.loops_of(number);
  std::vector<SketchLoop> nest;
  std::vector<IterVar> inside;
  std::int64_t rows = 1;
  for (int axis = 0; axis < stage.spatial; ++axis) {
    if (axis == last) continue;
    if (followers.axes.count(axis) == 0) {
      inside.push_back(loops.axis(axis));
    } else {
      nest.push_back({loops.axis(axis), {axis}, false});
      rows *= stage.extents[static_cast<std::size_t>(axis)];
    }
  }
  ScopedTuning t = sketch.knobs_of(number);
  const std::int64_t extent = stage.extents[static_cast<std::size_t>(last)];
  const std::int64_t most = max_vectors(followers.is_expensive, sketch.target);
  const VectorTileKnobs tile = define_vectors(t, extent, widest_type(stage), sketch.target, most);
  // Threads share rows, or blocks of columns if there are few rows.
  const bool in_blocks = sketch.parallel && rows < kTasksOfThread * sketch.target.threads && extent > kFewColumns;
  const IterVar over = schedule_columns(t, loops, loops.axis(last), extent, tile, in_blocks);
  const std::vector<IterVar> all = loops.loops();
  const auto at = std::find(all.begin(), all.end(), over);
  std::vector<IterVar> order;
  if (in_blocks) order.push_back(*(at - 1));
  for (const SketchLoop& row : nest) order.push_back(row.loop);
  order.push_back(over);
  order.insert(order.end(), inside.begin(), inside.end());
  order.insert(order.end(), {*(at + 1), *(at + 2)});  // vector, lane
  loops.reorder(order);
  define_stores(sketch, t, stage, extent);
  const int row_loops = static_cast<int>(nest.size());
  if (!in_blocks) nest = parallelize_outer_loops(sketch, number, std::move(nest), row_loops);
  nest.push_back({over, {last}, false});
  sketch.add_nest({SketchNest::Kind::kColumns, number, std::move(nest), tile.in_run()});
}

}  // namespace nestwright
