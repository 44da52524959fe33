#include "cli/commands/tune_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "cli/output/progress.h"
#include "cli/output/record_output.h"
#include "nestwright/error.h"
#include "search/network/network_race.h"

namespace nestwright::cli {
namespace {

constexpr double kShare = 0.12;              // of the seconds
constexpr double kLeast_s = 3;               // for the race itself
constexpr double kCompileKernel_s = 0.3;     // of each task's kernel, on all cores together
constexpr double kMostOfSearch_share = 0.3;  // of the seconds: where compiling takes more, the network is not timed

}  // namespace

double network_race_seconds(const TaskList& list, const Budget& budget) {
  if (!list.model || budget.seconds == 0) return 0;
  const double needed = kLeast_s + kCompileKernel_s * static_cast<double>(list.tasks.size());
  const double seconds = std::max(kShare * budget.seconds, needed);
  return seconds <= kMostOfSearch_share * budget.seconds ? seconds : 0;
}

std::optional<NetworkRecord> race_model(const TaskList& list, TuningLog& log, const SessionOptions& options,
                                        const std::function<double()>& elapsed_s,
                                        const std::atomic<bool>& interrupted) {
  if (!list.model) return std::nullopt;
  const Budget& budget = options.budget;
  if (budget.seconds > 0 && network_race_seconds(list, budget) == 0) {
    note("the network as a whole was not timed: that takes longer than a part of these seconds\n");
    return std::nullopt;
  }
  const TaskContext& first = list.tasks.front().context;
  NetworkRaceOptions race{.caches = first.task().caches, .effort = options.effort};
  race.seconds_left = [&] {
    if (interrupted) return 0.0;
    return budget.seconds > 0 ? budget.seconds - elapsed_s() : std::numeric_limits<double>::infinity();
  };
  ProgressLine line(budget);
  race.on_progress = [&](const std::string& phase, const RaceProgress& progress) {
    Progress shown{.seconds = elapsed_s(), .phase = phase};
    if (budget.seconds > 0) shown.seconds_left = std::max(budget.seconds - shown.seconds, 0.0);
    if (progress.of > 0) shown.detail = fmt::format("process {} of {}", progress.done, progress.of);
    line.show(shown, work_of(first.workload()));
  };
  try {
    const RacedNetwork network{
        &list.model->kernels, list.model->model_graph, std::filesystem::path(list.name).filename().string(), {}};
    NetworkRecord record = race_network(network, first.target(), log, race);
    line.finish();
    if (record.timing.median_ns > 0) return record;
    note("the network as a whole was not timed: the time was over\n");
  } catch (const LogError&) {
    throw;
  } catch (const Error& error) {
    line.finish();
    note(fmt::format("the network as a whole was not timed: {}\n", printable(error.what())));
  }
  return std::nullopt;
}

}  // namespace nestwright::cli
