// Tunings of one workload with different seeds: which of their winners are nearly as fast as the best one, and whose
// fault it is where one is not. Pure. Thread rule: values. Ratios are times, measured side by side, over that of the
// best winner.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace nestwright::bench {

inline constexpr double kNearShare = 0.03;  ///< slower than the best winner by this share is near it

enum class Standing : std::uint8_t {
  kNear,
  kTimingMiss,  ///< its database has a configuration that is near: found, not chosen
  kSearchMiss,  ///< it has none: never proposed
};
const char* name_of(Standing standing);  // "near", "miss of timing", "miss of search"

/// Not of 0, which stands for what could not be timed.
bool is_near(double ratio);
/// `found`: of the configurations in the database of a winner. Not looked at where the winner is near.
Standing standing_of(double winner, std::span<const double> found);

struct StandingCounts {
  int near = 0, timing_misses = 0, search_misses = 0;
  /// 9 of 10.
  bool is_steady() const;
};
StandingCounts count(std::span<const Standing> standings);

}  // namespace nestwright::bench
