// Schedule::str: the schedule as text.
//
//   C: float32[64, 48] in global, at root, output
//     split i -> i.outer, i.inner by 16, tail guard
//     parallel i.outer in 0..4
//     for j in 0..48
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/traversal/linear.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "schedule/state/state.h"

namespace nestwright {
namespace {

std::string relation_line(const Relation& relation) {
  return std::visit(ir::overloaded{[](const SplitRelation& r) {
                                     std::string by = fmt::format("{}", fmt::join(r.factors, ","));
                                     if (!r.counts.empty()) by += fmt::format(" times {}", fmt::join(r.counts, ","));
                                     return fmt::format("split {} -> {}, {} by {}, tail {}", r.parent.name(),
                                                        r.outer.name(), r.inner.name(), by, r.tail.str());
                                   },
                                   [](const FuseRelation& r) {
                                     return fmt::format("fuse {}, {} -> {}", r.outer.name(), r.inner.name(),
                                                        r.fused.name());
                                   },
                                   [](const LayoutRelation& r) {
                                     return fmt::format("layout {} -> {}, {} by {}", r.axis.name(), r.outer.name(),
                                                        r.inner.name(), r.factor);
                                   }},
                    relation);
}

std::string place(const ScheduleState& state, const StageState& stage) {
  switch (stage.attach.kind) {
    case AttachKind::kRoot:
      return "at root";
    case AttachKind::kInline:
      return "inlined";
    case AttachKind::kPrepared:
      return "prepared";
    case AttachKind::kAt:
      break;
  }
  return fmt::format("at {} of {}", stage.attach.loop.name(),
                     state.stages[static_cast<std::size_t>(stage.attach.stage)].name);
}

std::string stage_text(const ScheduleState& state, const StageState& stage) {
  std::string shape;
  const Buffer& result = stage.op->results.front();
  for (const Expr& extent : result->shape) shape += (shape.empty() ? "" : ", ") + ir::to_string(extent);
  std::string text = fmt::format("{}: {}[{}] in {}, {}{}\n", stage.name, result->element.str(), shape,
                                 ir::scope_name(stage.scope), place(state, stage), stage.is_output ? ", output" : "");
  if (stage.attach.kind == AttachKind::kInline) return text;
  for (const Relation& relation : stage.relations) text += "  " + relation_line(relation) + "\n";
  if (stage.carried_from >= 0) {
    const StageState& copy = state.stages[static_cast<std::size_t>(stage.carried_from)];
    text += fmt::format("  carried over the blocks of {} of {}\n", copy.block_loops.front().name(), copy.name);
  }
  for (const PrefetchNote& note : stage.prefetches) {
    text +=
        fmt::format("  prefetch {} {} iterations ahead at {}\n", note.tensor.name(), note.distance, note.loop.name());
  }
  for (const AlignNote& note : stage.alignments) {
    text += fmt::format("  stride of {} is {} modulo {}\n", note.axis.name(), note.offset, note.factor);
  }
  if (stage.non_temporal) text += "  stores bypass the caches\n";
  if (stage.slots > 0) {
    const std::string stages = stage.slots > 2 ? fmt::format(" in {} stages", stage.slots) : "";
    text += fmt::format("  double-buffered at {}{}\n", stage.attach.loop.name(), stages);
  }
  if (stage.tensorize) {
    text += fmt::format("  tensorized by {} at {}\n", stage.tensorize->intrinsic->name, stage.tensorize->loop.name());
  }
  for (const PragmaNote& note : stage.pragmas) {
    text += fmt::format("  {} {} at {}\n", pragma_name(note.kind), note.value, note.loop.name());
  }
  for (const IterVar& loop : stage.leaves) {
    const auto kind = stage.kinds.find(loop);
    const std::string end = ir::to_string(ir::to_linear(loop.min() + loop.extent()).expr());
    text += fmt::format("  {} {} in {}..{}{}\n",
                        ir::loop_kind_name(kind == stage.kinds.end() ? ir::LoopKind::kSerial : kind->second),
                        loop.name(), ir::to_string(loop.min()), end, loop.is_reduce() ? " (reduction)" : "");
  }
  return text;
}

}  // namespace

std::string Schedule::str() const {
  std::string text;
  for (const StageState& stage : state().stages) text += stage_text(state(), stage);
  return text;
}

}  // namespace nestwright
