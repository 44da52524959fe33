#include "lower/nest/stage_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "nestwright/error.h"

namespace nestwright {

StageGraph::StageGraph(const ScheduleState& schedule, int index)
    : stage(index),
      state(&schedule.stages[static_cast<std::size_t>(index)]),
      compute(state->op.compute()),
      place(scan_place(schedule, index)) {
  number_axes(schedule);
  const std::size_t count = axes.size();
  if (count > kMaxAxes) {
    throw LowerError(fmt::format("{} has {} axes after its splits and fusions, more than {}: schedule it with fewer",
                                 state->name, count, kMaxAxes));
  }
  position.assign(count, -1);
  for (std::size_t p = 0; p < leaves.size(); ++p) position[leaves[p]] = static_cast<int>(p);
  kinds.assign(count, ir::LoopKind::kSerial);
  for (const auto& [axis, kind] : state->kinds) {
    if (const int known = find(axis); known >= 0) kinds[known] = kind;
  }
  index_edges();
  mark_vectorized();
  first_reduce = static_cast<int>(leaves.size());
  if (is_reduction()) {
    for (std::size_t p = leaves.size(); p-- > 0;) {
      if (axes[leaves[p]].is_reduce()) first_reduce = static_cast<int>(p);
    }
  }
}

void StageGraph::number_axes(const ScheduleState& schedule) {
  const auto number = [this](const IterVar& axis) {
    const int known = find(axis);
    if (known >= 0) return known;
    axes.push_back(axis);
    return static_cast<int>(axes.size()) - 1;
  };
  for (const IterVar& axis : compute->axes) number(axis);
  for (const IterVar& axis : compute->reduce_axes) number(axis);
  rank = static_cast<int>(compute->axes.size());

  // In a blocked reduction, the split whose outer loop this stage keeps is a relation of the tile; its loop is opened
  // here.
  std::vector<const Relation*> relations;
  if (state->tile_stage >= 0) {
    for (const Relation& relation : schedule.stages[static_cast<std::size_t>(state->tile_stage)].relations) {
      const auto* split = std::get_if<SplitRelation>(&relation);
      const auto& blocks = state->block_loops;
      if (split != nullptr && std::find(blocks.begin(), blocks.end(), split->outer) != blocks.end()) {
        relations.push_back(&relation);
      }
    }
  }
  for (const Relation& relation : state->relations) relations.push_back(&relation);

  for (const Relation* pointer : relations) {
    const Relation& relation = *pointer;
    if (const auto* split = std::get_if<SplitRelation>(&relation)) {
      const int parent = number(split->parent), outer = number(split->outer), inner = number(split->inner);
      edges.push_back({AxisEdge::Kind::kSplit, parent, outer, inner,
                       *std::max_element(split->factors.begin(), split->factors.end()), split});
    } else if (const auto* fuse = std::get_if<FuseRelation>(&relation)) {
      const int outer = number(fuse->outer), inner = number(fuse->inner), fused = number(fuse->fused);
      edges.push_back({AxisEdge::Kind::kFuse, fused, outer, inner});
    } else {
      const auto& layout = std::get<LayoutRelation>(relation);
      const int axis = number(layout.axis), outer = number(layout.outer), inner = number(layout.inner);
      edges.push_back({AxisEdge::Kind::kLayout, axis, outer, inner, layout.factor});
    }
  }
  for (const IterVar& leaf : state->leaves) leaves.push_back(number(leaf));
}

void StageGraph::index_edges() {
  const std::size_t count = axes.size();
  edge_of.assign(count, -1);
  pivot_of.assign(count, -1);
  std::vector<bool> made(count, false);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    AxisEdge& edge = edges[e];
    if (edge.kind == AxisEdge::Kind::kFuse) {
      made[edge.parent] = true;
      continue;
    }
    made[edge.outer] = made[edge.inner] = true;
    edge_of[edge.parent] = static_cast<int>(e);
    edge.is_pivot = edge.kind == AxisEdge::Kind::kSplit &&
                    (edge.split->tail.kind != TailKind::kGuard || kinds[edge.inner] == ir::LoopKind::kVectorized);
    if (edge.is_pivot) pivot_of[edge.outer] = static_cast<int>(e);
  }
  for (std::size_t a = 0; a < count; ++a) {
    if (!made[a]) roots.push_back(static_cast<int>(a));
  }
  check(static_cast<int>(roots.size()) >= rank, "an axis of the operation is made by a relation");
}

void StageGraph::mark_vectorized() {
  vectorized.assign(axes.size(), false);
  for (std::size_t a = 0; a < axes.size(); ++a) vectorized[a] = kinds[a] == ir::LoopKind::kVectorized;
  for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
    if (edge->kind == AxisEdge::Kind::kFuse) {
      vectorized[edge->outer] = vectorized[edge->inner] = vectorized[edge->parent];
    } else {
      vectorized[edge->parent] = vectorized[edge->outer] || vectorized[edge->inner];
    }
  }
}

int StageGraph::find(const IterVar& axis) const {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a] == axis) return static_cast<int>(a);
  }
  return -1;
}

}  // namespace nestwright
