// The lock that processes which time kernels share, so that only one of them does so at a time
// (support/os/machine_lock.h). Thread rule: a pure function.
#pragma once

#include <string>

#include "nestwright/target.h"

namespace nestwright {

/// The name of the lock for a target: the processor has one, and so has each kind of device.
std::string timing_lock_name(const Target& target);

}  // namespace nestwright
