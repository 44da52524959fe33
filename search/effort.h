// How much trouble a tuning run takes, in one word.
//
//   effort | seconds | ends early below | finalists | processes | samples in each
//   quick  |      10 |               2% |         3 |         7 |               3
//   normal |      60 |               1% |         4 |         8 |               5
//   full   |     600 |            never |         8 |        16 |               5
//
// Processes make the intervals: with twice as many of them they are 0.7 times as wide.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/stop_condition.h"

namespace nestwright {

enum class Effort : std::uint8_t { kQuick, kNormal, kFull };

struct EffortPlan {
  double seconds = 0;        ///< of the search and its final race
  double until_gain = 0;     ///< Budget::until_gain
  int finalists = 0;         ///< in the final race
  int processes = 0;         ///< in which they race (TimingOptions::finalist_processes)
  int finalist_samples = 0;  ///< of each in each process (TimingOptions::finalist_samples)
};

const char* effort_name(Effort effort);  // "quick", "normal", "full"
std::vector<std::string> effort_names();
/// Throws UsageError that lists the names.
Effort parse_effort(std::string_view name);
EffortPlan plan_of(Effort effort);

/// Sets the budget's seconds and when it ends early, unless it has trials or seconds: whoever gives these wants all of
/// them.
void complete(Budget& budget, Effort effort);

}  // namespace nestwright
