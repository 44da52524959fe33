#include "search/revalidation/compare_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "measure/race/timing.h"

namespace nestwright {
namespace {

constexpr double kAnotherMachine = 2;  // ratio of a sentinel's readings from which on times are not compared

/// 0 if one of them is not known.
double ratio_of(double now, double was) { return now > 0 && was > 0 ? now / was : 0; }

bool is_far_from_one(double ratio) { return ratio > kAnotherMachine || ratio < 1 / kAnotherMachine; }

}  // namespace

KernelFigure figure_of(const Timing& timing, const std::string& recorded_at) {
  return {timing.median_ns,
          timing.low_ns,
          timing.high_ns,
          median_interval(timing.fma_ns).median,
          median_interval(timing.walk_ns).median,
          recorded_at};
}

TimeComparison compare_times(const KernelFigure& was, const KernelFigure& now, double tolerance,
                             ComparedSentinels sentinels) {
  TimeComparison comparison;
  comparison.ratio = ratio_of(now.median_ns, was.median_ns);
  if (comparison.ratio == 0) {
    comparison.obstacle = "it was not timed";
    return comparison;
  }
  std::vector<std::pair<const char*, double>> ratios;
  if (sentinels != ComparedSentinels::kNone) {
    comparison.fma_ratio = ratio_of(now.fma_ns, was.fma_ns);
    ratios.emplace_back("an FMA loop", comparison.fma_ratio);
  }
  if (sentinels == ComparedSentinels::kFmaAndWalk) {
    comparison.walk_ratio = ratio_of(now.walk_ns, was.walk_ns);
    ratios.emplace_back("a walk through memory", comparison.walk_ratio);
  }
  double longer = 1, shorter = 1;
  for (const auto& [name, ratio] : ratios) {
    if (ratio == 0) {
      comparison.obstacle = fmt::format("{} was not timed beside both: the speed of the machine is not known", name);
      return comparison;
    }
    if (is_far_from_one(ratio)) {
      comparison.obstacle =
          fmt::format("{} takes {:.2f} times as long as it did then: the machine is not the same", name, ratio);
      return comparison;
    }
    longer = std::max(longer, ratio);
    shorter = std::min(shorter, ratio);
  }
  const double allowed = 1 + tolerance;
  comparison.change = now.low_ns > was.high_ns * allowed * longer    ? TimeChange::kSlower
                      : now.high_ns * allowed < was.low_ns * shorter ? TimeChange::kFaster
                                                                     : TimeChange::kAsBefore;
  return comparison;
}

}  // namespace nestwright
