#include "codegen/device_source.h"

#ifdef NESTWRIGHT_WITH_CUDA
#include "codegen/cuda/compile_log.h"
#include "codegen/cuda/nvrtc.h"
#endif
#include "nestwright/error.h"

namespace nestwright::codegen {

std::string compile_device_source(const std::string& source, const std::string& name, const Target& target) {
  if (target.device == DeviceKind::kOpenCl) return source;
#ifdef NESTWRIGHT_WITH_CUDA
  if (target.device == DeviceKind::kCuda) {
    const Nvrtc& nvrtc = Nvrtc::get();
    NvrtcResult compiled = nvrtc.compile(source, name + ".cu", {"-arch=" + target.arch, "-std=c++17", "-w"});
    if (!compiled.succeeded) {
      throw CompileError(nvrtc.version() + " refuses " + name + ": " + first_error(compiled.log));
    }
    return std::move(compiled.cubin);
  }
#endif
  throw CompileError("this build does not compile source for " + target.str());
}

}  // namespace nestwright::codegen
