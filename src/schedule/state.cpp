#include "schedule/state.h"

namespace nestwright {

int ScheduleState::find(const Operation& op) const {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].op == op) return static_cast<int>(i);
  }
  return -1;
}

int ScheduleState::producer(const Buffer& buffer) const {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].op->result == buffer) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace nestwright
