#include "schedule/thread_reductions.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/core/rewrite.h"
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

/// A bound loop around the threads that share a reduction.
struct LoopAround {
  std::string stage;
  IterVar loop;
  ir::LoopKind kind;
};

/// Whether the reduction of `stage`, apart from its init, reads a result of `producer`.
bool reduces(const StageState& stage, const StageState& producer) {
  const std::vector<Buffer>& results = producer.op->results;
  const auto is_read = [&](const Expr& part) {
    const auto* load = part.as<ir::Load>();
    return load != nullptr && std::find(results.begin(), results.end(), load->buffer) != results.end();
  };
  const std::vector<Expr>& values = stage.op.compute()->values();
  return std::any_of(values.begin(), values.end(), [&](const Expr& value) { return ir::any_expr(value, is_read); });
}

std::ptrdiff_t position(const StageState& stage, const IterVar& loop) {
  return std::find(stage.leaves.begin(), stage.leaves.end(), loop) - stage.leaves.begin();
}

/// One stage whose reduction several threads of a block share.
class ThreadReduction {
 public:
  ThreadReduction(ScheduleState& schedule, int stage, const IterVar& loop)
      : schedule_(schedule), stage_(stage), loop_(loop), kind_(at(stage).kinds.at(loop)) {}

  void replace() {
    const Attach place = place_of_partial_results();
    const std::vector<LoopAround> around = bound_loops_around(place);
    if (around.empty()) {
      refuse("no loop around the whole reduction and all threads is bound to blockIdx",
             "bind one, or use rfactor and schedule the partial results");
    }
    check_producers(place, around);
    check_threads_around(around, kind_);
    std::vector<std::pair<IterVar, ir::LoopKind>> threads;  // of the rows
    for (const IterVar& leaf : at(stage_).leaves) {
      const auto kind = at(stage_).kinds.find(leaf);
      const bool is_bound = kind != at(stage_).kinds.end() && ir::is_device_thread(kind->second);
      if (is_bound && !leaf.is_reduce()) threads.emplace_back(leaf, kind->second);
    }
    std::vector<int> axes;
    for (const auto& [leaf, kind] : threads) {
      check_threads_around(around, kind);
      axes.push_back(axis_of(at(stage_), leaf));
      if (axes.back() < 0 || ir::as_const_int(leaf.extent()) == nullptr) {
        refuse(fmt::format("{}, which is bound to {}, was fused or has no constant extent", leaf.name(),
                           ir::loop_kind_name(kind)));
      }
    }
    at(stage_).kinds.erase(loop_);
    make_partial_results(Primitive(schedule_, "rfactor", at(stage_).origin), loop_, 0);
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

  [[noreturn]] void refuse(const std::string& why,
                           const std::string& advice = "use rfactor and schedule the partial results") const {
    throw LowerError(fmt::format("loop {} of {} belongs to its reduction and is bound to {}, but {}: {}", loop_.name(),
                                 at(stage_).name, ir::loop_kind_name(kind_), why, advice));
  }

  /// The innermost loop around the reduction and all of the stage's threads, or where the stage itself is computed.
  Attach place_of_partial_results() const {
    const StageState& stage = at(stage_);
    Attach place = stage.attach;
    for (const IterVar& leaf : stage.leaves) {
      const auto kind = stage.kinds.find(leaf);
      if (leaf.is_reduce() || (kind != stage.kinds.end() && ir::is_thread_index(kind->second))) break;
      place = {AttachKind::kAt, stage_, leaf};
    }
    return place;
  }

  /// The bound loops around what is computed at `place`, those of the innermost stage first.
  std::vector<LoopAround> bound_loops_around(const Attach& place) const {
    std::vector<LoopAround> result;
    for (const Attach* attach = &place; attach->kind == AttachKind::kAt; attach = &at(attach->stage).attach) {
      const StageState& host = at(attach->stage);
      for (const auto& [loop, kind] : host.marked_loops()) {
        const bool is_around = position(host, loop) <= position(host, attach->loop);
        if (is_around && ir::is_bound(kind)) result.push_back({host.name, loop, kind});
      }
    }
    return result;
  }

  /// Whether a stage that is attached at `attach` is stored around what is computed at `place`.
  bool is_stored_around(const Attach& attach, const Attach& place) const {
    for (const Attach* outer = &place; outer->kind == AttachKind::kAt; outer = &at(outer->stage).attach) {
      if (attach.stage != outer->stage) continue;
      return position(at(outer->stage), attach.loop) <= position(at(outer->stage), outer->loop);
    }
    return false;
  }

  /// Refuses stages that the partial results, which are computed at `place`, cannot read, and private storage around
  /// the threads.
  void check_producers(const Attach& place, const std::vector<LoopAround>& around) const {
    const StageState& stage = at(stage_);
    const bool in_threads = std::any_of(around.begin(), around.end(),
                                        [](const LoopAround& outer) { return ir::is_thread_index(outer.kind); });
    for (const StageState& other : schedule_.stages) {
      if (other.attach.kind != AttachKind::kAt || other.carried_from >= 0) continue;  // rfactor refuses tiles
      const bool is_read = reduces(stage, other), is_around = is_stored_around(other.attach, place);
      if (is_read && other.attach.stage == stage_ && !is_around) {
        refuse(fmt::format("{}, which {} reads, is computed inside loop {} of {}", other.name, stage.name,
                           other.attach.loop.name(), stage.name),
               fmt::format("keep {} in shared scope and attach it to loop {} of {}, or use rfactor and schedule the "
                           "partial results",
                           other.name, place.loop.name(), at(place.stage).name));
      }
      const bool is_private = other.scope != ir::Scope::kGlobal && other.scope != ir::Scope::kShared;
      if (is_private && is_around && (is_read || !in_threads)) {
        refuse(fmt::format("lies inside the storage of {}, which is private to a thread", other.name),
               fmt::format("keep {} in shared scope", other.name));
      }
    }
  }

  /// Refuses threads of another stage around this one that have no index `kind`.
  void check_threads_around(const std::vector<LoopAround>& around, ir::LoopKind kind) const {
    const auto threads = std::find_if(around.begin(), around.end(),
                                      [](const LoopAround& outer) { return ir::is_thread_index(outer.kind); });
    const bool has_index =
        std::any_of(around.begin(), around.end(), [&](const LoopAround& outer) { return outer.kind == kind; });
    if (threads == around.end() || has_index) return;
    refuse(
        fmt::format("{} is computed inside loop {} of {}, which is bound to {}, and no loop around it is bound to {}",
                    at(stage_).name, threads->loop.name(), threads->stage, ir::loop_kind_name(threads->kind),
                    ir::loop_kind_name(kind)),
        fmt::format("attach {} outside of the threads of {}, or use rfactor and schedule the partial results",
                    at(stage_).name, threads->stage));
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
