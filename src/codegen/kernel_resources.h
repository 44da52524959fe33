// What a kernel takes of a multiprocessor, by what its compiler or its driver tells and by how it is launched.
// Thread rule: pure functions.
#pragma once

#include "codegen/backend.h"

namespace nestwright::codegen {

/// Adds what follows from the launch: shared memory that it gives, threads of a block, occupancy. `told` has the rest,
/// its shared memory with what the system reserves of it (from sm_90 on) where `counts_reserved`.
KernelResources complete(KernelResources told, const ir::Kernel& kernel, const Target& target, bool counts_reserved);

}  // namespace nestwright::codegen
