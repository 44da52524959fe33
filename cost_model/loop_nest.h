// A program in loop form, flattened to its stores: what the features are computed from.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "ir/core/linear.h"
#include "ir/core/program.h"

namespace nestwright {

/// A loop around a store, outermost first. Extents that are not constant count with their upper bound.
struct NestLoop {
  ir::Var var;
  double extent = 1;
  ir::LoopKind kind = ir::LoopKind::kSerial;
};

/// What the first warp of a block does at once with an access: 32 threads, x the fastest, each with all lanes of a
/// vector that lie side by side; in the first iteration of all other loops.
struct WarpAccess {
  double bytes = 0;    ///< that the threads ask for; 0: no loop around it is bound to a thread
  double sectors = 0;  ///< pieces of 32 bytes that they lie in; of global memory
  double ways = 0;     ///< words that one bank of 32 has to give one after the other; of shared memory
};

struct NestAccess {
  ir::Buffer buffer;
  std::vector<ir::Linear> indices;  ///< affine in the loops; let-bound variables are resolved
  bool is_write = false;
  /// Bytes between the addresses in the first and the second iteration of the loops bound to threadIdx.x and to
  /// blockIdx.x, all others in their first; 0 without such a loop.
  double thread_step = 0, block_step = 0;
  WarpAccess warp;
};

struct NestStore {
  std::vector<NestLoop> loops;
  std::vector<NestAccess> accesses;  ///< the store first, then the loads
  double flops = 0;                  ///< of one execution
  double share = 1;                  ///< of the iterations in which the branches around it are taken, estimated
  bool is_non_temporal = false;
  /// Executions in all.
  double trips() const;
  /// Extents of the loops of some kind, multiplied.
  double extents(bool (*is)(ir::LoopKind)) const;
};

struct NestPrefetch {
  double trips = 0;           ///< executions in all
  double distance_bytes = 0;  ///< ahead of the address that its loops alone give
};

struct FlatProgram {
  std::vector<NestStore> stores;
  std::vector<NestPrefetch> prefetches;
  double register_bytes = 0, local_bytes = 0, global_bytes = 0;  ///< allocated
  double padding_bytes = 0;                                      ///< allocated between the rows of buffers
  double shared_bytes = 0;                                       ///< of a block, rows' padding included
};

FlatProgram flatten(const ir::Program& program);

}  // namespace nestwright
