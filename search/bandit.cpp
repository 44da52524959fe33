#include "search/bandit.h"

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

struct Arm {
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

void rest_others(std::vector<Arm>& arms, std::size_t pulled) {
  for (Arm& arm : arms) ++arm.rest;
  arms[pulled].rest = 0;
}

/// The order in which arms are served: a larger one comes first.
double score(const Arm& arm, double credit, double uses, std::size_t arms) {
  constexpr double kBeforeAll = 1e6;
  if (arm.pulls < kFirstPulls) return kBeforeAll - static_cast<double>(arm.pulls);
  if (arm.rest >= kMaxRest * arms) return static_cast<double>(arm.rest);
  const auto recent = static_cast<double>(std::max<std::size_t>(arm.recent, 1));
  return credit + kExploration * std::sqrt(2 * std::log2(std::max(uses, 2.0)) / recent);
}

std::vector<Arm> arms_after(std::span<const Pull> pulls, std::size_t count) {
  std::vector<Arm> arms(count);
  const std::size_t first = pulls.size() - std::min(pulls.size(), kWindow);
  const std::size_t before = first - std::min(first, kWindow);
  for (std::size_t i = 0; i < before; ++i) {
    ++arms[pulls[i].arm].pulls;
    rest_others(arms, pulls[i].arm);
  }
  Window window;
  for (std::size_t i = before; i < pulls.size(); ++i) {
    const Pull& pull = pulls[i];
    Arm& arm = arms[pull.arm];
    ++arm.pulls;
    if (i >= before + kWindow && pulls[i - kWindow].is_sound) window.remove(pulls[i - kWindow].ns);
    if (i >= first) {
      ++arm.recent;
      if (pull.is_sound && window.is_elite(pull.ns)) arm.area += static_cast<double>(arm.recent);
    }
    if (pull.is_sound) window.add(pull.ns);
    rest_others(arms, pull.arm);
  }
  return arms;
}

}  // namespace

std::vector<std::size_t> allocate_trials(std::span<const Pull> pulls, std::span<const char> is_open, int n) {
  std::vector<Arm> arms = arms_after(pulls, is_open.size());
  std::vector<double> credits;
  double uses = 0;
  for (const Arm& arm : arms) {
    credits.push_back(arm.credit());
    uses += static_cast<double>(arm.recent);
  }
  std::vector<std::size_t> allotted;
  while (static_cast<int>(allotted.size()) < n) {
    // Trials that are allotted count as uses at once, without success or failure.
    std::size_t best = arms.size();
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < arms.size(); ++a) {
      if (is_open[a] == 0) continue;
      const double of_arm = score(arms[a], credits[a], uses, arms.size());
      if (of_arm <= most) continue;
      most = of_arm;
      best = a;
    }
    if (best == arms.size()) return {};
    ++arms[best].pulls;
    ++arms[best].recent;
    rest_others(arms, best);
    ++uses;
    allotted.push_back(best);
  }
  return allotted;
}

}  // namespace nestwright
