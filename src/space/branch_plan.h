// What a ConfigSpace works out about a branch when it is built. Internal to space/.
// Thread rule: immutable once built.
#pragma once

#include <vector>

#include "space/config_space.h"
#include "space/knob_group.h"

namespace nestwright {

struct ConfigSpace::BranchPlan {
  std::vector<std::vector<int>> positions;  ///< of the knobs of each constraint
  std::vector<KnobGroup> groups;            ///< connected by constraints
  PointCount valid;
  /// For each knob that is a choice: the branches where it takes another option and that agree in most of the other
  /// choices. Empty for other knobs.
  std::vector<std::vector<int>> across;
};

}  // namespace nestwright
