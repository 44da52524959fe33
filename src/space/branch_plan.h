// What a ConfigSpace works out about its branches. Internal to space/.
// Thread rule: any thread may read it once the space is built.
#pragma once

#include <mutex>
#include <vector>

#include "space/config_space.h"
#include "space/knob_group.h"

namespace nestwright {

struct ConfigSpace::BranchPlan {
  /// What points are counted, sampled and moved by.
  struct Points {
    std::vector<KnobGroup> groups;  ///< connected by constraints
    PointCount valid;
    /// For each knob that is a choice: the branches where it takes another option and that agree in most of the other
    /// choices. Empty for other knobs.
    std::vector<std::vector<int>> across;
  };

  std::vector<std::vector<int>> positions;  ///< of the knobs of each constraint: enough to check a configuration

  /// Made by the first call, from all branches of the space, of which this is the `number`-th: the tables of a large
  /// space take 50 ms. Any thread may call it.
  const Points& points(const std::vector<Branch>& branches, std::size_t number) const;

 private:
  mutable std::once_flag once_;
  mutable Points points_;
};

}  // namespace nestwright
