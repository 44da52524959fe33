// How many blocks of a kernel a multiprocessor of a CUDA device holds at a time, its occupancy, and why it takes none.
// After the CUDA C++ Programming Guide ("Technical Specifications per Compute Capability") and the way in which CUDA's
// occupancy calculator (cuda_occupancy.h) gives out registers and shared memory. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "target/target.h"

namespace nestwright {

/// What a block takes.
struct BlockNeeds {
  int threads = 1;
  int registers = 0;              ///< of 4 bytes, a thread
  std::int64_t shared_bytes = 0;  ///< that the kernel asks for: without what the system reserves
};

struct Occupancy {
  int blocks = 0;      ///< resident on a multiprocessor; 0: none can be launched
  int warps = 0;       ///< resident on it
  int most_warps = 1;  ///< that it can hold
  double share() const { return static_cast<double>(warps) / most_warps; }
};

/// Nothing where the limits are not known (target/gpu.h: multiprocessor_limits). Requires a thread or more.
std::optional<Occupancy> occupancy(const BlockNeeds& block, const Target& target);

/// Why such a block cannot be launched, e.g. "a block of 2048 threads is more than the 1024 that sm_90 allows"; empty
/// where it can.
std::string why_not_launched(const BlockNeeds& block, const Target& target);

}  // namespace nestwright
