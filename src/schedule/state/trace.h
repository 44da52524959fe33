// The record of the primitives that made a schedule. It names loops by stage and order of creation, so that it can be
// replayed on another schedule of the same expression, in any process.
// Thread rule: values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedule/state/tensor_intrinsic.h"

namespace nestwright {

class Schedule;

/// One primitive with its arguments, as in "split C.0 factor=32 tail=guard". C.0 is axis 0 in StageState::named of the
/// stage named C. New loops are not written down: the order of creation numbers them.
struct TraceStep {
  std::string primitive;
  std::vector<std::string> arguments;
  friend bool operator==(const TraceStep&, const TraceStep&) = default;
};

class Trace {
 public:
  void append(TraceStep step) { steps_.push_back(std::move(step)); }
  const std::vector<TraceStep>& steps() const { return steps_; }
  /// One step per line.
  std::string str() const;
  /// The inverse of str(). Throws UsageError that names the malformed line.
  static Trace parse(std::string_view text);
  /// Applies the steps to a schedule that has none yet. Intrinsics of tensorize are looked up in `own`, then among the
  /// built-in ones. Throws ScheduleError as the primitives do, and UsageError for an unknown intrinsic.
  void replay(Schedule& schedule, std::span<const TensorIntrinsic> own = {}) const;
  friend bool operator==(const Trace&, const Trace&) = default;

 private:
  std::vector<TraceStep> steps_;
};

/// Names of the primitives that a trace may contain, in alphabetical order.
std::vector<std::string> traced_primitives();

}  // namespace nestwright
