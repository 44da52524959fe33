// Classifies tunings of one workload with different seeds: which winners are nearly as fast as the best one, and
// whether timing or search is at fault where one is not. Ratios are times measured side by side, relative to the best
// winner.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace nestwright::bench {

inline constexpr double kNearShare = 0.03;  ///< a winner is near if it is at most this much slower than the best

enum class Standing : std::uint8_t {
  kNear,
  kTimingMiss,  ///< its database has a configuration that is near: found, but not chosen
  kSearchMiss,  ///< its database has none: never proposed
};
const char* name_of(Standing standing);  // "near", "miss of timing", "miss of search"

/// False for 0, which stands for a configuration that could not be timed.
bool is_near(double ratio);
/// `found` are the ratios of the configurations in the winner's database. They are ignored where the winner is near.
Standing standing_of(double winner, std::span<const double> found);

struct StandingCounts {
  int near = 0, timing_misses = 0, search_misses = 0;
  /// Whether at least 9 of 10 are near.
  bool is_steady() const;
};
StandingCounts count(std::span<const Standing> standings);

}  // namespace nestwright::bench
