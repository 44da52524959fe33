#include "schedule/primitives/primitive.h"

#include <fmt/format.h>

#include <algorithm>

#include "nestwright/error.h"
#include "schedule/state/stage_operations.h"

namespace nestwright {
namespace {

/// The annotation of a loop in words: "parallel", "bound to threadIdx.x".
std::string annotation(ir::LoopKind kind) {
  return (ir::is_bound(kind) ? "bound to " : "") + std::string(ir::loop_kind_name(kind));
}

}  // namespace

Primitive::Primitive(ScheduleState& state, std::string name, const Tensor& origin)
    : state_(state), name_(std::move(name)), index_(find_stage(state, origin)) {
  if (!origin.defined()) refuse("a tensor", "it is undefined");
  if (index_ < 0) {
    refuse(origin.name(), origin.op().is_placeholder()
                              ? "it is a placeholder, which has no loops: cache_read makes a copy that has"
                              : "it is no part of this schedule");
  }
  if (stage().attach.kind == AttachKind::kInline)
    refuse(stage().name, "it was inlined, so that it has no loops any more");
}

void Primitive::refuse(const std::string& subject, const std::string& reason) const {
  throw ScheduleError(name_, subject, reason);
}

void Primitive::refuse(const IterVar& loop, const std::string& reason) const {
  throw ScheduleError(name_, loop.defined() ? loop.name() : "an undefined loop", reason);
}

const std::string& Primitive::scan_name() const {
  return state_.stages[static_cast<std::size_t>(scan_place(state_, index_).scan)].name;
}

std::size_t Primitive::position(const IterVar& loop, bool may_be_rows) const {
  const auto& leaves = stage().leaves;
  const auto it = std::find(leaves.begin(), leaves.end(), loop);
  if (loop.defined() && it != leaves.end()) {
    may_be_rows = may_be_rows && scan_place(state_, index_).part == ScanPart::kStep;
    if (!may_be_rows && is_time_axis(state_, index_, loop)) {
      refuse(loop,
             fmt::format("it is the time of a step of scan {0}: schedule the scan's own time axis, s[{0}].axis(0)",
                         scan_name()));
    }
    const auto& tensorize = stage().tensorize;
    if (tensorize && it >= std::find(leaves.begin(), leaves.end(), tensorize->loop)) {
      refuse(loop, fmt::format("{} computes {} there: tensorize afterwards", tensorize->intrinsic->name, stage().name));
    }
    return static_cast<std::size_t>(it - leaves.begin());
  }
  const auto& named = stage().named;
  const bool replaced = loop.defined() && std::find(named.begin(), named.end(), loop) != named.end();
  refuse(loop, replaced ? fmt::format("it was replaced by other loops of {}: name one of those", stage().name)
                        : fmt::format("it is no loop of {}", stage().name));
}

void Primitive::require_serial(const IterVar& loop) const {
  const auto kind = stage().kinds.find(loop);
  if (kind != stage().kinds.end()) refuse(loop, fmt::format("it is {} already", annotation(kind->second)));
}

void Primitive::require_independent(const IterVar& loop) const {
  if (loop.is_reduce()) {
    refuse(loop, "it is a reduce axis, whose iterations depend on each other: use rfactor to make partial results");
  }
  if (loop.is_time()) {
    refuse(loop, fmt::format("it is the time of scan {}, whose steps depend on each other: use an axis of its update",
                             stage().name));
  }
}

void Primitive::require_unordered(const IterVar& loop) const {
  if (loop.is_time()) {
    refuse(loop, fmt::format("it is the time of scan {}, whose steps run in order: it may be split, and that is all",
                             stage().name));
  }
}

void Primitive::require_no_part(std::initializer_list<ScanPart> parts, const std::string& why) const {
  const ScanPlace place = scan_place(state_, index_);
  if (std::find(parts.begin(), parts.end(), place.part) == parts.end()) return;
  const std::string& scan = state_.stages[static_cast<std::size_t>(place.scan)].name;
  constexpr const char* kWhat[] = {"", "a scan", "init of scan ", "update of scan ", "made in a step of scan "};
  const std::string of = place.part == ScanPart::kScan ? "" : scan;
  refuse(stage().name, fmt::format("it is {}{}, {}", kWhat[static_cast<int>(place.part)], of, why));
}

void Primitive::require_replaceable(const IterVar& loop) const {
  const auto kind = stage().kinds.find(loop);
  if (kind != stage().kinds.end()) {
    refuse(loop, fmt::format("it is {} already: do that to the resulting loop instead", annotation(kind->second)));
  }
  require_unmentioned(loop);
}

void Primitive::move_attached(const IterVar& loop, const IterVar& to) const {
  for (StageState& other : state_.stages) {
    Attach& attach = other.attach;
    if (attach.kind == AttachKind::kAt && attach.stage == index_ && attach.loop == loop) attach.loop = to;
  }
}

void Primitive::require_unattached(const IterVar& loop) const {
  for (const StageState& other : state_.stages) {
    if (other.attach.kind == AttachKind::kAt && other.attach.stage == index_ && other.attach.loop == loop) {
      refuse(loop, fmt::format("{} is computed there: attach it afterwards", other.name));
    }
  }
}

void Primitive::require_unmentioned(const IterVar& loop) const {
  for (const PrefetchNote& note : stage().prefetches) {
    if (note.loop == loop) refuse(loop, fmt::format("{} is prefetched there: prefetch afterwards", note.tensor.name()));
  }
  for (const PragmaNote& note : stage().pragmas) {
    if (note.loop == loop) refuse(loop, fmt::format("it has pragma {}: give it afterwards", pragma_name(note.kind)));
  }
  for (const IterVar& block : stage().block_loops) {
    if (block == loop) refuse(loop, "a tile made by cache_write counts its blocks: do this before cache_write");
  }
}

std::int64_t Primitive::require_constant(const IterVar& loop, const std::string& why) const {
  const std::int64_t* extent = ir::as_const_int(loop.extent());
  if (extent == nullptr) refuse(loop, "its extent is symbolic: " + why);
  return *extent;
}

void Primitive::require_unscheduled(const std::string& why) const {
  const StageState& s = stage();
  bool untouched = s.relations.empty() && s.kinds.empty() && s.prefetches.empty() && s.pragmas.empty() &&
                   s.alignments.empty() && !s.tensorize && s.slots == 0 && s.layout.empty() && s.leaves == s.named;
  for (const StageState& other : state_.stages) {
    untouched = untouched && !(other.attach.kind == AttachKind::kAt && other.attach.stage == index_);
  }
  if (!untouched) refuse(s.name, "it was scheduled already: " + why);
}

void Primitive::change_attachments(const std::function<void()>& change, const std::function<void()>& undo,
                                   std::optional<AttachmentFault::Kind> allowed) const {
  const std::vector<AttachmentFault> before = attachment_faults(state_);
  change();
  for (const AttachmentFault& fault : attachment_faults(state_)) {
    const auto same = [&](const AttachmentFault& other) { return other.same_as(fault); };
    if (fault.kind == allowed || std::any_of(before.begin(), before.end(), same)) continue;
    undo();
    refuse(fault.loop, fault.reason);
  }
}

std::string Primitive::label(const IterVar& loop) const {
  const auto& named = stage().named;
  const auto it = std::find(named.begin(), named.end(), loop);
  check(it != named.end(), "a loop without a number");
  return fmt::format("{}.{}", stage().name, it - named.begin());
}

void Primitive::record(std::vector<std::string> arguments) const { state_.trace.append({name_, std::move(arguments)}); }

bool is_of_reduction(const Relation& relation) {
  return std::visit(ir::overloaded{[](const SplitRelation& r) { return r.parent.is_reduce(); },
                                   [](const FuseRelation& r) { return r.fused.is_reduce(); },
                                   [](const LayoutRelation& r) { return r.axis.is_reduce(); }},
                    relation);
}

IterVar make_loop(const std::string& name, Expr extent, const IterVar& parent) {
  return {name, Expr(0), std::move(extent), parent.kind()};
}

}  // namespace nestwright
