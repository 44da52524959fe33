// column_blocks: points that read reductions of columns, such as a softmax along the channels, take a few vectors of
// the columns at a time, and all rows of them, so that what is reduced is still in the caches where the points are
// computed. A choice beside loops over rows (rows). The reductions join at the loop over tiles of columns
// (join_columns).
//
//   for k: for j: s[j] += A[k, j]                        for j tiles:
//   for k: for j: C[k, j] = A[k, j]/s[j]       ->          s of the tile
//                                                          for k: C[k, vectors] = A[k, vectors]/s
#include <algorithm>

#include "templates/generated/inner_loops.h"
#include "templates/generated/rules.h"
#include "templates/generated/shares.h"

namespace nestwright {
namespace {

/// The axes of the points that all stages to join have, too; none where none of them reduces columns.
std::set<int> columns_in_common(Sketch& sketch, int root) {
  const int last = sketch.of(root).last_axis();
  std::vector<std::pair<int, SketchRelation>> members{{root, sketch.own_relation(root)}};
  std::set<int> common;
  for (int axis = 0; axis < sketch.of(root).spatial; ++axis) common.insert(axis);
  bool is_reduced = false;
  for (int i = root - 1; i >= 0; --i) {
    const std::vector<int>& readers = sketch.of(i).readers;
    const auto is_member = [&](int reader) {
      return std::any_of(members.begin(), members.end(), [&](const auto& member) { return member.first == reader; });
    };
    if (sketch.is_finished(i) || readers.empty() || !std::all_of(readers.begin(), readers.end(), is_member)) continue;
    SketchRelation relation = sketch.relation(i, members);
    if (!may_follow_columns(sketch, i, relation, last)) continue;
    is_reduced = is_reduced || sketch.of(i).is_reduction;
    std::erase_if(common, [&](int axis) {
      return std::find(relation.identity.begin(), relation.identity.end(), axis) == relation.identity.end();
    });
    members.emplace_back(i, std::move(relation));
  }
  return is_reduced ? common : std::set<int>();
}

}  // namespace

bool has_column_blocks(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (stage.is_reduction || stage.is_scan_part || stage.spatial == 0 || sketch.far_rows > 0) return false;
  if (stage.extents[static_cast<std::size_t>(stage.last_axis())] < 2 || columns_in_common(sketch, number).empty())
    return false;
  return sketch.choose_once(stage.name + ".order", {"rows", "columns"}) == "columns";
}

void schedule_column_blocks(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  const int last = stage.last_axis();
  std::set<int> common = columns_in_common(sketch, number);
  common.erase(last);
  Stage loops = sketch.loops_of(number);
  ScopedTuning t = sketch.knobs_of(number);
  const std::int64_t extent = stage.extents[static_cast<std::size_t>(last)];
  const VectorTileKnobs tile = define_vectors(t, extent, widest_type(stage), sketch.target, max_sums(sketch.target));
  std::vector<SketchLoop> nest;
  std::vector<IterVar> inside;
  std::int64_t shared = 1;
  for (int axis = 0; axis < stage.spatial; ++axis) {
    if (axis == last) continue;
    if (common.count(axis) == 0) {
      inside.push_back(loops.axis(axis));
    } else {
      nest.push_back({loops.axis(axis), {axis}, false});
      shared *= stage.extents[static_cast<std::size_t>(axis)];
    }
  }
  const std::int64_t tasks = kTasksOfThread * sketch.target.threads;
  // Threads share rows, or blocks of columns where there are few of them.
  IterVar column = loops.axis(last);
  std::vector<IterVar> order;
  if (sketch.parallel && shared < tasks) {
    const VectorBlocks blocks = define_vector_blocks(t, extent, tile);
    const auto [block, elements] = loops.split(column, factor(blocks.elements), Tail::partition());
    loops.parallel(block);
    order.push_back(block);
    column = elements;
  }
  const VectorTile columns = tile.in_run();
  const IterVar over = split_vectors(loops, column, columns);
  const std::vector<IterVar> all = loops.loops();
  const auto at = std::find(all.begin(), all.end(), over);
  const IterVar vector = *(at + 1), lane = *(at + 2);
  for (const SketchLoop& row : nest) order.push_back(row.loop);
  order.push_back(over);
  order.insert(order.end(), inside.begin(), inside.end());
  order.insert(order.end(), {vector, lane});
  loops.reorder(order);
  define_stores(sketch, t, stage, extent);
  if (sketch.parallel && shared >= tasks) {
    nest = share_loops(sketch, number, std::move(nest), static_cast<int>(nest.size()));
  }
  nest.push_back({over, {last}, false});
  sketch.add_nest({SketchNest::Kind::kColumns, number, std::move(nest), columns});
}

}  // namespace nestwright
