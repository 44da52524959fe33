// The throughput of a kernel: GFLOP/s, or GB/s for a memory-bound workload.
// Thread rule: pure functions.
#pragma once

#include <memory>
#include <string>

#include "nestwright/records.h"
#include "nestwright/template.h"
#include "templates/framework/template/memory_bound.h"

namespace nestwright::cli {

/// The operations and memory traffic of one run of a workload.
struct Work {
  double flops = 0;
  double bytes = 0;  ///< that are read or written, each counted once; 0: unknown

  bool is_memory_bound() const { return nestwright::is_memory_bound(flops, bytes); }
  const char* unit() const { return is_memory_bound() ? "GB/s" : "GFLOP/s"; }
  /// Returns the throughput in unit() of a run that takes `ns` nanoseconds.
  double throughput(double ns) const { return (is_memory_bound() ? bytes : flops) / ns; }
};

Work work_of(const Workload& workload);
/// Returns the work of a recorded workload of `op`. bytes is 0 if `op` is null or no longer accepts the workload.
Work work_of(const WorkloadKey& workload, const std::shared_ptr<const Operator>& op);
/// The same for a record that answers `asked`, whose operator it has.
Work work_of(const WorkloadKey& workload, const Workload& asked);

/// Returns "101.2 GFLOP/s" or "17.3 GB/s".
std::string throughput_text(const Work& work, double ns);

}  // namespace nestwright::cli
