// Checks that every stage can be computed at the loop that it is attached to. A primitive that moves or changes a loop
// asks here whether another stage no longer fits. Internal to schedule/. Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "schedule/state/state.h"

namespace nestwright {

struct AttachmentFault {
  enum class Kind : std::uint8_t {
    kReadOutside,    ///< a reader of a stage lies outside the loop that the stage is computed at
    kOutsideBlocks,  ///< the tile of a blocked reduction lies outside the loop over its blocks
    kParallelTwice,  ///< a parallel loop inside another one
    kInVector,       ///< a stage computed inside a vectorised loop, hence once for each lane
    kUnorderedLoop,  ///< a stage double-buffered at a loop whose iterations do not run in order
    kAfterStart,     ///< a stage that a reduction starts from lies inside the loops of the reduction
    kBlockInside,    ///< a loop bound to blockIdx inside another bound loop: only the host launches blocks
  };
  Kind kind;
  int stage;     ///< index of the attached stage
  IterVar loop;  ///< the loop at fault
  std::string reason;
  bool same_as(const AttachmentFault& other) const {
    return kind == other.kind && stage == other.stage && loop == other.loop;
  }
};

/// All faults, ordered by stage. kReadOutside is legal for a while, between two calls of compute_at.
std::vector<AttachmentFault> attachment_faults(const ScheduleState& state);

}  // namespace nestwright
