#include "search/propose/bandit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright {
namespace {

constexpr std::size_t kWindow = 500;  // trials that count, as in OpenTuner
// Weight of the bonus for arms tried seldom. OpenTuner's 0.05 lets chance decide between equal arms for hundreds of
// trials.
constexpr double kExploration = 0.1;
constexpr double kEliteShare = 0.05;  // a success is among this share of the sound trials of the window before it
constexpr std::size_t kMaxRest = 16;  // times the number of arms: trials after which an arm is tried again

struct Record {
  std::size_t pulls = 0;   ///< in all
  std::size_t rest = 0;    ///< trials of others since the last pull
  std::size_t recent = 0;  ///< in the window
  double area = 0;         ///< under the curve of successes in the window
  double credit() const {
    const auto uses = static_cast<double>(recent);
    return recent == 0 ? 0 : area / (uses * (uses + 1) / 2);
  }
};

/// The labels of the sound trials of a window, sorted.
class Window {
 public:
  /// Returns whether a trial of `ns` is a success among these.
  bool is_elite(double ns) const {
    if (sorted_.empty()) return true;
    const double rank = std::floor(kEliteShare * static_cast<double>(sorted_.size()));
    return ns < sorted_[static_cast<std::size_t>(rank)];
  }
  void add(double ns) { sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), ns), ns); }
  void remove(double ns) { sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), ns)); }

 private:
  std::vector<double> sorted_;
};

void rest_others(std::vector<Record>& records, std::size_t pulled) {
  for (Record& record : records) ++record.rest;
  records[pulled].rest = 0;
}

/// The order in which arms are served: a larger one comes first.
double score(const Record& record, std::size_t first_pulls, double credit, double uses, std::size_t arms) {
  constexpr double kBeforeAll = 1e6;
  if (record.pulls < first_pulls) return kBeforeAll - static_cast<double>(record.pulls);
  if (record.rest >= kMaxRest * arms) return static_cast<double>(record.rest);
  const auto recent = static_cast<double>(std::max<std::size_t>(record.recent, 1));
  return credit + kExploration * std::sqrt(2 * std::log2(std::max(uses, 2.0)) / recent);
}

std::vector<Record> records_of(std::span<const SessionTrial> trials, std::span<const std::size_t> arm_of,
                               std::size_t arms) {
  std::vector<Record> records(arms);
  const std::size_t first = trials.size() - std::min(trials.size(), kWindow);
  const std::size_t before = first - std::min(first, kWindow);
  for (std::size_t i = 0; i < before; ++i) {
    ++records[arm_of[i]].pulls;
    rest_others(records, arm_of[i]);
  }
  Window window;
  for (std::size_t i = before; i < trials.size(); ++i) {
    const SessionTrial& trial = trials[i];
    Record& record = records[arm_of[i]];
    ++record.pulls;
    if (i >= before + kWindow && trials[i - kWindow].is_sound()) window.remove(trials[i - kWindow].ns);
    if (i >= first) {
      ++record.recent;
      if (trial.is_sound() && window.is_elite(trial.ns)) record.area += static_cast<double>(record.recent);
    }
    if (trial.is_sound()) window.add(trial.ns);
    rest_others(records, arm_of[i]);
  }
  return records;
}

}  // namespace

std::vector<std::size_t> allocate_trials(std::span<const SessionTrial> trials, std::span<const std::size_t> arm_of,
                                         std::span<const BanditArm> arms, int n) {
  std::vector<Record> records = records_of(trials, arm_of, arms.size());
  std::vector<double> credits;
  double uses = 0;
  for (const Record& record : records) {
    credits.push_back(record.credit());
    uses += static_cast<double>(record.recent);
  }
  std::vector<std::size_t> allotted;
  while (static_cast<int>(allotted.size()) < n) {
    // Trials that are allotted count as uses at once, without success or failure.
    std::size_t best = arms.size();
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < arms.size(); ++a) {
      if (!arms[a].is_open) continue;
      const double of_arm = score(records[a], arms[a].first_pulls, credits[a], uses, arms.size());
      if (of_arm <= most) continue;
      most = of_arm;
      best = a;
    }
    if (best == arms.size()) return {};
    ++records[best].pulls;
    ++records[best].recent;
    rest_others(records, best);
    ++uses;
    allotted.push_back(best);
  }
  return allotted;
}

}  // namespace nestwright
