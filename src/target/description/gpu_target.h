// The GPUs that we generate code for: the CUDA architectures, what follows from each, and the text form of GPU targets,
// "cuda,arch=sm_90" or "opencl". Fields that differ from what the architecture implies follow: multiprocessors, shared,
// threads_per_block, warp, registers_per_thread, registers_per_block, l2 (bytes). "cuda" alone means sm_80.
//
// Code for one architecture runs on a device of a later major version only through PTX, so a command that runs kernels
// uses the machine's own device (nestwright/device.h) if no architecture is named. vector_bits is 128, the widest load
// or store of one thread. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nestwright/target.h"

namespace nestwright {

/// Returns the target of a typical device of `arch`. Absent if it is not one of sm_75, sm_80, sm_86, sm_87, sm_89,
/// sm_90, sm_90a, sm_100, sm_100a, sm_103, sm_110, sm_120, sm_121.
std::optional<Target> cuda_target(std::string_view arch);

/// The resources of a multiprocessor that occupancy depends on, beyond those in a Target.
struct MultiprocessorLimits {
  int warps = 0, blocks = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t shared_granularity = 1;     ///< bytes: a block's share is rounded up to a multiple of this
  std::int64_t reserved_shared_bytes = 0;  ///< bytes of each block that the system takes
};
/// Absent if they are not known: for a CPU, OpenCL, or an architecture that cuda_target does not know.
std::optional<MultiprocessorLimits> multiprocessor_limits(const Target& target);

/// Returns the architecture of a device of compute capability major.minor, e.g. sm_90 for 9 and 0. If that one is not
/// listed, the closest earlier one of the same major version, whose code the device runs. Empty if there is none.
std::string arch_of_capability(int major, int minor);

/// Whether code for `arch` runs on `device` (two architectures): `device` must be the same or a later minor version of
/// the same major version (CUDA Programming Guide, "Binary Compatibility"); code for an "a" architecture runs on that
/// one only.
bool can_run_on(std::string_view arch, std::string_view device);

/// Whether copies from global to shared memory can be asynchronous (cp.async): CUDA, from sm_80 on.
bool has_asynchronous_copies(const Target& target);
/// Whether one of them can have this size.
constexpr bool is_asynchronous_copy(std::int64_t bytes) { return bytes == 4 || bytes == 8 || bytes == 16; }

/// Whether it has warp-level matrix products of all shapes that we use (mma.sync): CUDA, from sm_80 on.
bool has_matrix_products(const Target& target);

/// Whether it has products of a warpgroup, four warps, on matrices in shared memory (wgmma): sm_90 only.
bool has_warpgroup_products(const Target& target);

/// Whether the 32 threads of a warp can read each other's registers (shuffles): CUDA.
bool has_shuffles(const Target& target);

/// Parses `rest`, e.g. "arch=sm_90,shared=65536"; `text`, the whole target, is for messages. Throws UsageError.
Target parse_gpu(std::string_view text, DeviceKind kind, std::string_view rest);
/// Returns the canonical text of a GPU's target.
std::string gpu_text(const Target& target);

}  // namespace nestwright
