#include "bench/comparison/results/roofline.h"

#include "measure/race/timing.h"
#include "nestwright/error.h"

namespace nestwright::bench {

const char* name_of(Bound bound) {
  switch (bound) {
    case Bound::kUnknown:
      return "-";
    case Bound::kCompute:
      return "compute";
    case Bound::kMemory:
      return "memory";
  }
  throw InternalError("unknown kind of bound");
}

Roof roof_of(const Case& subject, double peak_gflops, double copy_gb_s) {
  if (subject.flops > 0 && subject.peak_scale == 0) return {};
  const double compute_ns = subject.flops > 0 ? subject.flops / (peak_gflops * subject.peak_scale) : 0;
  const double memory_ns = subject.bytes / copy_gb_s;
  return compute_ns >= memory_ns ? Roof{compute_ns, Bound::kCompute} : Roof{memory_ns, Bound::kMemory};
}

Roofline roofline(const Comparison& comparison, const Series& series) {
  if (series.times_ns.empty()) return {};
  check(series.times_ns.size() == comparison.peaks_gflops.size() &&
            series.times_ns.size() == comparison.copies_gb_s.size(),
        "a contestant has a time, a peak and a copy in every round");
  std::vector<double> shares, roofs;
  for (std::size_t i = 0; i < series.times_ns.size(); ++i) {
    const Roof roof = roof_of(comparison.subject, comparison.peaks_gflops[i], comparison.copies_gb_s[i]);
    if (roof.bound == Bound::kUnknown) return {};
    shares.push_back(roof.least_ns / series.times_ns[i]);
    roofs.push_back(comparison.subject.flops / roof.least_ns);
  }
  const Roof typical = roof_of(comparison.subject, median_interval(comparison.peaks_gflops).median,
                               median_interval(comparison.copies_gb_s).median);
  return {median_interval(shares).median, typical.bound, median_interval(roofs).median};
}

}  // namespace nestwright::bench
