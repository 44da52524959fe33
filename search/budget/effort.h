// Named levels of effort of a tuning run.
//
//   effort | seconds | ends early below | finalists | processes | samples in each, at least
//   quick  |      10 |               2% |         3 |         7 |               3
//   normal |      60 |               1% |         4 |         8 |               5
//   full   |     600 |            never |         8 |        16 |               5
//
// The interval of a ratio narrows with the square root of the number of processes: twice as many make it 0.7 times as
// wide.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "measure/race/timing.h"
#include "nestwright/tune.h"

namespace nestwright {

struct EffortPlan {
  double seconds = 0;        ///< for the search and its final race
  double until_gain = 0;     ///< Budget::until_gain
  int finalists = 0;         ///< in the final race, besides the default and the stored best
  int processes = 0;         ///< processes of the final race (TimingOptions::finalist_processes)
  int finalist_samples = 0;  ///< for each entrant in each process (TimingOptions::finalist_samples)
};

const char* effort_name(Effort effort);  // "quick", "normal", "full"
std::vector<std::string> effort_names();
EffortPlan plan_of(Effort effort);
/// The timing options of a final race at this effort.
TimingOptions timing_of(Effort effort);

/// Sets the seconds and the early end of `budget`, unless it limits trials or seconds: an explicit limit is used up.
void complete(Budget& budget, Effort effort);

}  // namespace nestwright
