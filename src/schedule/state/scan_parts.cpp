#include "schedule/state/scan_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "expression/scan_steps.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

/// Index of `buffer` in `buffers`, or -1.
int find(const std::vector<Buffer>& buffers, const Buffer& buffer) {
  const auto it = std::find(buffers.begin(), buffers.end(), buffer);
  return it == buffers.end() ? -1 : static_cast<int>(it - buffers.begin());
}

const StageState& at(const ScheduleState& state, int stage) { return state.stages[static_cast<std::size_t>(stage)]; }

class ScanCheck {
 public:
  ScanCheck(const ScheduleState& state, int scan)
      : state_(state), stage_(at(state, scan)), scan_(*stage_.op.scan()), steps_(step_offsets(stage_.op)) {}

  void run() const {
    for (const StageState& other : state_.stages) {
      const ScanOp* scan = other.op.scan();
      if (scan == nullptr || &other == &stage_) continue;
      require_apart(other.name, scan_.states, scan->states, "state");
      require_apart(other.name, scan_.init, scan->init, "init");
    }
    for (const Tensor& output : state_.outputs) {
      if (find(scan_.init, output.buffer()) >= 0) {
        throw UsageError(fmt::format("'{}' is an output and init of scan '{}', which stores it: make a copy the output",
                                     output.name(), stage_.name));
      }
      if (steps_.count(output.op()) != 0) {
        throw UsageError(
            fmt::format("'{}' is an output, but exists in the steps of scan '{}' only: make the scan the "
                        "output, or another state of it",
                        output.name(), stage_.name));
      }
    }
    for (const StageState& reader : state_.stages) {
      if (&reader == &stage_ || steps_.count(reader.op) != 0) continue;
      for (const Operation& input : reader.op->inputs) {
        if (steps_.count(input) == 0 && find(scan_.states, input->results.front()) < 0) continue;
        throw UsageError(fmt::format("'{}' reads '{}', which exists in the steps of scan '{}' only: read the scan",
                                     reader.name, input->name, stage_.name));
      }
    }
  }

 private:
  void require_apart(const std::string& other, const std::vector<Buffer>& here, const std::vector<Buffer>& there,
                     const char* part) const {
    for (const Buffer& buffer : here) {
      if (find(there, buffer) < 0) continue;
      throw UsageError(fmt::format("'{}' is {} of both scan '{}' and scan '{}': make one for each", buffer->name, part,
                                   stage_.name, other));
    }
  }

  const ScheduleState& state_;
  const StageState& stage_;
  const ScanOp& scan_;
  StepOffsets steps_;
};

}  // namespace

ScanPlace scan_place(const ScheduleState& state, int stage) {
  const Operation& op = at(state, stage).op;
  if (op.scan() != nullptr) return {ScanPart::kScan, stage, {}};
  for (std::size_t s = 0; s < state.stages.size(); ++s) {
    const ScanOp* scan = state.stages[s].op.scan();
    if (scan == nullptr) continue;
    for (const ScanPart part : {ScanPart::kInit, ScanPart::kUpdate}) {
      ScanPlace place{part, static_cast<int>(s), {}};
      for (const Buffer& result : op->results) {
        place.results.push_back(find(part == ScanPart::kInit ? scan->init : scan->update, result));
      }
      if (place.results.front() >= 0) return place;
    }
    if (depends_on_states(op, scan->states)) return {ScanPart::kStep, static_cast<int>(s), {}};
  }
  return {};
}

std::vector<int> feeders_of(const ScheduleState& state, int scan) {
  std::vector<int> result;
  std::set<Operation> readers_in_steps;
  for (std::size_t s = state.stages.size(); s-- > 0;) {  // readers before their producers
    const StageState& stage = state.stages[s];
    const ScanPlace place = scan_place(state, static_cast<int>(s));
    if (place.is_in_step() && place.scan == scan) readers_in_steps.insert(stage.op);
    if (place.part != ScanPart::kNone || stage.is_output) continue;
    bool is_read = false, feeds = true;
    for (const StageState& reader : state.stages) {
      const auto& inputs = reader.op->inputs;
      if (reader.attach.kind == AttachKind::kInline) continue;
      if (std::find(inputs.begin(), inputs.end(), stage.op) == inputs.end()) continue;
      is_read = true;
      feeds = feeds && readers_in_steps.count(reader.op) != 0;
    }
    if (!is_read || !feeds) continue;
    readers_in_steps.insert(stage.op);
    result.insert(result.begin(), static_cast<int>(s));
  }
  return result;
}

bool is_time_axis(const ScheduleState& state, int stage, const IterVar& axis) {
  const ScanPlace place = scan_place(state, stage);
  if (!place.is_in_step()) return false;
  const Operation& op = at(state, stage).op;
  const StepOffsets steps = step_offsets(at(state, place.scan).op);
  const auto moves = steps.find(op);
  if (moves == steps.end()) return false;
  const std::vector<IterVar>& axes = op.compute()->axes;
  const auto it = std::find(axes.begin(), axes.end(), axis);
  return it != axes.end() && moves->second[static_cast<std::size_t>(it - axes.begin())].has_value();
}

void attach_to_steps(ScheduleState& state, int stage) {
  StageState& step = state.stages[static_cast<std::size_t>(stage)];
  const ScanPlace place = scan_place(state, stage);
  if (step.attach.kind != AttachKind::kRoot || !place.is_in_step()) return;
  step.attach = {AttachKind::kAt, place.scan, at(state, place.scan).leaves.back()};
}

void check_scans(const ScheduleState& state) {
  for (std::size_t s = 0; s < state.stages.size(); ++s) {
    if (state.stages[s].op.scan() != nullptr) ScanCheck(state, static_cast<int>(s)).run();
  }
}

}  // namespace nestwright
