#include "cli/commands/explain_run.h"

#include <gmock/gmock.h>
#include <linux/perf_event.h>

#include "nestwright/registry.h"

namespace nestwright::cli {
namespace {

// Events of the operating system, which virtual machines count, too.
const std::vector<PerfEvent> kOfSystem{{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
                                       {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
                                       {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}};

CallCounts counted(const std::string& workload, PerfCounters& counters) {
  Target target = Target::host();
  target.threads = 1;
  const TaskContext context(Task{parse_workload(workload), target});
  const Lookup found = look_up(context, nullptr);
  return count_calls(context, {found.source->name, found.source->version, found.config}, counters);
}

TEST(ExplainRunTest, CountsPerCall) {
  PerfCounters counters(kOfSystem);
  if (!counters.why_not().empty()) GTEST_SKIP() << counters.why_not();
  for (const char* workload :
       {"matmul m=64 n=64 k=64", "matmul m=33 n=48 k=64 prepared=b", "reduce function=max shape=32x300 axes=1"}) {
    const CallCounts counts = counted(workload, counters);
    EXPECT_GT(counts.ns, 0) << workload;
    EXPECT_GT(counts.cycles, 0) << "the task's clock, in nanoseconds";
    EXPECT_LT(counts.cycles, 2 * counts.ns) << "one thread";
  }
}

}  // namespace
}  // namespace nestwright::cli
