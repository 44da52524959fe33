#include "codegen/backend.h"

#include "codegen/llvm/llvm_backend.h"
#include "support/error.h"

namespace nestwright {

std::unique_ptr<Backend> make_backend(DeviceKind device) {
  switch (device) {
    case DeviceKind::kCpu:
#ifdef NESTWRIGHT_WITH_LLVM
      return codegen::make_llvm_backend();
#else
      throw CompileError("this build has no backend for the CPU: configure it with NESTWRIGHT_WITH_LLVM=ON");
#endif
    case DeviceKind::kCuda:
      throw CompileError("this build has no backend for CUDA: use a CPU target");
    case DeviceKind::kOpenCl:
      throw CompileError("this build has no backend for OpenCL: use a CPU target");
  }
  throw InternalError("internal error: unknown kind of device");
}

#ifndef NESTWRIGHT_WITH_LLVM
std::unique_ptr<LoadedObject> load_object(const CompiledObject&) {
  throw CompileError("this build cannot link objects: configure it with NESTWRIGHT_WITH_LLVM=ON");
}
#endif

}  // namespace nestwright
