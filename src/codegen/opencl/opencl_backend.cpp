#include "codegen/opencl/opencl_backend.h"

#include "codegen/opencl/opencl_dialect.h"
#include "codegen/source/device_object.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

class OpenClBackend final : public Backend {
 public:
  CompiledObject compile(const ir::Program& program, const Target& target, const CompileOptions&) override {
    if (target.device != DeviceKind::kOpenCl) throw CompileError("the OpenCL backend makes code for OpenCL only");
    CompiledObject result = device_object(program, OpenClDialect());
    result.object = result.source;
    return result;
  }

  std::string version() const override { return "OpenCL C 1.2"; }
};

}  // namespace

std::unique_ptr<Backend> make_opencl_backend() { return std::make_unique<OpenClBackend>(); }

}  // namespace nestwright::codegen
