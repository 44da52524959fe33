// What a launch of a kernel on a device takes: the sizes of its grid and of its blocks, and what is handed over, in
// order. Code generation declares the arguments, the runtime and exported launchers give them.
// Thread rule: values and pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "ir/core/program.h"

namespace nestwright::ir {

/// Numbers of blocks and of threads a block, along x, y and z: expressions of the program's symbols and of the
/// variables of the host; 1 where no loop is bound to the index.
struct LaunchShape {
  std::array<Expr, 3> grid, block;
};

/// Requires loops bound to blockIdx and threadIdx to begin at 0, as lowering makes them.
LaunchShape launch_shape(const Kernel& kernel);

/// More shared memory than this a kernel cannot declare: CUDA C++ then names an array without a size, "dynamic" shared
/// memory, and the launch says how large it is.
inline constexpr std::int64_t kMaxStaticSharedBytes = 48 << 10;

/// Where the shared allocations of a kernel lie in its block's shared memory: one after the other, in the order of the
/// statements, each at a multiple of 16 bytes or of its own alignment.
struct SharedLayout {
  std::vector<std::pair<Buffer, std::int64_t>> offsets;  ///< bytes
  std::int64_t bytes = 0;
  /// What a launch on CUDA has to ask for: all of them, or 0 where they may be declared. OpenCL declares them always.
  std::int64_t dynamic_bytes() const { return bytes > kMaxStaticSharedBytes ? bytes : 0; }
};
SharedLayout shared_layout(const Kernel& kernel);

/// What every pointer that a device's kernel is handed is aligned to, in bytes, whatever its buffer says: what a thread
/// moves by one access. Devices allocate so.
inline constexpr int kPointerAlignment = 16;

/// What a kernel is handed, in this order: a pointer a parameter that it accesses, a pointer a buffer of the workspace,
/// a number a scalar. Code that a person reads has no argument that is not used.
struct KernelArguments {
  std::vector<int> parameters;     ///< numbers of Program::parameters, ascending
  std::vector<Buffer> workspaces;  ///< what the host statement allocates, outermost first
  std::vector<Var> scalars;        ///< symbols in the program's order, then variables of the host, outermost first
};

/// Of program.kernels[kernel]; the scalars are those that its statements and the strides of what it accesses mention.
KernelArguments kernel_arguments(const Program& program, int kernel);

}  // namespace nestwright::ir
