#include <fmt/format.h>

#include <string_view>

#include "exporter/source/device_sources.h"
#include "support/base/error.h"

namespace nestwright {
namespace {

std::string embedded_bytes(std::string_view bytes) {
  std::string text;
  std::size_t width = 0;
  for (const char c : bytes) {
    const std::string number = fmt::format("{},", static_cast<unsigned char>(c));
    if (width + number.size() > 118) {
      text += '\n';
      width = 0;
    }
    text += number;
    width += number.size();
  }
  return text + '\n';
}

/// The architecture of the PTX, e.g. "sm_90a" for what NVIDIA calls architecture-specific features.
std::string architecture_of(const std::string& ptx) {
  constexpr std::string_view kDirective = "\n.target ";
  const std::size_t found = ptx.find(kDirective);
  if (found == std::string::npos) throw InternalError("internal error: PTX that does not say what it is for");
  const std::size_t begin = found + kDirective.size();
  return ptx.substr(begin, ptx.find_first_of(", \n", begin) - begin);
}

/// Requires the tables, the cubin and the PTX; {0} is the name.
constexpr const char* kFixedPart = R"(
struct {0}_handle {{
  CUmodule module;
  CUfunction kernels[kKernels];
  CUdeviceptr workspaces[kWorkspaces + 1];
}};

static _Thread_local int driver_error;

int {0}_driver_error(void) {{ return driver_error; }}

static int failed(CUresult error) {{
  driver_error = (int)error;
  switch (error) {{
    case CUDA_SUCCESS:
      return 0;
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return 1;
    case CUDA_ERROR_OUT_OF_MEMORY:
      return 2;
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_INVALID_CONTEXT:
      return 3;
    default:
      return 4;
  }}
}}

/* What the cubin is not for, later devices, takes the PTX: the driver compiles it. */
static CUresult load_code(CUmodule* module) {{
  const CUresult error = cuModuleLoadDataEx(module, cubin, 0, 0, 0);
  if (error != CUDA_ERROR_NO_BINARY_FOR_GPU && error != CUDA_ERROR_INVALID_IMAGE) return error;
  return cuModuleLoadDataEx(module, ptx, 0, 0, 0);
}}

static CUresult load(struct {0}_handle* handle) {{
  CUcontext context = 0;
  CUresult error = cuCtxGetCurrent(&context);
  if (error == CUDA_SUCCESS && context == 0) error = CUDA_ERROR_INVALID_CONTEXT;
  if (error == CUDA_SUCCESS) error = load_code(&handle->module);
  for (int k = 0; k < kKernels && error == CUDA_SUCCESS; ++k) {{
    error = cuModuleGetFunction(&handle->kernels[k], handle->module, kernel_names[k]);
    if (error != CUDA_SUCCESS || shared_bytes[k] == 0) continue;
    error = cuFuncSetAttribute(handle->kernels[k], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes[k]);
    if (error == CUDA_ERROR_INVALID_VALUE) error = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES; /* more than the device has */
  }}
  for (int w = 0; w < kWorkspaces && error == CUDA_SUCCESS; ++w) {{
    error = cuMemAlloc(&handle->workspaces[w], workspace_bytes[w]);
  }}
  return error;
}}

int {0}_create(struct {0}_handle** handle) {{
  driver_error = 0;
  if (handle == 0) return 3;
  *handle = 0;
  struct {0}_handle* const made = calloc(1, sizeof *made);
  if (made == 0) return 2;
  const int code = failed(load(made));
  if (code == 0) {{
    *handle = made;
  }} else {{
    {0}_destroy(made);
  }}
  return code;
}}

void {0}_destroy(struct {0}_handle* handle) {{
  if (handle == 0) return;
  for (int w = 0; w < kWorkspaces; ++w) {{
    if (handle->workspaces[w] != 0) cuMemFree(handle->workspaces[w]);
  }}
  if (handle->module != 0) cuModuleUnload(handle->module);
  free(handle);
}}

static int usable(const void* tensor, uintptr_t alignment) {{
  return tensor != 0 && (uintptr_t)tensor % alignment == 0;
}}

/* `sizes` are blocks along x, y and z, then threads of a block. Of the arguments, pointers come first, then numbers: the
 * driver reads eight bytes of each. */
static int launch(struct {0}_handle* handle, CUstream stream, int kernel, const long* sizes, int pointers, int count,
                  void* const* arguments) {{
  (void)pointers;
  (void)count;
  for (int d = 0; d < 6; ++d) {{
    if (sizes[d] < 1) return 0;
  }}
  return failed(cuLaunchKernel(handle->kernels[kernel], (unsigned)sizes[0], (unsigned)sizes[1], (unsigned)sizes[2],
                               (unsigned)sizes[3], (unsigned)sizes[4], (unsigned)sizes[5], (unsigned)shared_bytes[kernel],
                               stream, (void**)arguments, 0));
}}
)";

}  // namespace

std::string cuda_launcher_source(const Exported& e) {
  const std::string arch = architecture_of(e.object->assembly);
  return fmt::format(
             R"(/* Calls the kernels of {0}.h. Made by Nestwright; needs nothing but a C11 compiler and CUDA's driver (-lcuda). */
#include "{0}.h"

#include <cuda.h>
#include <stdint.h>
#include <stdlib.h>
)",
             e.name) +
         device_tables(e) +
         fmt::format(
             "\n/* {0}_kernel.cubin, for {1}, and {0}_kernel.ptx, {4}. */\n"
             "static _Alignas(16) const unsigned char cubin[] = {{\n{2}}};\n"
             "static const unsigned char ptx[] = {{\n{3}0}};\n",
             e.name, arch, embedded_bytes(e.object->object), embedded_bytes(e.object->assembly),
             arch.ends_with('a') ? "for that architecture alone, too" : "which drivers of later devices compile") +
         fmt::format(fmt::runtime(kFixedPart), e.name) + device_function(e, "handle != 0");
}

}  // namespace nestwright
