#include "schedule/state/attachment.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/traversal/rewrite.h"

namespace nestwright {
namespace {

using Kind = AttachmentFault::Kind;

class FaultFinder {
 public:
  explicit FaultFinder(const ScheduleState& state) : state_(state) {}

  std::vector<AttachmentFault> run() {
    for (std::size_t s = 0; s < state_.stages.size(); ++s) {
      if (state_.stages[s].attach.kind != AttachKind::kAt) continue;
      find_outside_readers(static_cast<int>(s));
      find_outside_blocks(static_cast<int>(s));
      find_loops_around(static_cast<int>(s));
      find_unordered_loops(static_cast<int>(s));
    }
    return std::move(faults_);
  }

 private:
  const StageState& stage(int number) const { return state_.stages[static_cast<std::size_t>(number)]; }

  static std::ptrdiff_t position(const StageState& stage, const IterVar& loop) {
    return std::find(stage.leaves.begin(), stage.leaves.end(), loop) - stage.leaves.begin();
  }

  /// Whether stage `number` is `host`, or is computed inside it at leaf `at` or further in.
  bool is_inside(int number, int host, std::ptrdiff_t at) const {
    if (number == host) return true;
    const Attach& attach = stage(number).attach;
    if (attach.kind != AttachKind::kAt) return false;
    if (attach.stage == host) return position(stage(host), attach.loop) >= at;
    return is_inside(attach.stage, host, at);
  }

  void find_outside_readers(int number) {
    const StageState& producer = stage(number);
    const StageState& host = stage(producer.attach.stage);
    for (std::size_t r = 0; r < state_.stages.size(); ++r) {
      const StageState& reader = state_.stages[r];
      const auto& inputs = reader.op->inputs;
      if (reader.attach.kind == AttachKind::kInline) continue;
      if (std::find(inputs.begin(), inputs.end(), producer.op) == inputs.end()) continue;
      if (is_inside(static_cast<int>(r), producer.attach.stage, position(host, producer.attach.loop))) {
        find_late_start(number, static_cast<int>(r));
        continue;
      }
      faults_.push_back(
          {Kind::kReadOutside, number, producer.attach.loop,
           fmt::format("{} is computed there, and {}, which reads it, would lie outside", producer.name, reader.name)});
    }
  }

  /// A stage that a reduction starts from is needed before the reduction's loops, so it may not be attached inside.
  void find_late_start(int number, int reader) {
    const ir::Reduce* reduction = stage(reader).op.compute()->reduction();
    if (reduction == nullptr || reduction->init.empty()) return;
    const std::vector<Buffer>& results = stage(number).op->results;
    const auto is_read = [&](const Expr& start) {
      return ir::any_expr(start, [&](const Expr& part) {
        const auto* load = part.as<ir::Load>();
        return load != nullptr && std::find(results.begin(), results.end(), load->buffer) != results.end();
      });
    };
    if (std::none_of(reduction->init.begin(), reduction->init.end(), is_read)) return;
    const Attach* attach = &stage(number).attach;
    while (attach->stage != reader && stage(attach->stage).attach.kind == AttachKind::kAt) {
      attach = &stage(attach->stage).attach;
    }
    if (attach->stage != reader) return;
    const std::vector<IterVar>& leaves = stage(reader).leaves;
    const auto first = std::find_if(leaves.begin(), leaves.end(), [](const IterVar& loop) { return loop.is_reduce(); });
    if (position(stage(reader), attach->loop) < first - leaves.begin()) return;
    faults_.push_back({Kind::kAfterStart, number, attach->loop,
                       fmt::format("{} starts its reduction from {}, before this loop: attach it outside the reduction",
                                   stage(reader).name, stage(number).name)});
  }

  void find_outside_blocks(int number) {
    const StageState& tile = stage(number);
    if (tile.carried_from < 0) return;
    const StageState& copy = stage(tile.carried_from);
    for (const IterVar& block : copy.block_loops) {
      if (is_inside(number, tile.carried_from, position(copy, block))) continue;
      faults_.push_back({Kind::kOutsideBlocks, number, block,
                         fmt::format("it counts the blocks of {}, which would be computed outside it", tile.name)});
    }
  }

  void find_loops_around(int number) {
    const StageState& inner = stage(number);
    IterVar parallel, grid;
    for (const auto& [loop, kind] : inner.marked_loops()) {
      if (kind == ir::LoopKind::kParallel) parallel = loop;
      if (ir::is_block_index(kind)) grid = loop;
    }
    for (const Attach* attach = &inner.attach; attach->kind == AttachKind::kAt; attach = &stage(attach->stage).attach) {
      const StageState& host = stage(attach->stage);
      for (const auto& [loop, kind] : host.marked_loops()) {
        if (position(host, loop) > position(host, attach->loop)) continue;
        if (kind == ir::LoopKind::kParallel && parallel.defined()) {
          faults_.push_back({Kind::kParallelTwice, number, parallel,
                             fmt::format("{} is computed inside loop {} of {}, which is parallel too: fuse them, or "
                                         "leave one of them serial",
                                         inner.name, loop.name(), host.name)});
        } else if (ir::is_bound(kind) && grid.defined()) {
          faults_.push_back({Kind::kBlockInside, number, grid,
                             fmt::format("{} is computed inside loop {} of {}, which is bound to {}: blocks are "
                                         "launched outside of all bound loops",
                                         inner.name, loop.name(), host.name, ir::loop_kind_name(kind))});
        } else if (kind == ir::LoopKind::kVectorized) {
          faults_.push_back({Kind::kInVector, number, loop,
                             fmt::format("{} is computed inside it, once a lane: attach it to a loop outside the "
                                         "vectorized one",
                                         inner.name)});
        }
      }
    }
  }

  void find_unordered_loops(int number) {
    const StageState& inner = stage(number);
    const StageState& host = stage(inner.attach.stage);
    const auto kind = host.kinds.find(inner.attach.loop);
    if (inner.slots == 0 || kind == host.kinds.end() || kind->second == ir::LoopKind::kUnrolled) return;
    faults_.push_back({Kind::kUnorderedLoop, number, inner.attach.loop,
                       fmt::format("{} is double-buffered there, so that its iterations come one after the other: they "
                                   "can be serial or unrolled",
                                   inner.name)});
  }

  const ScheduleState& state_;
  std::vector<AttachmentFault> faults_;
};

}  // namespace

std::vector<AttachmentFault> attachment_faults(const ScheduleState& state) { return FaultFinder(state).run(); }

}  // namespace nestwright
