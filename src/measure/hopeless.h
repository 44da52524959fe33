// Whether a compiled candidate is worth a launch, by what its kernels need of a device. Thread rule: pure functions.
#pragma once

#include <span>
#include <string>

#include "codegen/backend.h"
#include "target/target.h"

namespace nestwright {

/// Why one of these kernels cannot be launched, or spills more bytes than all registers hold that a thread may have, in
/// a sentence; empty where none does. A kernel that spills so much moves its tile through memory at every step: it was
/// to be a register tile, and another configuration has a smaller one. What is spilt once, outside of loops, is less.
std::string why_hopeless(std::span<const KernelResources> kernels, const Target& target);

}  // namespace nestwright
