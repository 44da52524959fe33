// What the primitives share: they find loops, refuse misuse and record themselves. Internal to schedule/.
//
// A primitive checks all its preconditions, then changes the schedule, then records itself in the trace.
// Thread rule: as for the schedule.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/schedule.h"
#include "schedule/state/attachment.h"
#include "schedule/state/scan_parts.h"
#include "schedule/state/state.h"

namespace nestwright {

/// Whether a scope is one of registers, whose storage has no rows and cannot be indexed at run time.
inline bool is_in_registers(ir::Scope scope) { return scope == ir::Scope::kRegister || scope == ir::Scope::kFragment; }

/// One application of a primitive to one stage.
class Primitive {
 public:
  /// Throws ScheduleError where `origin` has no stage, or where its stage was inlined.
  Primitive(ScheduleState& state, std::string name, const Tensor& origin);

  ScheduleState& state() const { return state_; }
  StageState& stage() const { return state_.stages[static_cast<std::size_t>(index_)]; }
  int index() const { return index_; }
  const std::string& name() const { return name_; }

  [[noreturn]] void refuse(const std::string& subject, const std::string& reason) const;
  [[noreturn]] void refuse(const IterVar& loop, const std::string& reason) const;
  /// Position of `loop` among the leaves. Refuses a loop that is not a leaf, a loop of a tensorized tile, and the time
  /// axis of a stage in a scan's step. `may_be_rows` permits that axis except in an update, because the rows that other
  /// stages compute for one step are independent.
  std::size_t position(const IterVar& loop, bool may_be_rows = false) const;
  /// The name of the scan that the stage is part of, for messages.
  const std::string& scan_name() const;
  /// Refuses a loop that must stay: it is annotated, or a prefetch, pragma or tile refers to it.
  void require_replaceable(const IterVar& loop) const;
  /// Moves the stages that are computed at `loop`, which was replaced, to `to`.
  void move_attached(const IterVar& loop, const IterVar& to) const;
  /// Refuses a loop whose iterations depend on each other: a reduction loop or the time of a scan.
  void require_independent(const IterVar& loop) const;
  /// Refuses the time loop of a scan, whose iterations run in order.
  void require_unordered(const IterVar& loop) const;
  /// Refuses a stage whose part in a scan is one of `parts`; `why` says what to do instead.
  void require_no_part(std::initializer_list<ScanPart> parts, const std::string& why) const;
  /// Refuses a loop at which another stage is computed.
  void require_unattached(const IterVar& loop) const;
  /// Refuses a loop that a prefetch, pragma or tile refers to.
  void require_unmentioned(const IterVar& loop) const;
  /// The loop's constant extent. Refuses a symbolic one; `why` explains.
  std::int64_t require_constant(const IterVar& loop, const std::string& why) const;
  /// Refuses a loop that is parallel, vectorized, unrolled or bound already.
  void require_serial(const IterVar& loop) const;
  /// Refuses a stage that a primitive was applied to, or that another stage is computed inside of.
  void require_unscheduled(const std::string& why) const;

  /// Calls change(). Where this makes the attachment of another stage invalid (schedule/state/attachment.h), calls
  /// undo() and refuses. Faults that existed before, and faults of kind `allowed`, do not count.
  void change_attachments(const std::function<void()>& change, const std::function<void()>& undo,
                          std::optional<AttachmentFault::Kind> allowed = {}) const;

  /// How the trace names a loop of this stage: "C.3".
  std::string label(const IterVar& loop) const;
  void record(std::vector<std::string> arguments) const;

 private:
  ScheduleState& state_;
  std::string name_;
  int index_;
};

/// Checks a split and returns its plan; changes nothing.
SplitRelation plan_split(const Primitive& primitive, const IterVar& loop, const SplitSize& size, const Tail& tail);
void apply_split(StageState& stage, const SplitRelation& relation);
/// Puts the fused loop in the place of the outer one and removes the inner one, which may be any other leaf.
void apply_fuse(StageState& stage, const FuseRelation& relation);
/// A split's size as the trace has it: "factor=32", "nparts=4".
std::string to_string(const SplitSize& size);

/// Implements Schedule::rfactor. `in_threads`: the partial results are those of threads, of which there are as many as
/// the split says that made `loop`, even if it has fewer iterations.
Tensor make_partial_results(const Primitive& primitive, const IterVar& loop, int axis, bool in_threads);

/// Puts `loops`, in the order given, into the positions that they occupy among the leaves.
void apply_reorder(StageState& stage, const std::vector<IterVar>& loops);

/// Whether the relation is between loops of a reduction.
bool is_of_reduction(const Relation& relation);

/// A new loop of the same kind of axis as `parent`.
IterVar make_loop(const std::string& name, Expr extent, const IterVar& parent);

}  // namespace nestwright
