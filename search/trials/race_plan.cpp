#include "search/trials/race_plan.h"

#include <algorithm>
#include <limits>

namespace nestwright {
namespace {

constexpr double kPreliminaryShare = 0.3;   // of the time for the races
constexpr int kEntrantsPerFinalist = 6;     // entrants of the preliminary race for each finalist
constexpr int kMinEntrantsPerFinalist = 2;  // with fewer than this, it would select nothing
constexpr int kGuests = 2;                  // the stored best and the default join the final race
constexpr double kSearchCompile_s = 0.02;   // for an entrant of the preliminary race, by the search's pipeline
constexpr double kFinalCompile_s = 0.06;    // for an entrant of the final race, by the final pipeline
constexpr int kChecks = 4;                  // calls of an entrant before the final race
constexpr double kProcess_s = 0.05;         // start-up of a process

/// Seconds that the samples of an entrant take, each after an untimed call. In each process, another one comes first.
double sampling_s(const TimingOptions& timing, double kernel_ns, double length_ns) {
  const double untimed_ns = kernel_ns < timing.warm_below_ns ? kernel_ns : 0;
  const double sample_ns = std::max(kernel_ns, 1.1 * length_ns) + untimed_ns;
  return 1e-9 * timing.finalist_processes * (kernel_ns + sample_ns * timing.finalist_samples_of(sample_ns));
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
  const Cost first{shorter.finalist_processes * kProcess_s,
                   kSearchCompile_s + sampling_s(shorter, kernel_ns, shorter.sample_ns)};
  const auto final_cost = [&](double length_ns) {
    return Cost{timing.finalist_processes * kProcess_s,
                kFinalCompile_s + 1e-9 * kChecks * kernel_ns + sampling_s(timing, kernel_ns, length_ns)};
  };
  const Cost last = final_cost(timing.sample_ns);
  const double limit = seconds > 0 ? seconds : std::numeric_limits<double>::infinity();
  RacePlan plan;
  plan.finalists = std::max(1, last.affordable((1 - kPreliminaryShare) * limit, max_finalists));
  plan.preliminary = first.affordable(kPreliminaryShare * limit, kEntrantsPerFinalist * plan.finalists);
  if (plan.preliminary < kMinEntrantsPerFinalist * plan.finalists) plan.preliminary = 0;
  // Readings are longer if that fits, too.
  const double first_s = first.of(plan.preliminary), least_s = first_s + last.of(plan.finalists + kGuests);
  const double longest_ns = std::max(timing.sample_ns, timing.finalist_sample_ns);
  plan.seconds =
      std::clamp(first_s + final_cost(longest_ns).of(plan.finalists + kGuests), least_s, std::max(limit, least_s));
  return plan;
}

}  // namespace nestwright
