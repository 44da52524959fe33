// Compiles handwritten source for a device, with the compiler and options of generated kernels.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "nestwright/target.h"

namespace nestwright::codegen {

/// The argument of Device::load() (nestwright/device.h): a cubin for CUDA C++, the source itself for OpenCL C. `name`
/// is for messages. Throws CompileError if the source has errors, or this build or machine has no compiler for the
/// device.
std::string compile_device_source(const std::string& source, const std::string& name, const Target& target);

}  // namespace nestwright::codegen
