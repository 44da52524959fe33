#include "cli/commands/export_check.h"

#include <fmt/format.h>

#include "cli/options/common_options.h"
#include "codegen/backend.h"
#include "measure/run/runner.h"
#include "nestwright/error.h"
#include "search/budget/effort.h"
#include "search/task/check_data.h"
#include "search/task/runnable.h"
#include "search/task/timing_lock.h"
#include "support/base/clock.h"
#include "support/os/machine_lock.h"

namespace nestwright::cli {
namespace {

/// Says on standard error why the check waits: each reason once, and again every few seconds.
class WaitNotes {
 public:
  void show(const std::string& reason) {
    constexpr double kInterval_s = 5;
    const double now_s = static_cast<double>(steady_clock().now_ns()) * 1e-9;
    if (reason == shown_ && now_s - shown_at_s_ < kInterval_s) return;
    shown_ = reason;
    shown_at_s_ = now_s;
    note(fmt::format("nestwright: waiting to run the kernel before it is written: {}; --unchecked does not wait\n",
                     reason));
  }

 private:
  std::string shown_;
  double shown_at_s_ = 0;
};

}  // namespace

ExportCheck check_export(const Task& task, const CompiledObject& object, const CheckEffort& checks) {
  ExportCheck found;
  try {
    require_runnable(task, Machine::host());
  } catch (const UsageError& e) {
    found.why_not_run = e.what();
    return found;
  }
  const CheckData data = make_strict_check_data(task.workload, checks);  // which may refuse the workload
  // Other tuners of this machine must neither disturb it nor be disturbed.
  note_missing_lock(task.target);
  MachineLock lock(timing_lock_name(task.target));
  WaitNotes notes;
  const MachineLock::Hold turn = lock.hold([&] {
    notes.show("another tuner of this machine measures");
    return false;
  });
  const auto runner = make_local_runner(data, {.target = task.target,
                                               .threads = task.target.threads,
                                               .caches = task.caches,
                                               .timeout_s = check_limit_s(task),
                                               .timing = timing_of(Effort::kQuick),
                                               .on_wait = [&](const std::string& reason) { notes.show(reason); }});
  const std::vector<Contender> contenders{{&object}};
  const Measurement checked = runner->check(contenders).front();
  if (checked.outcome != Outcome::kOk || !checked.evidence.verified) {
    found.failure = fmt::format("{}: {}", outcome_name(checked.outcome), checked.message);
    return found;
  }
  const Measurement raced = runner->race(contenders).front();
  if (raced.outcome != Outcome::kOk) {
    found.failure = fmt::format("{}: {}", outcome_name(raced.outcome), raced.message);
    return found;
  }
  const Timing& timing = raced.timing;
  if (timing.is_disturbed()) return found;
  found.median_ns = timing.median_ns;
  found.low_ns = timing.low_ns;
  found.high_ns = timing.high_ns;
  return found;
}

}  // namespace nestwright::cli
