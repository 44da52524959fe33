// Which part of a scan a stage is: a scan's stage has the time loop, inside which its steps are computed; what gives
// its first rows lies before it. Init and update have no storage of their own: they store into the scan's.
// Thread rule: pure functions, but for attach_to_steps, which belongs to the schedule's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/state.h"

namespace nestwright {

enum class ScanPart : std::uint8_t {
  kNone,
  kScan,    ///< the scan itself
  kInit,    ///< gives its first rows
  kUpdate,  ///< gives the row of a step
  kStep,    ///< what an update is made from that is made from a state
};

struct ScanPlace {
  ScanPart part = ScanPart::kNone;
  int scan = -1;             ///< stage of the scan
  std::vector<int> results;  ///< kInit, kUpdate: which of the scan's results each of the stage's is
  /// Computed anew in every step.
  bool is_in_step() const { return part == ScanPart::kUpdate || part == ScanPart::kStep; }
  bool is_stored_in_scan() const { return part == ScanPart::kInit || part == ScanPart::kUpdate; }
};
ScanPlace scan_place(const ScheduleState& state, int stage);

/// Whether `axis` of a stage in a scan's step moves with the time, so that it has the values of the step only.
bool is_time_axis(const ScheduleState& state, int stage, const IterVar& axis);

/// Computes a stage that stands at root and is part of a step inside the innermost loop of its scan's time.
void attach_to_steps(ScheduleState& state, int stage);

/// Throws UsageError where the scans of a new schedule share a state or an init, or where what exists in their steps
/// only is an output or is read outside.
void check_scans(const ScheduleState& state);

}  // namespace nestwright
