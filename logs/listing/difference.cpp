#include "logs/listing/difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace nestwright {
namespace {

/// The fields by which tasks are kept apart.
using ComparedKey = std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>;

ComparedKey key_of(const TaskKey& task) {
  return {task.workload.text, task.target, task.machine, task.cache, task.pages, task.prepacked};
}

/// The best for each key: of several backends that of the latest record, as TuningLog::best().
std::map<ComparedKey, BestRecord> bests_of(const TuningLog& log, const TaskFilter& filter) {
  const auto rank = [](const BestRecord& r) { return std::pair(r.source != BestSource::kDisturbed, r.recorded_at); };
  std::map<ComparedKey, BestRecord> bests;
  for (BestRecord& record : log.list(filter)) {
    const auto [known, is_new] = bests.try_emplace(key_of(record.task), record);
    if (!is_new && rank(record) >= rank(known->second)) known->second = std::move(record);
  }
  return bests;
}

bool is_same_record(const BestRecord& a, const BestRecord& b) {
  return a.point == b.point && a.source == b.source && a.recorded_at == b.recorded_at &&
         a.task.backend == b.task.backend && a.timing.median_ns == b.timing.median_ns;
}

BestDifference difference_of(BestRecord first, BestRecord second) {
  BestDifference difference;
  difference.ratio = second.timing.median_ns / first.timing.median_ns;
  difference.is_beyond_intervals =
      second.timing.low_ns > first.timing.high_ns || second.timing.high_ns < first.timing.low_ns;
  difference.first = std::move(first);
  difference.second = std::move(second);
  return difference;
}

}  // namespace

DatabaseDifference compare_bests(const TuningLog& first, const TuningLog& second, const TaskFilter& filter) {
  DatabaseDifference result;
  std::map<ComparedKey, BestRecord> others = bests_of(second, filter);
  for (auto& [key, record] : bests_of(first, filter)) {
    auto other = others.extract(key);
    if (!other) {
      result.differences.push_back({.first = record});
    } else if (is_same_record(record, other.mapped())) {
      ++result.unchanged;
    } else {
      result.differences.push_back(difference_of(record, std::move(other.mapped())));
    }
  }
  for (auto& [key, record] : others) result.differences.push_back({.second = std::move(record)});
  const auto rank = [](const BestDifference& d) {
    return std::tuple(d.ratio == 0, !d.is_beyond_intervals, d.ratio == 0 ? 0 : -std::abs(std::log(d.ratio)));
  };
  std::stable_sort(result.differences.begin(), result.differences.end(),
                   [&](const BestDifference& a, const BestDifference& b) { return rank(a) < rank(b); });
  return result;
}

}  // namespace nestwright
