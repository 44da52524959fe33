// The launch interface of device kernels: grid and block sizes, arguments in order, and the layout of shared memory.
// Code generation declares the arguments; the runtime and exported launchers pass them.
// Thread rule: values and pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "nestwright/program.h"

namespace nestwright::ir {

/// The numbers of blocks and of threads per block along x, y and z: expressions of the program's symbols and of the
/// variables of the host statement; 1 where no loop is bound to the index.
struct LaunchShape {
  std::array<Expr, 3> grid, block;
};

/// Requires loops bound to blockIdx and threadIdx to begin at 0, as lowering makes them.
LaunchShape launch_shape(const Kernel& kernel);

/// The largest static shared memory of a CUDA kernel, in bytes. Beyond it all shared memory is dynamic: the kernel
/// declares an array without a size, and the launch gives its size.
inline constexpr std::int64_t kMaxStaticSharedBytes = 48 << 10;

/// The placement of a kernel's shared allocations in the shared memory of a block: one after the other, in the order of
/// the statements, each at a multiple of 16 bytes or of its own alignment.
struct SharedLayout {
  std::vector<std::pair<Buffer, std::int64_t>> offsets;  ///< bytes
  std::int64_t bytes = 0;
  /// The dynamic shared memory of a launch on CUDA: all of it, or 0 where static shared memory is large enough. OpenCL
  /// kernels declare all of theirs.
  std::int64_t dynamic_bytes() const { return bytes > kMaxStaticSharedBytes ? bytes : 0; }
};
SharedLayout shared_layout(const Kernel& kernel);

/// The alignment of every pointer argument of a device kernel, in bytes, whatever its buffer says: the most that a
/// thread moves by one access. Device allocations have at least this alignment.
inline constexpr int kPointerAlignment = 16;

/// The arguments of a kernel, in this order: a pointer for each parameter that it accesses, a pointer for each
/// workspace buffer, a number for each scalar. Arguments that the kernel does not use are left out.
struct KernelArguments {
  std::vector<int> parameters;     ///< numbers of Program::parameters, ascending
  std::vector<Buffer> workspaces;  ///< what the host statement allocates, outermost first
  std::vector<Var> scalars;        ///< symbols in the program's order, then variables of the host, outermost first
};

/// The arguments of program.kernels[kernel]. Its scalars are those that its statements and the strides of the buffers
/// that it accesses mention.
KernelArguments kernel_arguments(const Program& program, int kernel);

}  // namespace nestwright::ir
