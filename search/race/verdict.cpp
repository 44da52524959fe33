#include "search/race/verdict.h"

#include <algorithm>

#include "measure/race/race_finalists.h"
#include "search/propose/session_trial.h"

namespace nestwright {
namespace {

// On a busy machine, the upper deciles of two equal kernels differ by up to 5%.
constexpr double kSteadier = 0.9;  // a steadier kernel has at most this share of the other's upper decile

/// Whether the times of `a` and `b` differ with 95% confidence.
bool differ(const RaceEntry& a, const RaceEntry& b) {
  const MedianInterval ratio = ratio_between(a.measurement.timing, b.measurement.timing);
  return ratio.median > 0 && (ratio.low > 1 || ratio.high < 1);
}

/// The 90th percentile of the samples.
double upper_decile(const RaceEntry& entry) {
  std::vector<double> samples = entry.measurement.timing.samples_ns;
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

}  // namespace

Verdict conclude_race(const std::vector<RaceEntry>& entries) {
  Verdict verdict;
  verdict.tied.resize(entries.size(), false);
  std::vector<std::size_t> right, sound;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Measurement& m = entries[i].measurement;
    if (m.outcome == Outcome::kOk && m.evidence.verified) right.push_back(i);
    if (is_sound(m)) sound.push_back(i);
  }
  const auto faster = [&](std::size_t a, std::size_t b) {
    return entries[a].measurement.timing.median_ns < entries[b].measurement.timing.median_ns;
  };
  const std::optional<std::size_t> stored = with_role(entries, kIncumbentRole);
  // A slow entry may be disturbed; the stored best, and one that seems the fastest, may not.
  for (const std::size_t i : right) {
    const bool decides =
        i == stored || sound.empty() || !faster(*std::min_element(sound.begin(), sound.end(), faster), i);
    if (decides && entries[i].measurement.timing.is_disturbed()) {
      verdict.disturbance = entries[i].measurement.timing.disturbance;
    }
  }
  if (!verdict.disturbance.empty() || sound.empty()) {
    std::erase_if(right, [&](std::size_t i) { return entries[i].measurement.timing.median_ns <= 0; });
    if (!right.empty()) verdict.winner = static_cast<int>(*std::min_element(right.begin(), right.end(), faster));
    return verdict;
  }

  const std::size_t fastest = *std::min_element(sound.begin(), sound.end(), faster);
  const auto is_tied = [&](std::size_t i) { return i == fastest || !differ(entries[i], entries[fastest]); };
  std::sort(sound.begin(), sound.end(), faster);
  std::size_t winner = fastest;
  for (const std::size_t i : sound) {
    if (is_tied(i) && upper_decile(entries[i]) < kSteadier * upper_decile(entries[winner])) winner = i;
  }
  if (stored && is_sound(entries[*stored].measurement) && is_tied(*stored)) winner = *stored;
  verdict.winner = static_cast<int>(winner);
  for (const std::size_t i : sound) verdict.tied[i] = i != winner && !differ(entries[i], entries[winner]);
  return verdict;
}

std::optional<std::size_t> with_role(const std::vector<RaceEntry>& entries, std::string_view role) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const RaceEntry& e) { return e.role == role; });
  return found == entries.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - entries.begin()));
}

}  // namespace nestwright
