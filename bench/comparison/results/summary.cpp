#include "bench/comparison/results/summary.h"

#include <cmath>

#include "bench/comparison/results/roofline.h"
#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

constexpr const char* kBest = "the best";

/// Adds one shape where both contestants ran.
void add(RivalSummary& summary, std::vector<double>& ratios, const Comparison& comparison, std::size_t series) {
  const MedianInterval ratio = speed_of(comparison, series).ratio;
  if (ratio.median == 0) return;
  ratios.push_back(ratio.median);
  if (summary.worst.median == 0 || ratio.median < summary.worst.median) {
    summary.worst = ratio;
    summary.worst_label = comparison.subject.label;
  }
  if (ratio.high < kLost) summary.lost.push_back(comparison.subject.label);
}

RivalSummary finish(RivalSummary summary, const std::vector<double>& ratios) {
  summary.shapes = static_cast<int>(ratios.size());
  summary.geomean = geomean(ratios);
  return summary;
}

}  // namespace

SeriesSpeed speed_of(const Comparison& comparison, std::size_t series) {
  const std::vector<double>& ours = comparison.series.at(0).times_ns;
  const std::vector<double>& times = comparison.series.at(series).times_ns;
  SeriesSpeed s;
  if (times.empty()) return s;
  const double median_ns = median_interval(times).median;
  s.gflops = comparison.subject.flops / median_ns;
  s.gb_s = comparison.subject.bytes / median_ns;
  if (ours.empty()) return s;
  check(times.size() == ours.size(), "a contestant has a time in every round");
  s.ratio = paired_ratio(times, ours);
  return s;
}

std::optional<std::size_t> best_library(const Comparison& comparison) {
  std::optional<std::size_t> best;
  double best_ns = 0;
  for (std::size_t i = 1; i < comparison.series.size(); ++i) {
    if (comparison.series[i].times_ns.empty()) continue;
    const double median_ns = median_interval(comparison.series[i].times_ns).median;
    if (best && median_ns >= best_ns) continue;
    best = i;
    best_ns = median_ns;
  }
  return best;
}

double geomean(std::span<const double> values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

RivalSummary summary_over(std::span<const Comparison> comparisons, const std::string& rival) {
  RivalSummary v{.rival = rival};
  std::vector<double> ratios;
  for (const Comparison& comparison : comparisons) {
    for (std::size_t i = 1; i < comparison.series.size(); ++i) {
      if (comparison.series[i].name == rival) add(v, ratios, comparison, i);
    }
  }
  return finish(std::move(v), ratios);
}

RivalSummary summary_over_best(std::span<const Comparison> comparisons) {
  RivalSummary v{.rival = kBest};
  std::vector<double> ratios;
  for (const Comparison& comparison : comparisons) {
    if (const auto best = best_library(comparison)) add(v, ratios, comparison, *best);
  }
  return finish(std::move(v), ratios);
}

ShareSummary share_summary(std::span<const Comparison> comparisons) {
  ShareSummary summary;
  std::vector<double> shares;
  for (const Comparison& comparison : comparisons) {
    const double share = roofline(comparison, comparison.series.at(0)).share;
    if (share == 0) continue;
    shares.push_back(share);
    if (summary.shapes++ == 0 || share < summary.worst) {
      summary.worst = share;
      summary.worst_label = comparison.subject.label;
    }
  }
  summary.geomean = geomean(shares);
  return summary;
}

}  // namespace nestwright::bench
