// A program in loop form, flattened to the list of its stores with their loops and accesses: the input of the features.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "ir/traversal/linear.h"
#include "nestwright/program.h"

namespace nestwright {

/// A loop around a store. A symbolic extent is replaced by its upper bound.
struct NestLoop {
  ir::Var var;
  double extent = 1;
  ir::LoopKind kind = ir::LoopKind::kSerial;
};

/// One execution of an access by the first warp of a block: 32 threads, x varying fastest, each with all adjacent lanes
/// of a vector, in the first iteration of all other loops.
struct WarpAccess {
  double bytes = 0;    ///< that the threads request; 0 where no enclosing loop is bound to a thread
  double sectors = 0;  ///< of 32 bytes that contain them, in global memory
  double ways = 0;     ///< words that the busiest of 32 banks serves one after the other, in shared memory
};

/// A load or store of a buffer.
struct NestAccess {
  ir::Buffer buffer;
  std::vector<ir::Linear> indices;  ///< affine in the loops, with let-bound variables resolved
  bool is_write = false;
  /// Distance in bytes between the first and the second iteration of the loop bound to threadIdx.x or blockIdx.x, in
  /// the first iteration of all other loops. 0 where there is no such loop.
  double thread_step = 0, block_step = 0;
  WarpAccess warp;
};

/// A store with its loops and the loads of its value.
struct NestStore {
  std::vector<NestLoop> loops;       ///< outermost first
  std::vector<NestAccess> accesses;  ///< the store itself, then the loads
  double flops = 0;                  ///< in one execution
  double share = 1;                  ///< estimated share of the iterations that pass the branches around it
  bool is_non_temporal = false;
  /// Total number of executions.
  double trips() const;
  /// Product of the extents of the loops whose kind satisfies `is`.
  double extents(bool (*is)(ir::LoopKind)) const;
};

struct NestPrefetch {
  double trips = 0;           ///< total number of executions
  double distance_bytes = 0;  ///< distance ahead of the address that its loops give
};

/// The stores and prefetches of a program in order, and the bytes that it allocates.
struct FlatProgram {
  std::vector<NestStore> stores;
  std::vector<NestPrefetch> prefetches;
  double register_bytes = 0, local_bytes = 0, global_bytes = 0;  ///< allocated
  double padding_bytes = 0;                                      ///< allocated between the rows of buffers
  double shared_bytes = 0;                                       ///< allocated per block, padding included
};

/// Requires loop form. Branches count with the probability of their conditions.
FlatProgram flatten(const ir::Program& program);

}  // namespace nestwright
