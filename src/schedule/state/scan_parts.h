// The role that a stage plays in a scan. The scan's own stage has the time loop, and the stages of a step are computed
// inside it; init is computed before it. Init and update have no storage of their own: they store into the scan's.
// Thread rule: pure functions, except attach_to_steps, which belongs to the schedule's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/state/state.h"

namespace nestwright {

enum class ScanPart : std::uint8_t {
  kNone,
  kScan,    ///< the scan itself
  kInit,    ///< computes its first rows
  kUpdate,  ///< computes the row of a step
  kStep,    ///< lies between a state and an update
};

struct ScanPlace {
  ScanPart part = ScanPart::kNone;
  int scan = -1;             ///< index of the scan's stage
  std::vector<int> results;  ///< kInit, kUpdate: for each result of the stage, the index of the scan's result
  /// Whether the stage is recomputed in every step.
  bool is_in_step() const { return part == ScanPart::kUpdate || part == ScanPart::kStep; }
  bool is_stored_in_scan() const { return part == ScanPart::kInit || part == ScanPart::kUpdate; }
};
/// The role of stage number `stage`.
ScanPlace scan_place(const ScheduleState& state, int stage);

/// The stages that depend on no state of the scan with stage number `scan`, and are read by the stages of its step and
/// by each other only: they are computed for the rows that the steps read. Producers first; no outputs.
std::vector<int> feeders_of(const ScheduleState& state, int scan);

/// Whether `axis` of a stage in a scan's step depends on the time, so that it covers only the values of that step.
bool is_time_axis(const ScheduleState& state, int stage, const IterVar& axis);

/// Attaches a stage of a step that is still at root to the innermost time loop of its scan.
void attach_to_steps(ScheduleState& state, int stage);

/// Throws UsageError where scans of a new schedule share a state or an init, or where a tensor that exists only within
/// a step is an output or is read outside the scan.
void check_scans(const ScheduleState& state);

}  // namespace nestwright
