// What can go wrong between stages: where one is computed inside another one's loop, both the loop's place and what it
// is must stay so that this can be done. Internal to schedule/. Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "schedule/state.h"

namespace nestwright {

struct AttachmentFault {
  enum class Kind : std::uint8_t {
    kReadOutside,    ///< a reader of a stage lies outside the loop that the stage is computed at
    kOutsideBlocks,  ///< the tile of a blocked reduction lies outside the loop of its blocks
    kParallelTwice,  ///< a parallel loop inside another one
    kInVector,       ///< computed inside a vectorised loop, that is once a lane
    kOutOfTurn,      ///< double-buffered at a loop whose iterations do not come one after the other
    kBlockInside,    ///< a loop bound to blockIdx inside a bound one: blocks are launched by the host
  };
  Kind kind;
  int stage;     ///< the one that is computed elsewhere
  IterVar loop;  ///< what it is about
  std::string reason;
  bool same_as(const AttachmentFault& other) const {
    return kind == other.kind && stage == other.stage && loop == other.loop;
  }
};

/// All of them, in order of the stages. A schedule may have kReadOutside on the way, between two compute_at.
std::vector<AttachmentFault> attachment_faults(const ScheduleState& state);

}  // namespace nestwright
