#include "search/session/task_history.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lookup/provenance.h"
#include "search/task/candidate.h"

namespace nestwright {
namespace {

// Trials that a session starts from: reading and replaying them takes less than half a second.
constexpr std::int64_t kLatestTrials = 4096, kFastestTrials = 64;

}  // namespace

void record_resources(Ranker& ranker, const Point& point, const std::vector<KernelResources>& resources) {
  if (const auto of_device = candidate_resources(resources)) ranker.record_resources(point, *of_device);
}

std::size_t TaskHistory::read() {
  trials_ = tools_.log.history(context_.key(), kLatestTrials, kFastestTrials);
  for (const TrialRecord& trial : trials_) {
    const auto point = tools_.space.find(trial.point);
    if (point) known_.note_default(trial.id, *point, trial.measurement.outcome, trial.code);
  }
  timescale_.establish(context_, known_, tools_, trials_);
  return remember_all(trials_);
}

std::size_t TaskHistory::remember_all(const std::vector<TrialRecord>& trials) {
  std::size_t points = 0;
  for (const TrialRecord& trial : trials) {
    last_read_ = std::max(last_read_, trial.id);
    const auto point = tools_.space.find(trial.point);
    if (!point) continue;
    ++points;
    // Code whose time was disturbed or is not comparable is measured again when it is met again.
    const Measurement m = timescale_.convert(tools_.id, trial);
    if (m.timing.is_disturbed()) {
      known_.note_default(trial.id, *point, m.outcome, trial.code);
    } else {
      known_.remember(trial.id, *point, m, trial.code);
    }
  }
  return points;
}

void TaskHistory::replay(SearchStrategy& strategy, Ranker& ranker, PartTrials& parts) {
  is_replayed_ = true;
  std::vector<TrialRecord> trials = std::exchange(trials_, {});
  std::vector<TrialRecord> since = tools_.log.trials_after(context_.key(), last_read_);
  timescale_.refresh(context_, known_, tools_.log);
  remember_all(since);
  std::move(since.begin(), since.end(), std::back_inserter(trials));
  std::stable_sort(trials.begin(), trials.end(), [](const TrialRecord& a, const TrialRecord& b) {
    return std::pair(a.batch, a.position) < std::pair(b.batch, b.position);
  });
  observe(trials, strategy, ranker);
  for (const TrialRecord& trial : trials) {
    const auto point = tools_.space.find(trial.point);
    if (!point || trial.code.same_as != 0) continue;
    const Measurement m = as_observed(trial);
    // One that is disturbed only as it is observed is not in this session's unit.
    const bool is_comparable = !m.timing.is_disturbed() || trial.measurement.timing.is_disturbed();
    if (is_comparable) parts.add({trial.id, *point, trial.code.identity}, m);
  }
  ranker.end_replay();
}

void TaskHistory::read_news(SearchStrategy& strategy, Ranker& ranker) {
  const std::vector<TrialRecord> news = tools_.log.trials_after(context_.key(), last_read_, tools_.id);
  if (news.empty()) return;
  timescale_.refresh(context_, known_, tools_.log);
  remember_all(news);
  observe(news, strategy, ranker);
}

/// As the strategy observes it: disturbed if another code generator, which may have made other code, compiled it.
Measurement TaskHistory::as_observed(const TrialRecord& trial) const {
  if (const Measurement* again = timescale_.renewed(trial.id)) return *again;
  Measurement m = timescale_.convert(tools_.id, trial);
  if (!is_made_alike(context_.provenance(), trial.unit))
    m.timing.disturbance = "compiled by another version of the code generator";
  return m;
}

void TaskHistory::observe(const std::vector<TrialRecord>& trials, SearchStrategy& strategy, Ranker& ranker) const {
  std::vector<SessionTrial> batch;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const TrialRecord& trial = trials[i];
    if (const auto point = tools_.space.find(trial.point)) {
      record_resources(ranker, *point, trial.measurement.resources);
      if (has_label(trial.measurement)) batch.push_back(session_trial(trial.id, *point, as_observed(trial)));
    }
    if (i + 1 == trials.size() || trials[i + 1].batch != trial.batch) {
      strategy.observe(batch);
      batch.clear();
    }
  }
}

}  // namespace nestwright
