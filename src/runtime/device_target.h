// Checks that this machine has the device of a target.
// Thread rule: one thread at a time. It enumerates devices, which loads their drivers into this process.
#pragma once

#include "nestwright/target.h"

namespace nestwright {

/// Throws UsageError if this machine has no device of that kind or its first one cannot run code for `target`.
void require_device(const Target& target);

}  // namespace nestwright
