// Rejects a compiled candidate by the resources that its kernels use, before a launch.
// Thread rule: pure functions.
#pragma once

#include <span>
#include <string>

#include "codegen/backend.h"
#include "target/target.h"

namespace nestwright {

/// Returns a sentence that says why one of the kernels cannot be launched, or that it spills more bytes than all
/// registers hold that a thread may have; empty if neither is the case. A kernel that spills so many moves its register
/// tile through memory at every step, and another configuration has a smaller tile; spills outside of loops are
/// smaller.
std::string resource_rejection(std::span<const KernelResources> kernels, const Target& target);

}  // namespace nestwright
