// What the primitives have in common: finding loops, refusing, recording. Internal to schedule/.
//
// A primitive first checks everything and only then changes anything; its record is the last thing it does.
// Thread rule: as for the schedule.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "schedule/attachment.h"
#include "schedule/scan_parts.h"
#include "schedule/schedule.h"
#include "schedule/state.h"

namespace nestwright {

/// Registers that the code names: they have no rows, and no index that is known only at run time.
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
  /// Position of `loop` among the leaves. Refuses a loop that is not one, and in a step of a scan the axis that has the
  /// values of the step only.
  std::size_t position(const IterVar& loop) const;
  /// The scan that the stage is a part of, for messages.
  const std::string& scan_name() const;
  /// Refuses where a loop may not vanish: it is annotated, another stage is computed there, a prefetch or a tile counts
  /// on it.
  void require_replaceable(const IterVar& loop) const;
  /// Refuses a loop whose iterations depend on each other: of a reduction, or the time of a scan.
  void require_independent(const IterVar& loop) const;
  /// Refuses a loop of a scan's time, whose order stands.
  void require_unordered(const IterVar& loop) const;
  /// Refuses a part of a scan: `why` is what to do instead. `parts`: those that are refused.
  void require_no_part(std::initializer_list<ScanPart> parts, const std::string& why) const;
  /// As require_replaceable, the annotation apart.
  void require_unattached(const IterVar& loop) const;
  /// The loop's constant extent. Refuses a symbolic one, which `why` explains.
  std::int64_t require_constant(const IterVar& loop, const std::string& why) const;
  /// Refuses a loop that is parallel, vectorized, unrolled or bound already.
  void require_serial(const IterVar& loop) const;
  /// Refuses where anything was done to the stage or something is computed inside it.
  void require_unscheduled(const std::string& why) const;

  /// Does change(), and takes it back by undo() and refuses where another stage can no longer be computed where it is:
  /// schedule/attachment.h. What was so before is not refused, nor is `allowed`.
  void change_attachments(const std::function<void()>& change, const std::function<void()>& undo,
                          std::optional<AttachmentFault::Kind> allowed = {}) const;

  /// "C.3": how the trace names a loop of this stage.
  std::string label(const IterVar& loop) const;
  void record(std::vector<std::string> arguments) const;

 private:
  ScheduleState& state_;
  std::string name_;
  int index_;
};

/// The checked plan of a split; nothing is changed.
SplitRelation plan_split(const Primitive& primitive, const IterVar& loop, const SplitSize& size, const Tail& tail);
void apply_split(StageState& stage, const SplitRelation& relation);
/// "factor=32", "nparts=4": a split's size as the trace has it.
std::string to_string(const SplitSize& size);

/// Puts `loops` into the positions that they take up among the leaves, in the order given.
void apply_reorder(StageState& stage, const std::vector<IterVar>& loops);

/// Whether the relation is one of loops of a reduction.
bool of_reduction(const Relation& relation);

/// A loop of the same kind of axis as `parent`.
IterVar make_loop(const std::string& name, Expr extent, const IterVar& parent);

}  // namespace nestwright
