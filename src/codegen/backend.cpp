#include "codegen/backend.h"

#include "codegen/cuda/cuda_backend.h"
#include "codegen/llvm/llvm_backend.h"
#include "codegen/opencl/opencl_backend.h"
#include "nestwright/error.h"

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
#ifdef NESTWRIGHT_WITH_CUDA
      return codegen::make_cuda_backend();
#else
      throw CompileError("this build has no backend for CUDA: configure it with NESTWRIGHT_WITH_CUDA=ON");
#endif
    case DeviceKind::kOpenCl:
#ifdef NESTWRIGHT_WITH_OPENCL
      return codegen::make_opencl_backend();
#else
      throw CompileError("this build has no backend for OpenCL: configure it with NESTWRIGHT_WITH_OPENCL=ON");
#endif
  }
  throw InternalError("internal error: unknown kind of device");
}

std::string backend_version(DeviceKind device) { return make_backend(device)->version(); }

std::string why_not_compile(const Target& target) { return make_backend(target.device)->why_not(target); }

CompiledObject compile_program(const ir::Program& program, const Target& target, const CompileOptions& options) {
  return make_backend(target.device)->compile(program, target, options);
}

#ifndef NESTWRIGHT_WITH_LLVM
std::unique_ptr<LoadedObject> load_object(const CompiledObject&) {
  throw CompileError("this build cannot link objects: configure it with NESTWRIGHT_WITH_LLVM=ON");
}
#endif

}  // namespace nestwright
