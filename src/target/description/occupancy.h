// Computes the occupancy of a CUDA kernel, the number of its blocks that a multiprocessor holds at a time, and the
// reasons why a block cannot be launched. It follows the CUDA C++ Programming Guide ("Technical Specifications per
// Compute Capability") and the allocation granularities of CUDA's occupancy calculator (cuda_occupancy.h).
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nestwright/target.h"

namespace nestwright {

/// The resources that a block uses.
struct BlockResources {
  int threads = 1;
  int registers = 0;              ///< per thread, of 4 bytes
  std::int64_t shared_bytes = 0;  ///< requested by the kernel, without the system's reserve
};

/// The blocks and warps of one kernel on a multiprocessor.
struct Occupancy {
  int blocks = 0;     ///< resident on a multiprocessor; 0: none can be launched
  int warps = 0;      ///< resident on a multiprocessor
  int max_warps = 1;  ///< the most that a multiprocessor can hold
  double share() const { return static_cast<double>(warps) / max_warps; }
};

/// Absent if the limits are not known (multiprocessor_limits in target/description/gpu_target.h). Requires at least one
/// thread.
std::optional<Occupancy> occupancy(const BlockResources& block, const Target& target);

/// Returns why such a block cannot be launched, e.g. "a block of 2048 threads is more than the 1024 that sm_90 allows";
/// empty if it can.
std::string launch_rejection(const BlockResources& block, const Target& target);

}  // namespace nestwright
