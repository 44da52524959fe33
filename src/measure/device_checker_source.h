// The kernels that hold results against what is expected of them on the device itself (measure/device_checker.h), as
// source for the device's compiler.
// Private to measure/. Thread rule: pure functions.
#pragma once

#include <span>
#include <string>

#include "ir/core/type.h"
#include "target/target.h"

namespace nestwright {

/// Threads of a block of each of these kernels.
inline constexpr int kCheckerThreads = 128;

/// The kernel that compares elements of `type`: "compare_float32", "compare_uint8".
std::string comparison_kernel(ir::Type type);

/// OpenCL C or CUDA C++, which need no header: one comparison for each of `types`, `digest` and `combine`. All of their
/// parameters have eight bytes. Requires a device that is not the CPU and scalar types.
std::string device_checker_source(DeviceKind device, std::span<const ir::Type> types);

/// The source compiled as load() of the device takes it (runtime/device.h); empty where it cannot be compiled here:
/// results are then compared on the host. Each source is compiled once in a process. Any thread may call it.
std::string device_checker_object(const Target& target, std::span<const ir::Type> types);

}  // namespace nestwright
