#include "schedule/thread_reductions.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "schedule/primitives/primitive.h"

namespace nestwright {
namespace {

IterVar bound_loop_of_reduction(const StageState& stage) {
  for (const auto& [loop, kind] : stage.marked_loops()) {
    if (loop.is_reduce() && ir::is_bound(kind)) return loop;
  }
  return {};
}

/// A loop over rows that is bound to threadIdx.
struct RowThreads {
  IterVar loop;
  ir::LoopKind kind;
  std::vector<std::size_t> axes;  ///< numbers of the axes that the loop is part of, outermost first
  IterVar symbolic;  ///< the inner one of two fused loops that it is part of, of symbolic extent; undefined: none
};

/// The loops that a relation makes `loop` of; empty if it makes other loops.
std::vector<IterVar> origins(const Relation& relation, const IterVar& loop) {
  using Loops = std::vector<IterVar>;
  const auto is_one_of = [&](const IterVar& outer, const IterVar& inner) { return outer == loop || inner == loop; };
  return std::visit(
      ir::overloaded{[&](const SplitRelation& r) { return is_one_of(r.outer, r.inner) ? Loops{r.parent} : Loops(); },
                     [&](const FuseRelation& r) { return r.fused == loop ? Loops{r.outer, r.inner} : Loops(); },
                     [&](const LayoutRelation& r) { return is_one_of(r.outer, r.inner) ? Loops{r.axis} : Loops(); }},
      relation);
}

/// Adds the axes that `loop` is part of to those of `rows`.
void add_axes(const StageState& stage, const IterVar& loop, RowThreads& rows) {
  for (const Relation& relation : stage.relations) {
    const std::vector<IterVar> made_of = origins(relation, loop);
    if (made_of.empty()) continue;
    const bool is_fused = made_of.size() > 1;
    if (is_fused && ir::as_const_int(made_of.back().extent()) == nullptr) rows.symbolic = made_of.back();
    for (const IterVar& origin : made_of) add_axes(stage, origin, rows);
    return;
  }
  const auto& axes = stage.op.compute()->axes;
  const auto axis = static_cast<std::size_t>(std::find(axes.begin(), axes.end(), loop) - axes.begin());
  check(axis < axes.size(), "a loop over rows that is part of no axis");
  if (std::find(rows.axes.begin(), rows.axes.end(), axis) == rows.axes.end()) rows.axes.push_back(axis);
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

std::ptrdiff_t leaf_number(const StageState& stage, const IterVar& loop) {
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
    const std::vector<RowThreads> rows = threads_of_rows(around);
    at(stage_).kinds.erase(loop_);
    make_partial_results(Primitive(schedule_, "rfactor", at(stage_).origin), loop_, 0, true);
    // The new stage comes before the one that was at `stage_`.
    StageState& partial = at(stage_);
    partial.scope = ir::Scope::kShared;
    partial.attach = {AttachKind::kAt, place.stage >= stage_ ? place.stage + 1 : place.stage, place.loop};
    const std::vector<IterVar>& axes = partial.op.compute()->axes;
    partial.kinds[axes.front()] = kind_;
    std::vector<IterVar> loops(axes.begin() + 1, axes.end());
    for (const RowThreads& threads : rows) share_rows(threads, loops);
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
        const bool is_around = leaf_number(host, loop) <= leaf_number(host, attach->loop);
        if (is_around && ir::is_bound(kind)) result.push_back({host.name, loop, kind});
      }
    }
    return result;
  }

  /// Whether a stage that is attached at `attach` is stored around what is computed at `place`.
  bool is_stored_around(const Attach& attach, const Attach& place) const {
    for (const Attach* outer = &place; outer->kind == AttachKind::kAt; outer = &at(outer->stage).attach) {
      if (attach.stage != outer->stage) continue;
      return leaf_number(at(outer->stage), attach.loop) <= leaf_number(at(outer->stage), outer->loop);
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

  /// The loops over rows that are bound to threadIdx, outermost first.
  std::vector<RowThreads> threads_of_rows(const std::vector<LoopAround>& around) const {
    std::vector<RowThreads> result;
    for (const auto& [loop, kind] : at(stage_).marked_loops()) {
      if (!ir::is_device_thread(kind) || loop.is_reduce()) continue;
      check_threads_around(around, kind);
      RowThreads& rows = result.emplace_back(RowThreads{loop, kind, {}, {}});
      add_axes(at(stage_), loop, rows);
      const std::string bound = fmt::format("{}, which is bound to {}, ", loop.name(), ir::loop_kind_name(kind));
      if (ir::as_const_int(loop.extent()) == nullptr) refuse(bound + "has no constant extent");
      if (!rows.symbolic.defined()) continue;
      refuse(fmt::format("{}is part of a fused loop whose inner loop, {}, has no constant extent", bound,
                         rows.symbolic.name()));
    }
    return result;
  }

  /// Distributes the rows of the partial results over threads as those of the stage: fuses the loops over the axes that
  /// `threads` is part of, splits the fused loop by the number of threads, and binds the inner loop. `loops` has the
  /// loop of each axis that is not bound yet, the same one for axes that are fused.
  void share_rows(const RowThreads& threads, std::vector<IterVar>& loops) const {
    StageState& partial = at(stage_);
    const auto replace = [&](const IterVar& loop, const IterVar& by) {
      std::replace(loops.begin(), loops.end(), loop, by);
    };
    IterVar rest = loops[threads.axes.front()];
    for (const std::size_t axis : threads.axes) {
      const IterVar inner = loops[axis], outer = rest;
      if (inner == outer) continue;
      rest = make_loop(outer.name() + "." + inner.name(), outer.extent() * inner.extent(), outer);
      apply_fuse(partial, {outer, inner, rest});
      replace(outer, rest);
      replace(inner, rest);
    }
    const Primitive primitive(schedule_, "split", partial.origin);
    const std::int64_t number = *ir::as_const_int(threads.loop.extent());
    const SplitRelation split = plan_split(primitive, rest, {{number}, 0}, Tail::guard());
    apply_split(partial, split);
    replace(rest, split.outer);
    partial.kinds[split.inner] = threads.kind;
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
