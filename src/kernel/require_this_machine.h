// Refuses to run machine code of other CPUs.
// Thread rule: a pure function.
#pragma once

#include "nestwright/target.h"

namespace nestwright {

/// Throws UsageError if this machine does not have the instructions of the target, which is a CPU.
void require_this_machine(const Target& target);

}  // namespace nestwright
