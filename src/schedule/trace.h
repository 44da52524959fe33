// The record of the primitives that made a schedule. Loops are named by stage and number of creation, so that a trace
// can be replayed on a fresh schedule of the same expression, here or elsewhere.
// Thread rule: values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedule/tensor_intrinsic.h"

namespace nestwright {

class Schedule;

/// One primitive with its arguments: split C.0 factor=32 tail=guard. C.0 is the axis number 0 in StageState::named of
/// the stage named C; what a primitive makes is named by the order in which it comes, so it is not written down.
struct TraceStep {
  std::string primitive;
  std::vector<std::string> arguments;
  friend bool operator==(const TraceStep&, const TraceStep&) = default;
};

class Trace {
 public:
  void append(TraceStep step) { steps_.push_back(std::move(step)); }
  const std::vector<TraceStep>& steps() const { return steps_; }
  /// One step a line.
  std::string str() const;
  /// The inverse of str(). Throws UsageError naming the line.
  static Trace parse(std::string_view text);
  /// Applies the steps to a schedule without steps of its own. Throws ScheduleError as the primitives do.
  /// Intrinsics of tensorize are found by name in `own`, else among the built-in ones; UsageError for one in neither.
  void replay(Schedule& schedule, std::span<const TensorIntrinsic> own = {}) const;
  friend bool operator==(const Trace&, const Trace&) = default;

 private:
  std::vector<TraceStep> steps_;
};

/// Names of the primitives that a trace can have, in alphabetical order.
std::vector<std::string> traced_primitives();

}  // namespace nestwright
