// The backend for OpenCL: OpenCL C, which the device's driver builds where it runs. Needs no driver itself.
// Thread rule: as Backend's.
#pragma once

#include <memory>

#include "codegen/backend.h"

namespace nestwright::codegen {

std::unique_ptr<Backend> make_opencl_backend();

}  // namespace nestwright::codegen
