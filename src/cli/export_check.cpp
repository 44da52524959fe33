#include "cli/export_check.h"

#include <fmt/format.h>

#include "cli/runnable.h"
#include "measure/runner.h"
#include "search/check_data.h"
#include "search/session_state.h"
#include "support/error.h"

namespace nestwright::cli {

ExportCheck check_export(const Task& task, const CompiledObject& object) {
  ExportCheck found;
  try {
    require_runnable(task, Machine::host());
  } catch (const UsageError& e) {
    found.why_not_run = e.what();
    return found;
  }
  const auto runner =
      make_local_runner(make_strict_check_data(task.workload),
                        {.target = task.target, .threads = task.target.threads, .timing = timing_of(Effort::kQuick)});
  const std::vector<RunRequest> requests{{&object}};
  const Measurement checked = runner->check(requests).front();
  if (checked.outcome != Outcome::kOk || !checked.evidence.verified) {
    found.failure = fmt::format("{}: {}", outcome_name(checked.outcome), checked.message);
    return found;
  }
  const Timing timing = runner->race(requests).front().timing;
  if (timing.is_disturbed()) return found;
  found.median_ns = timing.median_ns;
  found.low_ns = timing.low_ns;
  found.high_ns = timing.high_ns;
  return found;
}

}  // namespace nestwright::cli
