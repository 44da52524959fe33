// How many kernels race at the end of a session, and how long that takes. Private to search/.
// Thread rule: a pure function.
#pragma once

#include "measure/timing.h"

namespace nestwright {

struct RacePlan {
  int preliminary = 0;  ///< entrants of the preliminary race, which chooses the finalists; 0: none is held
  int finalists = 1;    ///< this session's points in the final race
  double seconds = 0;   ///< of both races, estimated
};

/// `kernel_ns`: of one call of the fastest kernel so far; 0: not known. `seconds`: what the races may take; 0: no
/// limit. Fewer enter where a kernel takes long.
RacePlan plan_race(const TimingOptions& timing, double kernel_ns, double seconds, int most_finalists);

}  // namespace nestwright
