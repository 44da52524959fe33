// The CUDA backend: generates CUDA C++, which NVRTC compiles to a cubin for the target's architecture.
// Thread rule: Backend's.
#pragma once

#include <memory>

#include "codegen/backend.h"

namespace nestwright::codegen {

std::unique_ptr<Backend> make_cuda_backend();

}  // namespace nestwright::codegen
