// scan_part: the columns of a scan are bound to blocks and threads; each step is a launch, or, where each column reads
// itself alone, the time runs inside the threads.
//
//   for t: for j: Y[t, j] = Y[t - 1, j] + X[t, j]
//     ->   for t: blocks, threads: Y[t, j] = Y[t - 1, j] + X[t, j]        (launches)
//     ->   blocks, threads: for t: Y[t, j] = Y[t - 1, j] + X[t, j]        (threads)
//
// A scan without columns is computed by one thread.
#include "schedule/state/scan_parts.h"

#include <algorithm>
#include <optional>

#include "schedule/state/stage_operations.h"
#include "schedule/state/state.h"
#include "templates/sketch/gpu/bind_points.h"
#include "templates/sketch/gpu/gpu_rules.h"

namespace nestwright {
namespace {

/// A stage that belongs to a scan.
struct Part {
  int index = -1;  ///< of the stage in the schedule
  ScanPlace place;
  std::vector<IterVar> columns;  ///< its spatial loops, but for the time
  std::optional<IterVar> time;   ///< the spatial loop over the rows that a step needs of a stage
};

Part part_of(GpuSketch& sketch, const StageAnalysis& stage) {
  Schedule& s = sketch.schedule;
  Part part;
  part.index = find_stage(s.state(), stage.tensor);  // not by its operation, which changes with what it reads
  part.place = scan_place(s.state(), part.index);
  if (part.place.part == ScanPart::kScan) return part;
  for (int axis = 0; axis < stage.spatial; ++axis) {
    const IterVar loop = s[stage.tensor].axis(axis);
    const bool is_time = part.place.part == ScanPart::kUpdate
                             ? axis == 0
                             : part.place.is_in_step() && is_time_axis(s.state(), part.index, loop);
    if (!is_time) {
      part.columns.push_back(loop);
    } else if (part.place.part == ScanPart::kStep) {
      part.time = loop;
    }
  }
  return part;
}

/// Whether the update reads earlier rows of the scan only in the column that it computes.
bool reads_own_columns(const StageAnalysis& update, const Operation& scan) {
  return std::all_of(update.accesses.begin(), update.accesses.end(), [&](const OperandAccess& access) {
    if (!access.tensor.defined() || !(access.tensor.op() == scan)) return true;
    for (std::size_t d = 1; d < access.identity.size(); ++d) {
      if (access.identity[d] != static_cast<int>(d)) return false;
    }
    return true;
  });
}

/// Where the loop over the time of a scan may run.
struct TimeOptions {
  bool in_threads = true;    ///< its step is one stage, of which each thread has columns
  bool has_columns = false;  ///< or a single step; otherwise one thread computes all steps
};

TimeOptions time_options(GpuSketch& sketch, int scan) {
  const Operation op = sketch.schedule.state().stages[static_cast<std::size_t>(scan)].origin.op();
  TimeOptions options;
  // A single step has no loop that could run inside of a thread.
  options.has_columns = ir::is_const_int(op.scan()->time().extent(), 1);
  int updates = 0;
  for (const StageAnalysis& stage : sketch.stages) {
    const Part part = part_of(sketch, stage);
    if (part.place.scan != scan || !part.place.is_in_step()) continue;
    options.has_columns = options.has_columns || !part.columns.empty();
    const bool is_update = part.place.part == ScanPart::kUpdate;
    updates += is_update ? 1 : 0;
    if (!is_update || stage.is_reduction || !reads_own_columns(stage, op)) options.in_threads = false;
  }
  options.in_threads = options.in_threads && updates == 1;
  return options;
}

/// Makes the loop over the time of a scan run inside the threads, if that is chosen or one thread computes all steps.
/// Requires that the parts of the scan are not bound yet.
void schedule_time(GpuSketch& sketch, const StageAnalysis& stage, int scan) {
  const TimeOptions options = time_options(sketch, scan);
  Stage loops = sketch.schedule[stage.tensor];
  const bool runs_inside =
      !options.has_columns ||
      (options.in_threads && sketch.choose(stage.name + ".time", {"threads", "launches"}) == "threads");
  if (runs_inside) loops.pragma(loops.axis(0), "in_threads", 1);
}

/// Schedules a stage of a step that has no columns while others have some. A reduction needs a bound loop around it to
/// be a kernel: the loop over the rows, of which a step may need several, or a loop over a single part of the
/// reduction.
void schedule_single(Schedule& s, const StageAnalysis& stage, const Part& part_of_scan) {
  if (!stage.is_reduction) {
    if (part_of_scan.place.part == ScanPart::kStep && stage.results == 1) s[stage.tensor].compute_inline();
    return;
  }
  if (part_of_scan.time) {
    s[stage.tensor].bind(*part_of_scan.time, kThreadIdxX);
    return;
  }
  const Tensor part =
      s.rfactor(stage.tensor, s[stage.tensor].split(s[stage.tensor].reduce_axis(0), nparts(1)).first, 0);
  s[part].bind(s[part].axis(0), kThreadIdxX);
}

}  // namespace

bool feeds_gpu_scan(GpuSketch& sketch, int number) {
  const ScheduleState& state = sketch.schedule.state();
  const int stage = find_stage(state, sketch.of(number).tensor);
  for (std::size_t scan = 0; scan < state.stages.size(); ++scan) {
    if (state.stages[scan].op.scan() == nullptr) continue;
    const std::vector<int> feeders = feeders_of(state, static_cast<int>(scan));
    if (std::find(feeders.begin(), feeders.end(), stage) != feeders.end()) return true;
  }
  return false;
}

bool is_of_gpu_scan(GpuSketch& sketch, int stage) { return sketch.of(stage).is_scan_part; }

void bind_scan_part(GpuSketch& sketch, int number) {
  sketch.finish(number);
  const StageAnalysis stage = sketch.of(number);
  Schedule& s = sketch.schedule;
  const Part part = part_of(sketch, stage);
  if (part.place.part == ScanPart::kScan) {
    schedule_time(sketch, stage, part.index);
  } else if (!part.columns.empty()) {
    bind_points(sketch, number, part.columns);
  } else if (time_options(sketch, part.place.scan).has_columns) {
    schedule_single(s, stage, part);
  } else if (part.place.part == ScanPart::kStep) {
    s[stage.tensor].set_scope(ir::Scope::kLocal);
  }
}

}  // namespace nestwright
