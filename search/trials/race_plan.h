// Decides how many kernels enter the races at the end of a session, and estimates their duration. Private to search/.
// Thread rule: a pure function.
#pragma once

#include "measure/race/timing.h"

namespace nestwright {

struct RacePlan {
  int preliminary = 0;  ///< entrants of the preliminary race, which selects the finalists; 0: it is not held
  int finalists = 1;    ///< points of this session in the final race; 0: it is not held, either
  double seconds = 0;   ///< estimated duration of both races
};

/// `kernel_ns` is the time of one call of the fastest kernel so far (0: unknown), `seconds` the time that the races may
/// take (0: unlimited). The slower the kernel, the fewer entrants fit. `max_finalists` 0: no races.
RacePlan plan_race(const TimingOptions& timing, double kernel_ns, double seconds, int max_finalists);

}  // namespace nestwright
