// Products that a warpgroup, four warps along threadIdx.z, makes of matrices as they lie in shared memory
// (wgmma.mma_async). In the IR each warp computes its 16 rows of the 64:
//
//   for i in 0..16: for jo in 0..N/8: for ji in 0..8: for ko in 0..K/8: for ki in 0..8:
//     T[i, 8*jo + ji] += A[ko, 16*z + i, ki] * B[ko, 8*jo + ji, ki]
//
// Matrices are made up of cores, 8 rows of 16 bytes, 128 bytes in one piece; cores lie at constant distances, one along
// and one across the reduction. Rows run along it, as above, or, where elements have 2 bytes, across: A[mo, k, mi]. N
// is a multiple of 16 up to 256, K any number of steps of 32 bytes. (PTX ISA, "Matrices in shared memory" of
// wgmma.mma_async, without swizzling.) Thread rule: pure functions.
#pragma once

#include <set>
#include <vector>

#include "codegen/source/fragments.h"

namespace nestwright::codegen {

/// The call that `loops`, outermost first, around the product of `a` and `b` are, which `store` adds to its fragment.
/// Throws CompileError where no instructions do it.
FragmentCall warpgroup_product(const std::vector<const ir::For*>& loops, const ir::Store& store, const ir::Load& a,
                               const ir::Load& b, const WarpIndex& warps);

/// The call that fills all of the sums of such products with a constant.
FragmentCall warpgroup_fill(const std::vector<const ir::For*>& loops, const ir::Store& store);

/// Throws CompileError where warps of one warpgroup may take different ways to a product that is added to one of
/// `sums`.
void require_whole_warpgroups(const ir::Stmt& kernel, const std::set<ir::Buffer>& sums);

}  // namespace nestwright::codegen
