#include "schedule/state/state.h"

namespace nestwright {

std::vector<std::pair<IterVar, ir::LoopKind>> StageState::marked_loops() const {
  std::vector<std::pair<IterVar, ir::LoopKind>> marked;
  for (const IterVar& loop : leaves) {
    if (const auto kind = kinds.find(loop); kind != kinds.end()) marked.emplace_back(*kind);
  }
  return marked;
}

int ScheduleState::find(const Operation& op) const {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].op == op) return static_cast<int>(i);
  }
  return -1;
}

Result ScheduleState::producer(const Buffer& buffer) const {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::vector<Buffer>& results = stages[i].op->results;
    for (std::size_t r = 0; r < results.size(); ++r) {
      const ScanOp* scan = stages[i].op.scan();
      if (results[r] == buffer || (scan != nullptr && scan->states[r] == buffer)) {
        return {static_cast<int>(i), static_cast<int>(r)};
      }
    }
  }
  return {};
}

}  // namespace nestwright
