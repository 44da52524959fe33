#include "search/trials/session_best.h"

#include <algorithm>

#include "measure/race/quiet_estimate.h"

namespace nestwright {
namespace {

/// The record of a trial of the session, with its time as a search reports it.
BestRecord record_of(const TuningLog& log, TrialId trial) {
  BestRecord record = log.find_trial(trial).value();
  estimate_unraced_time(record.timing);
  return record;
}

std::optional<BestRecord> fastest(const TuningLog& log, const std::vector<SessionTrial>& trials, BestSource source) {
  const auto found = std::ranges::min_element(trials, {}, &SessionTrial::ns);
  if (found == trials.end()) return std::nullopt;
  BestRecord record = record_of(log, found->id);
  record.source = source;
  return record;
}

}  // namespace

std::optional<BestRecord> session_best(const TaskContext& context, const SessionTrials& trials, const Tools& tools) {
  const TaskFilter filter = filter_of(context.key());
  if (!tools.space.is_restricted() && tools.options.template_name.empty())
    return tools.log.best(filter, tools.versions);
  constexpr int kMaxEntries = 1000;
  std::vector<BestRecord> within = tools.log.top(filter, kMaxEntries, context.usable_templates());
  std::erase_if(within, [&](const BestRecord& record) { return !tools.space.find(record.point); });
  if (!within.empty() && within.front().source == BestSource::kRace) return within.front();
  const std::vector<SessionTrial> sound = trials.sound();
  const auto is_incumbent = [&](const SessionTrial& trial) { return trial.id == trials.incumbent()->id; };
  if (trials.incumbent() && std::ranges::any_of(sound, is_incumbent)) {
    return record_of(tools.log, trials.incumbent()->id);
  }
  if (auto record = fastest(tools.log, sound, BestSource::kUnconfirmed)) return record;
  if (!within.empty()) return within.front();
  return fastest(tools.log, trials.disturbed(), BestSource::kDisturbed);
}

}  // namespace nestwright
