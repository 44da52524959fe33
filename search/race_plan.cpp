#include "search/race_plan.h"

#include <algorithm>
#include <limits>

namespace nestwright {
namespace {

constexpr double kPreliminaryShare = 0.4;   // of the time for the races
constexpr int kEntrantsPerFinalist = 6;     // entrants of the preliminary race for each finalist
constexpr int kMinEntrantsPerFinalist = 2;  // with fewer than this, it would select nothing
constexpr int kGuests = 2;                  // the stored best and the default join the final race
constexpr double kSearchCompile_s = 0.02;   // for an entrant of the preliminary race, by the search's pipeline
constexpr double kFinalCompile_s = 0.06;    // for an entrant of the final race, by the final pipeline
constexpr int kChecks = 4;                  // calls of an entrant before the final race
constexpr double kProcess_s = 0.05;         // start-up of a process

/// Seconds that the samples of an entrant take. In each process, an untimed call comes first.
double sampling_s(const TimingOptions& timing, double kernel_ns) {
  const double sample_ns = std::max(kernel_ns, 1.2 * timing.sample_ns);
  return 1e-9 * sample_ns * timing.finalist_processes * (1 + timing.finalist_samples_of(sample_ns));
}

struct Cost {
  double processes_s = 0, entrant_s = 0;
  double of(int entrants) const { return entrants == 0 ? 0 : processes_s + entrants * entrant_s; }
  int affordable(double seconds, int most) const {
    return static_cast<int>(std::clamp((seconds - processes_s) / entrant_s, 0.0, static_cast<double>(most)));
  }
};

}  // namespace

RacePlan plan_race(const TimingOptions& timing, double kernel_ns, double seconds, int max_finalists) {
  if (max_finalists == 0) return {.finalists = 0};
  const TimingOptions shorter = preliminary(timing);
  const Cost first{shorter.finalist_processes * kProcess_s, kSearchCompile_s + sampling_s(shorter, kernel_ns)};
  const Cost last{timing.finalist_processes * kProcess_s,
                  kFinalCompile_s + 1e-9 * kChecks * kernel_ns + sampling_s(timing, kernel_ns)};
  const double limit = seconds > 0 ? seconds : std::numeric_limits<double>::infinity();
  RacePlan plan;
  plan.finalists = std::max(1, last.affordable((1 - kPreliminaryShare) * limit, max_finalists));
  plan.preliminary = first.affordable(kPreliminaryShare * limit, kEntrantsPerFinalist * plan.finalists);
  if (plan.preliminary < kMinEntrantsPerFinalist * plan.finalists) plan.preliminary = 0;
  plan.seconds = first.of(plan.preliminary) + last.of(plan.finalists + kGuests);
  return plan;
}

}  // namespace nestwright
