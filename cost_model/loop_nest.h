// A program in loop form, flattened to its stores: what the features are computed from.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "ir/linear.h"
#include "ir/program.h"

namespace nestwright {

/// A loop around a store, outermost first. Extents that are not constant count with their upper bound.
struct NestLoop {
  ir::Var var;
  double extent = 1;
  ir::LoopKind kind = ir::LoopKind::kSerial;
};

struct NestAccess {
  ir::Buffer buffer;
  std::vector<ir::Linear> indices;  ///< affine in the loops; let-bound variables are resolved
  bool is_write = false;
};

struct NestStore {
  std::vector<NestLoop> loops;
  std::vector<NestAccess> accesses;  ///< the store first, then the loads
  double flops = 0;                  ///< of one execution
  double share = 1;                  ///< of the iterations in which the branches around it are taken, estimated
  /// Executions in all.
  double trips() const;
};

struct FlatProgram {
  std::vector<NestStore> stores;
  double register_bytes = 0, local_bytes = 0, global_bytes = 0;  ///< allocated
  double prefetches = 0;
};

FlatProgram flatten(const ir::Program& program);

}  // namespace nestwright
