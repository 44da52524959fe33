#include "logs/quality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr std::array<const char*, 4> kNames = {"default", "disturbed", "confirmed", "raced"};

}  // namespace

const char* quality_name(Quality quality) { return kNames.at(static_cast<std::size_t>(quality)); }

std::vector<std::string> quality_names() { return {kNames.begin(), kNames.end()}; }

Quality parse_quality(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    throw UsageError(fmt::format("unknown quality '{}': use one of {}", name, fmt::join(kNames, ", ")));
  }
  return static_cast<Quality>(found - kNames.begin());
}

Quality quality_of(const BestRecord& record) {
  if (record.source == BestSource::kRace) return Quality::kRaced;
  if (record.source == BestSource::kDisturbed || record.timing.is_disturbed()) return Quality::kDisturbed;
  // The first trial of a task is its default.
  return record.trials <= 1 ? Quality::kDefault : Quality::kConfirmed;
}

Soundness soundness_of(const Measurement& measurement) {
  if (measurement.timing.is_disturbed()) return Soundness::kDisturbed;
  if (measurement.outcome != Outcome::kOk) return Soundness::kFailed;
  if (!measurement.evidence.verified) return Soundness::kUnverified;
  return measurement.timing.ended_early ? Soundness::kEndedEarly : Soundness::kWhole;
}

bool improves(const Measurement& measurement, const Measurement& recorded) {
  const Soundness before = soundness_of(recorded), now = soundness_of(measurement);
  if (before == Soundness::kDisturbed || recorded.outcome != Outcome::kOk) return true;
  if (now != before) return now > before;
  return measurement.timing.samples_ns.size() >= recorded.timing.samples_ns.size();
}

}  // namespace nestwright
