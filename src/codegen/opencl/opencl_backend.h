// The OpenCL backend: generates OpenCL C, which the device's driver builds where it runs. Compiling needs no driver.
// Thread rule: Backend's.
#pragma once

#include <memory>

#include "codegen/backend.h"

namespace nestwright::codegen {

std::unique_ptr<Backend> make_opencl_backend();

}  // namespace nestwright::codegen
