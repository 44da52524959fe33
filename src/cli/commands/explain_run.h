// Measures for `explain --run` what bounds the best of a task on this machine: the bandwidth for its tensors, the start
// of a parallel loop, and what the processor counts while it runs. Thread rule: one thread at a time, and nothing else
// should run meanwhile.
#pragma once

#include "cli/output/explain_output.h"
#include "support/os/perf_counters.h"

namespace nestwright::cli {

/// Replaces the rates of `bound` by measured ones and, unless the caches are cold or the tensors too large, the
/// recorded time by one that is taken beside them, and adds the counters, or why there are none. Takes about a second,
/// after it has waited for other tuners of this machine, which it says on standard error. Requires a CPU that can run
/// the task.
void measure_bound(const TaskContext& context, const BestRecord& best, BestBound& bound);

/// Calls the configuration for 0.2 s in this process and returns what was counted per call, or its time alone if the
/// counters cannot count. Requires counters of three events, in the order of CallCounts. Throws as build() does.
CallCounts count_calls(const TaskContext& context, const Point& point, PerfCounters& counters);

}  // namespace nestwright::cli
