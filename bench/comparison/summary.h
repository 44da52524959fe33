// What is concluded from comparisons. Pure.
// Thread rule: values. Units: nanoseconds of one call, GFLOP/s, GB/s.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/comparison/comparison.h"
#include "measure/timing.h"

namespace nestwright::bench {

struct SeriesSpeed {
  double gflops = 0, gb_s = 0;  ///< of the median time
  MedianInterval ratio;         ///< our speed over theirs; 1 for ourselves, zeros where one of the two did not run
};
SeriesSpeed speed_of(const Comparison& comparison, std::size_t series);

/// The series of the library with the least median time; nothing where none ran.
std::optional<std::size_t> best_library(const Comparison& comparison);

/// Requires positive values; 0 of none.
double geomean(std::span<const double> values);

/// A shape whose whole interval lies below this is lost.
constexpr double kLost = 0.97;

/// Ours over one rival across shapes.
struct RivalSummary {
  std::string rival;
  int shapes = 0;      ///< compared
  double geomean = 0;  ///< of the median ratios; 0 where nothing was compared
  MedianInterval worst;
  std::string worst_label;
  std::vector<std::string> lost;  ///< labels, see kLost
};
RivalSummary summary_over(std::span<const Comparison> comparisons, const std::string& rival);
/// Over the best library of each shape.
RivalSummary summary_over_best(std::span<const Comparison> comparisons);

/// Shares of what binds, of ours, across shapes.
struct ShareSummary {
  int shapes = 0;
  double geomean = 0, worst = 0;
  std::string worst_label;
};
ShareSummary share_summary(std::span<const Comparison> comparisons);

}  // namespace nestwright::bench
