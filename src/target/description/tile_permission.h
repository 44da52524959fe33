// Requests the permission to use tile registers (AMX), which Linux grants only to processes that ask, because the state
// of the registers is large.
// Thread rule: any thread. The permission covers all threads of the process and survives fork, but not exec.
#pragma once

namespace nestwright {

/// Returns true if tile registers may be used from now on; false if the processor does not have any or the operating
/// system refuses (e.g. because an alternative signal stack is too small for their state). Asks at most once per
/// process.
bool request_tile_permission();

}  // namespace nestwright
