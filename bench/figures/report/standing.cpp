#include "bench/figures/report/standing.h"

#include <algorithm>

#include "nestwright/error.h"

namespace nestwright::bench {

const char* name_of(Standing standing) {
  switch (standing) {
    case Standing::kNear:
      return "near";
    case Standing::kTimingMiss:
      return "miss of timing";
    case Standing::kSearchMiss:
      return "miss of search";
  }
  throw InternalError("unknown standing");
}

bool is_near(double ratio) { return ratio > 0 && ratio <= 1 + kNearShare; }

Standing standing_of(double winner, std::span<const double> found) {
  if (is_near(winner)) return Standing::kNear;
  return std::any_of(found.begin(), found.end(), is_near) ? Standing::kTimingMiss : Standing::kSearchMiss;
}

bool StandingCounts::is_steady() const { return 10 * near >= 9 * (near + timing_misses + search_misses); }

StandingCounts count(std::span<const Standing> standings) {
  StandingCounts counts;
  for (const Standing standing : standings) {
    counts.near += standing == Standing::kNear;
    counts.timing_misses += standing == Standing::kTimingMiss;
    counts.search_misses += standing == Standing::kSearchMiss;
  }
  return counts;
}

}  // namespace nestwright::bench
