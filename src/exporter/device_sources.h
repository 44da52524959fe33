// The texts of a kernel that is exported for a device: C with the device's code inside, which needs the header and the
// library of the driver alone. Symbols and constants that are prepared are not exported for devices.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "exporter/sources.h"

namespace nestwright {

std::string device_header_source(const Exported& e);    ///< NAME.h: the functions and their contract
std::string cuda_launcher_source(const Exported& e);    ///< NAME.c for CUDA: cubin and PTX, checks, launches
std::string opencl_launcher_source(const Exported& e);  ///< NAME.c for OpenCL: the source, checks, launches
std::string device_cmake_config(const Exported& e);     ///< NAMEConfig.cmake: the target NAME::NAME

// Parts of the launcher.

/// "struct NAME_handle* handle, const float* A, float* C, struct CUstream_st* stream"
std::string device_parameters(const Exported& e);
/// What the host statement allocates, each of which has memory of its own, as runtime/device_program gives it.
std::vector<ir::Buffer> device_workspaces(const ir::Program& program);
/// Of all of them, in bytes.
std::int64_t device_workspace_bytes(const Exported& e);
/// Constants and tables of the program's kernels and workspaces: kKernels, kWorkspaces, kernel_names, workspace_bytes;
/// for OpenCL block_threads, for CUDA shared_bytes (dynamic).
std::string device_tables(const Exported& e);
/// `int NAME(...)`: checks each tensor by `usable(tensor, number)`, the number being its alignment for CUDA and its
/// bytes for OpenCL, and the call by the expression `serves`, then follows the host statement by
///   static int launch(struct NAME_handle*, STREAM, int kernel, const long* sizes, int pointers, int count,
///                     void* const* arguments)
/// whose sizes are those of the grid and then of a block, and whose arguments are pointers, then int64_t.
std::string device_function(const Exported& e, const std::string& serves);
/// Bytes from the first element of a tensor to its last one. Requires constant extents.
std::int64_t bytes_of(const ir::Buffer& buffer);

}  // namespace nestwright
