#include "search/reference_readings.h"

#include <algorithm>
#include <cmath>

#include "measure/timing.h"

namespace nestwright {

namespace {

constexpr double kConfidence = 0.95;

}  // namespace

void ReferenceReadings::add(TrialId kernel, const std::vector<std::optional<Measurement>>& chunk) {
  const std::vector<double>* most = nullptr;
  for (const std::optional<Measurement>& m : chunk) {
    if (!m || m->outcome != Outcome::kOk || m->timing.is_disturbed()) continue;
    const std::vector<double>& readings = m->timing.reference_ns;
    if (!readings.empty() && (most == nullptr || readings.size() > most->size())) most = &readings;
  }
  if (most != nullptr) logs_[kernel].push_back(std::log(median_interval(*most).median));
}

double ReferenceReadings::drift() const {
  std::vector<double> differences;
  for (const auto& [kernel, logs] : logs_) {
    for (std::size_t i = 0; i < logs.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) differences.push_back(std::abs(logs[i] - logs[j]));
    }
  }
  if (differences.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(kConfidence * static_cast<double>(differences.size() - 1));
  std::nth_element(differences.begin(), differences.begin() + at, differences.end());
  return differences[static_cast<std::size_t>(at)];
}

void widen(Timing& timing, double drift) {
  if (timing.median_ns <= 0 || timing.low_ns <= 0) return;
  timing.low_ns = timing.median_ns * std::exp(-std::hypot(std::log(timing.median_ns / timing.low_ns), drift));
  timing.high_ns = timing.median_ns * std::exp(std::hypot(std::log(timing.high_ns / timing.median_ns), drift));
}

}  // namespace nestwright
