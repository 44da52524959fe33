// scan_part: the columns of a scan are bound to blocks and threads; each step is a launch, or, where each column reads
// itself alone, the time runs inside the threads.
//
//   for t: for j: Y[t, j] = Y[t - 1, j] + X[t, j]
//     ->   for t: blocks, threads: Y[t, j] = Y[t - 1, j] + X[t, j]        (launches)
//     ->   blocks, threads: for t: Y[t, j] = Y[t - 1, j] + X[t, j]        (threads)
#include "schedule/scan_parts.h"

#include <algorithm>

#include "schedule/state.h"
#include "templates/generated/gpu/gpu_rules.h"
#include "templates/generated/gpu/points.h"

namespace nestwright {
namespace {

int stage_index(const Schedule& s, const StageAnalysis& stage) { return s.state().find(stage.tensor.op()); }

/// Whether the scan, of whose earlier rows an update reads some, is read in the column that is computed.
bool reads_own_columns(const StageAnalysis& update, const Operation& scan) {
  return std::all_of(update.accesses.begin(), update.accesses.end(), [&](const OperandAccess& access) {
    if (!access.tensor.defined() || !(access.tensor.op() == scan)) return true;
    for (std::size_t d = 1; d < access.identity.size(); ++d) {
      if (access.identity[d] != static_cast<int>(d)) return false;
    }
    return true;
  });
}

/// Whether the time of a scan may run inside the threads: its step is one stage, of which each thread has columns.
bool may_run_in_threads(GpuSketch& sketch, int scan) {
  const Operation op = sketch.schedule.state().stages[static_cast<std::size_t>(scan)].origin.op();
  int updates = 0;
  for (const StageAnalysis& stage : sketch.stages) {
    const int index = stage_index(sketch.schedule, stage);
    if (index < 0) continue;
    const ScanPlace place = scan_place(sketch.schedule.state(), index);
    if (place.scan != scan) continue;
    if (place.part == ScanPart::kStep) return false;
    if (place.part != ScanPart::kUpdate) continue;
    if (stage.spatial < 2 || stage.is_reduction || !reads_own_columns(stage, op)) return false;
    ++updates;
  }
  return updates == 1;
}

}  // namespace

bool is_of_gpu_scan(GpuSketch& sketch, int stage) { return sketch.of(stage).is_scan_part; }

void bind_scan_part(GpuSketch& sketch, int number) {
  sketch.finish(number);
  const StageAnalysis stage = sketch.of(number);
  Schedule& s = sketch.schedule;
  const int index = stage_index(s, stage);
  const ScanPlace place = scan_place(s.state(), index);
  if (place.part == ScanPart::kScan) {
    if (may_run_in_threads(sketch, index) &&
        sketch.choose(stage.name + ".time", {"threads", "launches"}) == "threads") {
      s[stage.tensor].pragma(s[stage.tensor].axis(0), "in_threads", 1);
    }
    return;
  }
  std::vector<IterVar> columns;
  for (int axis = 0; axis < stage.spatial; ++axis) {
    const IterVar loop = s[stage.tensor].axis(axis);
    const bool is_time =
        place.part == ScanPart::kUpdate ? axis == 0 : place.is_in_step() && is_time_axis(s.state(), index, loop);
    if (!is_time) columns.push_back(loop);
  }
  if (!columns.empty()) bind_points(sketch, number, columns);
}

}  // namespace nestwright
