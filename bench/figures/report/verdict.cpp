#include "bench/figures/report/verdict.h"

#include <vector>

#include "measure/race/race_finalists.h"

namespace nestwright::bench {
namespace {

double half_width(double low, double median, double high) { return median > 0 ? (high - low) / (2 * median) : 0; }

}  // namespace

PairedRace paired_race(const Timing& first, const Timing& second) {
  return {ratio_between(second, first), half_width(first.low_ns, first.median_ns, first.high_ns),
          first.is_disturbed() ? first.disturbance : second.disturbance};
}

Verdict verdict_of(const PairedRace& race) {
  if (!race.disturbance.empty() || race.ratio.median <= 0) return Verdict::kDisturbed;
  if (race.ratio.low > 1) return Verdict::kSlower;
  return race.ratio.high < 1 ? Verdict::kFaster : Verdict::kTied;
}

Tally tally_of(std::span<const PairedRace> races) {
  Tally tally;
  std::vector<double> ratios, times;
  for (const PairedRace& race : races) {
    ++tally.races;
    const Verdict verdict = verdict_of(race);
    tally.disturbed += verdict == Verdict::kDisturbed;
    tally.tied += verdict == Verdict::kTied;
    tally.faster += verdict == Verdict::kFaster;
    tally.slower += verdict == Verdict::kSlower;
    if (verdict == Verdict::kDisturbed) continue;
    ratios.push_back(half_width(race.ratio.low, race.ratio.median, race.ratio.high));
    times.push_back(race.time_half_width);
  }
  tally.ratio_half_width = median_interval(ratios).median;
  tally.time_half_width = median_interval(times).median;
  return tally;
}

double share_of(int part, int whole) { return whole == 0 ? 0 : static_cast<double>(part) / whole; }

}  // namespace nestwright::bench
