// tensorize: splits off the loops of a tile and moves them innermost, one step at a time.
#include <algorithm>

#include "schedule/state/scan_parts.h"
#include "tests/property/draw/drawer.h"
#include "tests/property/intrinsics.h"

namespace nestwright::property {
namespace {

/// The stage that computes the tile: the tensor's own, or, after cache_write or rfactor, the one with its reduction.
const StageState* stage_of(const ScheduleState& state, const Tile& tile) {
  const ComputeOp& pattern = *tile.intrinsic.pattern.op().compute();
  const StageState* found = nullptr;
  for (const StageState& stage : state.stages) {
    const ComputeOp& own = *stage.op.compute();
    if (own.reduce_axes.size() != pattern.reduce_axes.size() || own.axes.size() < pattern.axes.size()) continue;
    if (stage.origin == tile.tensor) return &stage;
    if (stage.origin.dtype() == tile.tensor.dtype()) found = &stage;
  }
  return found;
}

/// The innermost part of an axis after its splits; absent where it was fused.
std::optional<IterVar> innermost(const StageState& stage, IterVar axis) {
  while (std::find(stage.leaves.begin(), stage.leaves.end(), axis) == stage.leaves.end()) {
    const auto of_axis = [&](const Relation& relation) {
      const auto* split = std::get_if<SplitRelation>(&relation);
      return split != nullptr && split->parent == axis;
    };
    const auto split = std::find_if(stage.relations.begin(), stage.relations.end(), of_axis);
    if (split == stage.relations.end()) return std::nullopt;
    axis = std::get<SplitRelation>(*split).inner;
  }
  return axis;
}

/// Applies the next missing step: a split, the reorder, or tensorize. False where an axis is not a loop any more.
bool advance(Schedule& schedule, const Tile& tile, const Tail& tail) {
  const StageState* stage = stage_of(schedule.state(), tile);
  if (stage == nullptr || stage->tensorize) return false;
  Stage handle = schedule[stage->origin];
  const ComputeOp &own = *stage->op.compute(), &pattern = *tile.intrinsic.pattern.op().compute();
  std::vector<IterVar> axes(own.axes.end() - static_cast<std::ptrdiff_t>(pattern.axes.size()), own.axes.end());
  std::vector<IterVar> sizes = pattern.axes, inside;
  axes.insert(axes.end(), own.reduce_axes.begin(), own.reduce_axes.end());
  sizes.insert(sizes.end(), pattern.reduce_axes.begin(), pattern.reduce_axes.end());
  for (std::size_t n = 0; n < axes.size(); ++n) {
    const std::optional<IterVar> loop = innermost(*stage, axes[n]);
    if (!loop) return false;
    const std::int64_t wanted = *ir::as_const_int(sizes[n].extent());
    const std::int64_t* extent = ir::as_const_int(loop->extent());
    if (extent == nullptr || *extent != wanted) {
      handle.split(*loop, factor(wanted), tail);
      return true;
    }
    inside.push_back(*loop);
  }
  const ScheduleState& state = schedule.state();
  const auto number = static_cast<int>(stage - state.stages.data());
  std::vector<IterVar> order;
  for (const IterVar& leaf : stage->leaves) {
    const bool stays = !state.states.empty() && is_time_axis(state, number, leaf);
    if (!stays && std::find(inside.begin(), inside.end(), leaf) == inside.end()) order.push_back(leaf);
  }
  order.insert(order.end(), inside.begin(), inside.end());
  if (std::equal(inside.rbegin(), inside.rend(), stage->leaves.rbegin())) {
    handle.tensorize(inside.front(), tile.intrinsic);
  } else {
    handle.reorder(order);
  }
  return true;
}

}  // namespace

bool draw_tensorize(Draw& d) {
  if (d.choices.chance(6)) {  // any stage with any intrinsic
    const StageState* stage = d.stage();
    const auto loop = stage == nullptr ? std::nullopt : d.loop(*stage);
    if (!loop) return false;
    d.handle(*stage).tensorize(*loop, d.choices.of(own_intrinsics()));
    return true;
  }
  if (d.tiles().empty()) return false;
  const Tile& tile = d.choices.of(d.tiles());
  const Tail tail = std::vector<Tail>{Tail::guard(), Tail::partition(), Tail::predicate()}[d.choices.below(3)];
  if (!advance(d.schedule(), tile, tail)) return false;
  for (std::size_t steps = tile.intrinsic.pattern.op().compute()->axes.size() + 3; steps > 0; --steps)
    d.then("tensorize", [&schedule = d.schedule(), &tile, tail] { advance(schedule, tile, tail); });
  return true;
}

}  // namespace nestwright::property
