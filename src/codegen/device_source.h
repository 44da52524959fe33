// Source of our own for a device, compiled as programs' kernels are.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "target/target.h"

namespace nestwright::codegen {

/// What Device::load() takes (runtime/device.h): a cubin of CUDA C++, OpenCL C as it is. `name` stands in messages.
/// Throws CompileError where the source is refused or this build, or this machine, has no compiler for the device.
std::string compile_device_source(const std::string& source, const std::string& name, const Target& target);

}  // namespace nestwright::codegen
