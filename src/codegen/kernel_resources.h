// Derives the resources that a kernel uses from its compiler's or driver's report and the size of its launch.
// Thread rule: pure functions. Units: bytes.
#pragma once

#include "nestwright/program.h"
#include "nestwright/target.h"

namespace nestwright::codegen {

/// `reported` with the values that follow from the launch: dynamic shared memory, threads of a block, occupancy. If
/// `counts_reserved`, the reported shared memory includes the system's reserve (from sm_90 on), which is subtracted.
KernelResources complete(KernelResources reported, const ir::Kernel& kernel, const Target& target,
                         bool counts_reserved);

}  // namespace nestwright::codegen
