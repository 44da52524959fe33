#include "codegen/cuda/cuda_backend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "codegen/cuda/compile_log.h"
#include "codegen/cuda/cuda_dialect.h"
#include "codegen/cuda/nvrtc.h"
#include "codegen/kernel_resources.h"
#include "codegen/source/device_object.h"
#include "codegen/source/source.h"
#include "nestwright/error.h"
#include "target/description/gpu_target.h"

namespace nestwright::codegen {
namespace {

/// The number of an architecture as sm_90 or sm_90a. Throws CompileError for other texts.
int architecture_number(const std::string& arch) {
  constexpr std::string_view kPrefix = "sm_";
  if (arch.starts_with(kPrefix)) {
    int number = 0;
    const char* const end = arch.data() + arch.size();
    const auto [rest, error] = std::from_chars(arch.data() + kPrefix.size(), end, number);
    if (error == std::errc() && (rest == end || (rest + 1 == end && (*rest == 'a' || *rest == 'f')))) return number;
  }
  throw CompileError(fmt::format("\"{}\" is no architecture of CUDA: give the target one as in cuda,arch=sm_90", arch));
}

void require_architecture(const std::string& arch, const Nvrtc& nvrtc) {
  const std::vector<int> known = nvrtc.architectures();
  if (std::find(known.begin(), known.end(), architecture_number(arch)) != known.end()) return;
  throw CompileError(
      fmt::format("{} does not compile for {}: use one of sm_{}", nvrtc.version(), arch, fmt::join(known, ", sm_")));
}

class CudaBackend final : public Backend {
 public:
  CompiledObject compile(const ir::Program& program, const Target& target, const CompileOptions& options) override {
    if (target.device != DeviceKind::kCuda) throw CompileError("the CUDA backend makes code for CUDA only");
    architecture_number(target.arch);  // throws before NVRTC is loaded
    const Nvrtc& nvrtc = Nvrtc::get();
    require_architecture(target.arch, nvrtc);
    CompiledObject result = device_object(program, CudaDialect());
    // wgmma needs code for sm_90a, which later architectures do not run.
    const bool is_special = target.arch == "sm_90" && result.source.find("wgmma.mma_async") != std::string::npos;
    NvrtcResult compiled =
        nvrtc.compile(result.source, result.symbol + ".cu",
                      {"-arch=" + target.arch + (is_special ? "a" : ""), "-std=c++17", "-w", "--ptxas-options=-v"});
    if (!compiled.succeeded) {
      throw CompileError(
          fmt::format("{} refuses the kernels of {}: {}", nvrtc.version(), program.name, first_error(compiled.log)));
    }
    result.object = std::move(compiled.cubin);
    if (options.keep_assembly) result.assembly = std::move(compiled.ptx);
    result.resources = resources(with_legal_names(program), compiled.log, target);
    return result;
  }

  std::string version() const override { return Nvrtc::get().version(); }

 private:
  /// The kernels' resources, in the program's order; empty if ptxas reported none, as for code from NVRTC's cache.
  static std::vector<KernelResources> resources(const ir::Program& program, const std::string& log,
                                                const Target& target) {
    const std::vector<KernelResources> reported = resources_of(log);
    std::vector<KernelResources> result;
    if (reported.empty()) return result;
    for (const ir::Kernel& kernel : program.kernels) {
      const auto found = std::find_if(reported.begin(), reported.end(),
                                      [&](const KernelResources& other) { return other.kernel == kernel.name; });
      if (found == reported.end()) {
        throw InternalError(fmt::format("internal error: NVRTC does not report the resources of kernel {}: {}",
                                        kernel.name, log.substr(0, 300)));
      }
      result.push_back(complete(*found, kernel, target, true));
    }
    return result;
  }
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend() { return std::make_unique<CudaBackend>(); }

}  // namespace nestwright::codegen
