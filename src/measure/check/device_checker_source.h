// The source of the kernels that compare results on the device (measure/check/device_checker.h). Private to measure/.
// Thread rule: pure functions.
#pragma once

#include <span>
#include <string>

#include "nestwright/target.h"
#include "nestwright/type.h"

namespace nestwright {

/// The threads per block of each of these kernels.
inline constexpr int kCheckerThreads = 128;

/// Returns the name of the kernel that compares elements of `type`, e.g. "compare_float32".
std::string comparison_kernel(ir::Type type);

/// Returns OpenCL C or CUDA C++ that needs no header: one comparison for each of `types`, `digest` and `combine`. All
/// parameters have eight bytes. Requires a device other than the CPU, and scalar types.
std::string device_checker_source(DeviceKind device, std::span<const ir::Type> types);

/// Returns the compiled source in the form that Device::load() takes (nestwright/device.h); empty if it cannot be
/// compiled here, in which case results are compared on the host. Each source is compiled once per process.
/// Thread-safe.
std::string device_checker_object(const Target& target, std::span<const ir::Type> types);

}  // namespace nestwright
