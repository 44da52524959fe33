// How fast a kernel is, in the unit that fits its workload: operations a second, or bytes where memory is what binds
// it. Thread rule: pure functions.
#pragma once

#include <string>

#include "logs/record.h"
#include "templates/framework/workload.h"

namespace nestwright::cli {

/// Of one run of a workload.
struct Work {
  double flops = 0;
  double bytes = 0;  ///< of the tensors, each touched once; 0: not known

  /// Fewer than 4 operations a byte: no CPU of today computes so slowly that memory would keep up.
  bool is_bound_by_memory() const { return flops < 4 * bytes; }
  const char* unit() const { return is_bound_by_memory() ? "GB/s" : "GFLOP/s"; }
  /// In that unit.
  double speed(double ns) const { return (is_bound_by_memory() ? bytes : flops) / ns; }
};

/// Throws UsageError for an unknown operator.
Work work_of(const Workload& workload);
/// Of a record, whose workload this build may not know: then of its operations alone.
Work work_of(const WorkloadKey& workload);

/// "101.2 GFLOP/s", "17.3 GB/s".
std::string speed_text(const Work& work, double ns);

}  // namespace nestwright::cli
