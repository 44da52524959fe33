// The backend for CUDA: CUDA C++, compiled by NVRTC to a cubin for the target's architecture.
// Thread rule: as Backend's.
#pragma once

#include <memory>

#include "codegen/backend.h"

namespace nestwright::codegen {

std::unique_ptr<Backend> make_cuda_backend();

}  // namespace nestwright::codegen
