// Statistics of comparisons.
// Thread rule: pure functions. Units: nanoseconds of one call, GFLOP/s, GB/s.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/comparison/results/comparison.h"
#include "measure/race/timing.h"

namespace nestwright::bench {

struct SeriesSpeed {
  double gflops = 0, gb_s = 0;  ///< at the median time
  MedianInterval ratio;         ///< our speed over theirs; 1 for our own series, zeros where one of the two did not run
};
SeriesSpeed speed_of(const Comparison& comparison, std::size_t series);

/// Index of the library's series with the smallest median time; nullopt where no library ran.
std::optional<std::size_t> best_library(const Comparison& comparison);

/// The geometric mean. Requires positive values; 0 where there are none.
double geomean(std::span<const double> values);

/// A shape is lost where its whole interval is below this ratio.
constexpr double kLost = 0.97;

/// Our speed over that of one library, across shapes.
struct RivalSummary {
  std::string rival;
  int shapes = 0;      ///< number of shapes compared
  double geomean = 0;  ///< of the median ratios; 0 where nothing was compared
  MedianInterval worst;
  std::string worst_label;
  std::vector<std::string> lost;  ///< labels of lost shapes, see kLost
};
RivalSummary summary_over(std::span<const Comparison> comparisons, const std::string& rival);
/// The same over the best library of each shape.
RivalSummary summary_over_best(std::span<const Comparison> comparisons);

/// Our shares of the roofline, across shapes.
struct ShareSummary {
  int shapes = 0;
  double geomean = 0, worst = 0;
  std::string worst_label;
};
ShareSummary share_summary(std::span<const Comparison> comparisons);

}  // namespace nestwright::bench
