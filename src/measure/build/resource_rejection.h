// Rejects a compiled candidate by the resources that its kernels use, before a launch.
// Thread rule: pure functions.
#pragma once

#include <span>
#include <string>

#include "nestwright/measurement.h"
#include "nestwright/target.h"

namespace nestwright {

/// Returns a sentence that says why one of the kernels cannot be launched, or that its spill stores and loads have more
/// bytes than the registers that a thread may have; empty if neither is the case. A kernel that spills so much keeps
/// its register tile in memory, and another configuration has a smaller tile; spills outside of loops are smaller.
std::string resource_rejection(std::span<const KernelResources> kernels, const Target& target);

}  // namespace nestwright
