#include "search/race/side_by_side.h"

#include <algorithm>
#include <limits>

#include "measure/build/builder.h"
#include "measure/run/runner.h"
#include "nestwright/lookup.h"
#include "search/budget/effort.h"
#include "search/task/check_data.h"
#include "search/task/runnable.h"
#include "search/task/timing_lock.h"
#include "support/base/caught_message.h"
#include "support/os/machine_lock.h"

namespace nestwright {
namespace {

/// Compiles each side. One that cannot be lowered or compiled has a result with that outcome.
std::vector<BuildResult> build(const Task& task, std::span<const Side> sides,
                               const std::function<void(const std::string&)>& on_output) {
  std::vector<BuildResult> results(sides.size());
  std::vector<ir::Program> programs;
  std::vector<std::size_t> requested;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    try {
      programs.push_back(program_of(task, *sides[i].source, sides[i].config, kernel_name(task.workload)));
      requested.push_back(i);
    } catch (...) {
      results[i].outcome = Outcome::kInvalidConfig;
      results[i].message = caught_message();
    }
  }
  if (programs.empty()) return results;
  const auto builder =
      make_local_builder(task.target, {.processes = static_cast<int>(programs.size()), .on_output = on_output});
  std::vector<BuildResult> built = builder->build(programs, Pipeline::kFinal);
  for (std::size_t r = 0; r < built.size(); ++r) results[requested[r]] = std::move(built[r]);
  return results;
}

}  // namespace

std::vector<Measurement> measure_side_by_side(const Task& task, std::span<const Side> sides, Effort effort,
                                              const std::function<bool()>& is_over, const CheckEffort& checks,
                                              const std::function<void(const std::string&)>& on_output) {
  MachineLock lock(timing_lock_name(task.target));
  const MachineLock::Hold turn = lock.hold(is_over);
  std::vector<Measurement> measured(sides.size());
  if (!turn.is_granted()) return measured;
  const std::vector<BuildResult> built = build(task, sides, on_output);
  std::vector<Contender> contenders;
  std::vector<std::size_t> contending;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    measured[i].outcome = built[i].outcome;
    measured[i].message = built[i].message;
    measured[i].compile_ms = built[i].compile_ms;
    if (built[i].outcome != Outcome::kOk) continue;
    contenders.push_back({&built[i].object});
    contending.push_back(i);
  }
  if (contenders.empty()) return measured;
  const auto runner =
      make_local_runner(make_strict_check_data(task.workload, checks),
                        {.target = task.target,
                         .threads = task.target.threads,
                         .caches = task.caches,
                         .timeout_s = check_limit_s(task),
                         .timing = timing_on(task.target.device, task.target.threads, timing_of(effort)),
                         .on_output = on_output});
  const std::vector<Measurement> checked = runner->check(contenders);
  for (std::size_t r = contenders.size(); r-- > 0;) {
    measured[contending[r]] = checked[r];
    if (checked[r].outcome == Outcome::kOk && checked[r].evidence.verified) continue;
    contenders.erase(contenders.begin() + static_cast<std::ptrdiff_t>(r));
    contending.erase(contending.begin() + static_cast<std::ptrdiff_t>(r));
  }
  if (contenders.empty()) return measured;
  constexpr double kForever = std::numeric_limits<double>::infinity();
  const std::vector<Measurement> timed =
      runner->race(contenders, {.seconds_left = [&] { return is_over() ? 0 : kForever; }});
  for (std::size_t r = 0; r < timed.size(); ++r) {
    Measurement& m = measured[contending[r]];
    const Evidence evidence = m.evidence;
    m = timed[r];
    m.evidence = evidence;
  }
  return measured;
}

std::vector<Measurement> measure_beside(const TaskContext& context, const std::vector<Lookup>& configurations,
                                        Effort effort, const std::function<bool()>& is_over) {
  require_runnable(context.task(), Machine::host());
  std::vector<Side> sides;
  for (const Lookup& each : configurations) sides.push_back({each.source, each.config});
  return measure_side_by_side(context.task(), sides, effort, is_over ? is_over : [] { return false; });
}

}  // namespace nestwright
