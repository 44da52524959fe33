#include "bench/compare/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/error.h"

namespace nestwright::bench {

bool round_counts(int threads, std::span<const Control> controls, std::span<const Sample> samples) {
  if (threads < 2) {
    return std::all_of(samples.begin(), samples.end(), [](const Sample& s) { return s.cpu_share >= kLeastCpuShare; });
  }
  return std::all_of(controls.begin(), controls.end(), [](const Control& c) { return c.scaling() >= kLeastScaling; });
}

Standing standing(const Comparison& comparison, std::size_t series) {
  const std::vector<double>& ours = comparison.series.at(0).times_ns;
  const std::vector<double>& times = comparison.series.at(series).times_ns;
  check(times.size() == comparison.peaks_gflops.size(), "a contestant has a time in every round");
  Standing s;
  if (times.empty()) return s;
  const double flops = comparison.problem.flops();
  s.gflops = flops / median_interval(times).median;
  std::vector<double> shares;
  for (std::size_t i = 0; i < times.size(); ++i) shares.push_back(flops / times[i] / comparison.peaks_gflops[i]);
  s.share_of_peak = median_interval(shares).median;
  s.ratio = paired_ratio(times, ours);
  return s;
}

double geomean(std::span<const double> values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

Verdict verdict(std::span<const Comparison> comparisons, const std::string& rival) {
  Verdict v{.rival = rival};
  std::vector<double> one, two, all;
  for (const Comparison& comparison : comparisons) {
    for (std::size_t i = 1; i < comparison.series.size(); ++i) {
      if (comparison.series[i].name != rival || comparison.series[i].times_ns.empty()) continue;
      const MedianInterval ratio = standing(comparison, i).ratio;
      (comparison.threads == 1 ? one : two).push_back(ratio.median);
      all.push_back(ratio.median);
      if (v.worst == 0 || ratio.median < v.worst) {
        v.worst = ratio.median;
        v.worst_interval = ratio;
        v.worst_where = fmt::format("{}, {} thread{}", comparison.problem.str(), comparison.threads,
                                    comparison.threads == 1 ? "" : "s");
      }
    }
  }
  v.one_thread = geomean(one);
  v.two_threads = geomean(two);
  v.overall = geomean(all);
  return v;
}

}  // namespace nestwright::bench
