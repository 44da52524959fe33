// Precomputed data of the branches of a ConfigSpace. Internal to space/.
// Thread rule: any thread may read it once the space is built.
#pragma once

#include <mutex>
#include <vector>

#include "nestwright/config_space.h"
#include "space/knob_group.h"

namespace nestwright {

struct ConfigSpace::BranchPlan {
  /// The tables that counting, sampling and moves use.
  struct Points {
    std::vector<KnobGroup> groups;  ///< connected by constraints
    PointCount valid;
    /// For each knob that is a choice: the branches that take another option of it and, among those, agree in as many
    /// of the other choices as possible. Empty for other knobs.
    std::vector<std::vector<int>> across;
  };

  std::vector<std::vector<int>> positions;  ///< of the knobs of each constraint; suffices to check a configuration

  /// The tables of branch number `number` of the space's `branches`. The first call computes them, which takes 50 ms in
  /// a large space. Any thread may call it.
  const Points& points(const std::vector<Branch>& branches, std::size_t number) const;

 private:
  mutable std::once_flag once_;
  mutable Points points_;
};

struct ConfigSpace::Plans {
  std::vector<BranchPlan> branches;
  std::vector<LeftOutBranch> left_out;
};

}  // namespace nestwright
