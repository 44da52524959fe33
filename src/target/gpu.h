// What GPUs are: the architectures of CUDA that we generate for, with what follows from them, and the text form of
// their targets:   cuda,arch=sm_90   or   opencl   with further fields where they differ from what the architecture
// implies: multiprocessors, shared, threads_per_block, warp, registers_per_thread, registers_per_block, l2 (bytes).
// cuda  alone is sm_80. Code for one architecture runs on devices of a later major number only by way of PTX: a command
// that runs kernels takes the machine's own device (runtime/device.h) where none is named. vector_bits is what a thread
// loads and stores at once, 128. Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "target/target.h"

namespace nestwright {

/// A target of that architecture, as a typical device of it is. Nothing where it is not known: sm_75, sm_80, sm_86,
/// sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_103, sm_110, sm_120, sm_121 are.
std::optional<Target> cuda_target(std::string_view arch);

/// What a multiprocessor holds at a time, beyond what a Target says.
struct MultiprocessorLimits {
  int warps = 0, blocks = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t shared_granularity = 1;     ///< bytes: a block is given a multiple of it
  std::int64_t reserved_shared_bytes = 0;  ///< of each block, for the system
};
/// Nothing where they are not known: a CPU, OpenCL, an architecture that cuda_target does not know.
std::optional<MultiprocessorLimits> multiprocessor_limits(const Target& target);

/// The architecture of a device by its compute capability: sm_90 for 9 and 0; for one that is not listed the nearest
/// before it of the same major number, whose code it runs. Empty where there is none.
std::string arch_of_capability(int major, int minor);

/// Whether code for an architecture runs on a device of another one: a later one of the same generation (CUDA
/// Programming Guide, "Binary Compatibility"), but what is made for an "a" on that very one only.
bool runs_on(std::string_view arch, std::string_view device);

/// Whether copies from global to shared memory go on while threads compute: CUDA's, from sm_80 on.
bool has_asynchronous_copies(const Target& target);

/// Whether there are instructions on matrices that the threads of a warp hold together, of all shapes that we use:
/// CUDA's mma.sync, from sm_80 on.
bool has_matrix_products(const Target& target);

/// Whether four warps may multiply matrices in shared memory together, by wgmma: the architecture sm_90 alone.
bool has_warpgroup_products(const Target& target);

/// Whether the 32 threads of a warp may read each other's registers: CUDA's.
bool has_shuffles(const Target& target);

/// The target that `rest` ("arch=sm_90,shared=65536") describes; `text` is all of it, for refusals. Throws UsageError.
Target parse_gpu(std::string_view text, DeviceKind kind, std::string_view rest);
/// The canonical text of a GPU's target.
std::string gpu_text(const Target& target);

}  // namespace nestwright
