#include "search/trials/reference_readings.h"

#include <algorithm>
#include <cmath>

#include "measure/race/timing.h"

namespace nestwright {
namespace {

constexpr std::size_t kMinDegrees = 3;  // of freedom of Student's t: one gives factors of hundreds on a busy machine

}  // namespace

std::vector<double> undisturbed_reference(const std::vector<std::optional<Measurement>>& chunk) {
  const std::vector<double>* most = nullptr;
  for (const std::optional<Measurement>& m : chunk) {
    if (!m || m->outcome != Outcome::kOk || m->timing.is_disturbed()) continue;
    const std::vector<double>& readings = m->timing.reference_ns;
    if (!readings.empty() && (most == nullptr || readings.size() > most->size())) most = &readings;
  }
  return most == nullptr ? std::vector<double>() : *most;
}

void ReferenceReadings::add(TrialId kernel, const std::vector<std::optional<Measurement>>& chunk) {
  const std::vector<double> readings = undisturbed_reference(chunk);
  if (!readings.empty()) logs_[kernel].push_back(std::log(median_interval(readings).median));
}

ReferenceReadings::Scatter ReferenceReadings::scatter() const {
  double squares = 0;
  std::size_t degrees = 0;
  for (const auto& [kernel, logs] : logs_) {
    double mean = 0;
    for (const double log : logs) mean += log / static_cast<double>(logs.size());
    for (const double log : logs) squares += (log - mean) * (log - mean);
    degrees += logs.size() - 1;
  }
  return {degrees == 0 ? 0 : std::sqrt(squares / static_cast<double>(degrees)), degrees};
}

double ReferenceReadings::drift() const {
  const auto [deviation, degrees] = scatter();
  if (degrees == 0) return 0;
  return student_t(std::max(degrees, kMinDegrees)) * deviation * std::sqrt(2.0);  // both readings of a pair vary
}

double ReferenceReadings::deviation() const { return scatter().deviation; }

void widen(Timing& timing, double drift) {
  if (timing.median_ns <= 0 || timing.low_ns <= 0) return;
  timing.low_ns = timing.median_ns * std::exp(-std::hypot(std::log(timing.median_ns / timing.low_ns), drift));
  timing.high_ns = timing.median_ns * std::exp(std::hypot(std::log(timing.high_ns / timing.median_ns), drift));
}

}  // namespace nestwright
