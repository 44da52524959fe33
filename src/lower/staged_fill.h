// What threads fetch for the next iteration goes through their registers: it is asked for before the iteration at hand
// is worked on, and stored afterwards, so that nobody waits for memory in between.
//
//   if next: for i: S[1 - half, i] = A[...]               if next: for i: S.ahead[i] = A[...]
//   use S[half]                                    ->     use S[half]
//                                                         if next: for i: S[1 - half, i] = S.ahead[i]
//
// Thread rule: a pure function.
#pragma once

#include <optional>
#include <vector>

#include "ir/core/stmt.h"

namespace nestwright {

struct StagedFill {
  std::vector<ir::Buffer> registers;  ///< local ones, to be allocated around both
  ir::Stmt load, store;
};

/// Both halves of `fill`. Absent where it is not all stores to shared buffers of what lies in global ones, in loops of
/// few iterations, for which a thread has registers. `copies_itself`: the device copies elements, or vectors of them,
/// on its own while its threads go on; what is no more than that stays in the first half as it is. Absent, too, where
/// that is all.
std::optional<StagedFill> stage_in_registers(const ir::Stmt& fill, bool copies_itself);

/// Whether some of a fill of that form, or all of it, is copied by the device on its own.
bool has_copies(const ir::Stmt& fill, bool copies_itself);

}  // namespace nestwright
