// What a GPU runs: the bound loops around a statement become a kernel, everything outside of them the host.
//
//   for t in 1..m:                         host:     for t in 1..m:
//     blockIdx.x b:                                    launch f_kernel0
//       threadIdx.x i:              ->     f_kernel0: blockIdx.x b:
//         body(t, b, i)                                 threadIdx.x i:
//                                                         body(t, b, i)
//
// Variables of the host's loops and lets and its allocations are visible in the kernels that it launches there. The
// bound loops of a kernel come first and nothing stands between them but storage in shared scope; lets and guards that
// do are moved inside. What has no loops at all, as a tensor without dimensions, is a kernel of one thread.
// Thread rule: a pure function.
#pragma once

#include "ir/program.h"
#include "target/target.h"

namespace nestwright {

/// `program`: of one kernel, which is all there is. Throws LowerError for a statement outside all bound loops and for
/// bound loops that do not enclose one another directly.
ir::Program split_launches(const ir::Program& program, const Target& target);

}  // namespace nestwright
