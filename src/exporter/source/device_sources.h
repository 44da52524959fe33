// The generated texts of a kernel that is exported for a device: C with the device's code embedded, which needs only
// the header and the library of the driver. Symbols and prepared constants cannot be exported for devices.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "exporter/source/sources.h"

namespace nestwright {

std::string device_header_source(const Exported& e);    ///< NAME.h: the functions and their contract
std::string cuda_launcher_source(const Exported& e);    ///< NAME.c for CUDA: cubin and PTX, checks, launches
std::string opencl_launcher_source(const Exported& e);  ///< NAME.c for OpenCL: the source, checks, launches
std::string device_cmake_config(const Exported& e);     ///< NAMEConfig.cmake: the target NAME::NAME

// Parts of the launcher.

/// "struct NAME_handle* handle, const float* A, float* C, struct CUstream_st* stream"
std::string device_parameters(const Exported& e);
/// Returns the buffers that the host statement allocates. Each has its own memory, as in runtime/device_program.
std::vector<ir::Buffer> device_workspaces(const ir::Program& program);
/// Returns the bytes of all of them.
std::int64_t device_workspace_bytes(const Exported& e);
/// Returns the constants and tables of the program's kernels and workspaces: kKernels, kWorkspaces, kernel_names,
/// workspace_bytes; for OpenCL block_threads, for CUDA shared_bytes (dynamic).
std::string device_tables(const Exported& e);
/// Returns `int NAME(...)`. It checks each tensor by `usable(tensor, number)`, where the number is the alignment for
/// CUDA and the bytes for OpenCL, and the call by the expression `serves`; then it executes the host statement by
///   static int launch(struct NAME_handle*, STREAM, int kernel, const long* sizes, int pointers, int count,
///                     void* const* arguments)
/// whose sizes are those of the grid, then of a block, and whose arguments are pointers, then int64_t.
std::string device_function(const Exported& e, const std::string& serves);
/// Returns the bytes from the first element of a tensor to its last one. Requires constant extents.
std::int64_t bytes_of(const ir::Buffer& buffer);

}  // namespace nestwright
