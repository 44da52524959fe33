#include "schedule/thread_reductions.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/primitives/primitive.h"
#include "support/error.h"

namespace nestwright {
namespace {

IterVar bound_loop_of_reduction(const StageState& stage) {
  for (const auto& [loop, kind] : stage.marked_loops()) {
    if (loop.is_reduce() && ir::is_bound(kind)) return loop;
  }
  return {};
}

/// The axis of the operation that `loop` is a part of by splits; -1 if it is part of a fused loop.
int axis_of(const StageState& stage, IterVar loop) {
  for (auto relation = stage.relations.rbegin(); relation != stage.relations.rend(); ++relation) {
    const auto* split = std::get_if<SplitRelation>(&*relation);
    if (split != nullptr && (split->outer == loop || split->inner == loop)) loop = split->parent;
  }
  const auto& axes = stage.op.compute()->axes;
  const auto axis = std::find(axes.begin(), axes.end(), loop);
  return axis == axes.end() ? -1 : static_cast<int>(axis - axes.begin());
}

/// One stage whose reduction several threads of a block share.
class ThreadReduction {
 public:
  ThreadReduction(ScheduleState& schedule, int stage, const IterVar& loop)
      : schedule_(schedule), stage_(stage), loop_(loop), kind_(at(stage).kinds.at(loop)) {}

  void replace() {
    const Attach place = place_of_partial_results();
    std::vector<std::pair<IterVar, ir::LoopKind>> threads;  // of the rows
    for (const IterVar& leaf : at(stage_).leaves) {
      const auto kind = at(stage_).kinds.find(leaf);
      const bool is_bound = kind != at(stage_).kinds.end() && ir::is_device_thread(kind->second);
      if (is_bound && !leaf.is_reduce()) threads.emplace_back(leaf, kind->second);
    }
    std::vector<int> axes;
    for (const auto& [leaf, kind] : threads) {
      axes.push_back(axis_of(at(stage_), leaf));
      if (axes.back() < 0 || ir::as_const_int(leaf.extent()) == nullptr) {
        refuse(fmt::format("{}, which is bound to {}, was fused or has no constant extent", leaf.name(),
                           ir::loop_kind_name(kind)));
      }
    }
    at(stage_).kinds.erase(loop_);
    make_partial_results(Primitive(schedule_, "rfactor", at(stage_).origin), loop_, 0, true);
    // The new stage comes before the one that was at `stage_`.
    StageState& partial = at(stage_);
    partial.scope = ir::Scope::kShared;
    partial.attach = {AttachKind::kAt, place.stage >= stage_ ? place.stage + 1 : place.stage, place.loop};
    partial.kinds[partial.op.compute()->axes.front()] = kind_;
    for (std::size_t n = 0; n < threads.size(); ++n) {
      const IterVar& axis = partial.op.compute()->axes[static_cast<std::size_t>(axes[n]) + 1];
      share_rows(axis, *ir::as_const_int(threads[n].first.extent()), threads[n].second);
    }
    std::stable_partition(partial.leaves.begin(), partial.leaves.end(), [&](const IterVar& leaf) {
      const auto kind = partial.kinds.find(leaf);
      return kind != partial.kinds.end() && ir::is_bound(kind->second);
    });
  }

 private:
  StageState& at(int stage) const { return schedule_.stages[static_cast<std::size_t>(stage)]; }

  [[noreturn]] void refuse(const std::string& why) const {
    throw LowerError(
        fmt::format("loop {} of {} belongs to its reduction and is bound to {}, but {}: use rfactor, and schedule the "
                    "partial results",
                    loop_.name(), at(stage_).name, ir::loop_kind_name(kind_), why));
  }

  /// The innermost loop around the reduction and all threads.
  Attach place_of_partial_results() const {
    const StageState& stage = at(stage_);
    Attach place = stage.attach;
    for (const IterVar& leaf : stage.leaves) {
      const auto kind = stage.kinds.find(leaf);
      if (leaf.is_reduce() || (kind != stage.kinds.end() && ir::is_thread_index(kind->second))) break;
      place = {AttachKind::kAt, stage_, leaf};
    }
    if (place.kind != AttachKind::kAt) refuse("no loop lies around the threads, such as one bound to blockIdx");
    return place;
  }

  /// Splits the part of `axis` that is not bound yet by `threads`, and binds the inner loop to the index `kind`.
  void share_rows(const IterVar& axis, std::int64_t threads, ir::LoopKind kind) const {
    StageState& partial = at(stage_);
    IterVar loop = axis;
    for (const Relation& relation : partial.relations) {
      const auto& split = std::get<SplitRelation>(relation);
      if (split.parent == loop) loop = split.outer;
    }
    const Primitive primitive(schedule_, "split", partial.origin);
    const SplitRelation split = plan_split(primitive, loop, {{threads}, 0}, Tail::guard());
    apply_split(partial, split);
    partial.kinds[split.inner] = kind;
  }

  ScheduleState& schedule_;
  int stage_;
  IterVar loop_;
  ir::LoopKind kind_;
};

}  // namespace

bool has_thread_reductions(const ScheduleState& schedule) {
  return std::any_of(schedule.stages.begin(), schedule.stages.end(),
                     [](const StageState& stage) { return bound_loop_of_reduction(stage).defined(); });
}

ScheduleState rfactor_thread_reductions(ScheduleState schedule) {
  for (std::size_t s = 0; s < schedule.stages.size(); ++s) {
    const IterVar loop = bound_loop_of_reduction(schedule.stages[s]);
    if (!loop.defined()) continue;
    const std::string name = schedule.stages[s].name;
    try {
      ThreadReduction(schedule, static_cast<int>(s), loop).replace();
    } catch (const ScheduleError& e) {
      throw LowerError(fmt::format("loop {} of {} belongs to its reduction and is bound to threads: {}", loop.name(),
                                   name, e.what()));
    }
  }
  return schedule;
}

}  // namespace nestwright
