#include "search/network/kernel_candidates.h"

#include <algorithm>
#include <numeric>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr double kLeastShare = 0.005;  // of the time of all kernels
constexpr int kConsidered = 32;        // of the task's records
constexpr std::size_t kCandidates = 3;
constexpr double kOtherTemplate = 1.5, kRunnerUp = 1.15;  // most time, relative to the best

double time_of(const TaskCandidates& task, std::size_t calls) {
  const Lookup& best = task.lookups.front();
  const bool is_tuned = best.match == MatchKind::kExact && best.record && !best.record->timing.is_disturbed();
  return is_tuned ? best.record->timing.median_ns * static_cast<double>(calls) : 0;
}

/// The records of the task that may compete, fastest first.
std::vector<BestRecord> others(const TaskCandidates& task, const TuningLog& log) {
  const BestRecord& best = *task.lookups.front().record;
  std::vector<BestRecord> records =
      log.top(filter_of(task.context.key()), kConsidered, task.context.usable_templates());
  std::erase_if(records, [&](const BestRecord& record) {
    const bool is_other = record.point.template_name != best.point.template_name;
    const double ratio = record.timing.median_ns / best.timing.median_ns;
    const bool is_there = std::any_of(task.lookups.begin(), task.lookups.end(), [&](const Lookup& lookup) {
      return lookup.record && lookup.record->trial == record.trial;
    });
    return is_there || record.timing.is_disturbed() || !record.evidence.verified ||
           !(ratio <= (is_other ? kOtherTemplate : kRunnerUp));
  });
  std::stable_sort(records.begin(), records.end(),
                   [](const BestRecord& a, const BestRecord& b) { return a.timing.median_ns < b.timing.median_ns; });
  // The fastest of another template comes first.
  const auto other = std::find_if(records.begin(), records.end(), [&](const BestRecord& record) {
    return record.point.template_name != best.point.template_name;
  });
  if (other != records.end()) std::rotate(records.begin(), other, other + 1);
  return records;
}

}  // namespace

void add_kernel_candidates(std::vector<TaskCandidates>& tasks, const std::vector<std::size_t>& calls,
                           const TuningLog& log, std::size_t most) {
  std::vector<double> times;
  for (std::size_t t = 0; t < tasks.size(); ++t) times.push_back(time_of(tasks[t], calls[t]));
  const double total = std::accumulate(times.begin(), times.end(), 0.0);
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
  for (const std::size_t t : order) {
    if (most == 0 || times[t] < kLeastShare * total || times[t] == 0) return;
    for (const BestRecord& record : others(tasks[t], log)) {
      if (most == 0 || tasks[t].lookups.size() == kCandidates) break;
      try {
        std::optional<Lookup> found = look_up_trial(tasks[t].context, log, record.trial);
        if (!found) continue;
        tasks[t].lookups.push_back(std::move(*found));
        --most;
      } catch (const UsageError&) {
        // it is no configuration of this build
      }
    }
  }
}

}  // namespace nestwright
