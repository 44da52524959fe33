#include <fmt/format.h>

#include <string_view>

#include "exporter/source/device_sources.h"

namespace nestwright {
namespace {

/// One string per line, because C compilers need not accept literals longer than 4095 characters.
std::string embedded_source(std::string_view source) {
  std::string text;
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size() - 1);
    text += "    \"";
    for (const char c : source.substr(0, end + 1)) {
      if (c == '"' || c == '\\') text += '\\';
      if (c == '\n') {
        text += "\\n";
      } else {
        text += c;
      }
    }
    text += "\",\n";
    source.remove_prefix(end + 1);
  }
  return text;
}

/// Requires the tables and the source; {0} is the name.
constexpr const char* kFixedPart = R"(
struct {0}_handle {{
  cl_context context;
  cl_device_id device;
  cl_program program;
  cl_kernel kernels[kKernels];
  cl_mem workspaces[kWorkspaces + 1];
}};

static _Thread_local cl_int driver_error;

int {0}_driver_error(void) {{ return driver_error; }}

static int failed(cl_int error) {{
  driver_error = error;
  switch (error) {{
    case CL_SUCCESS:
      return 0;
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_INVALID_WORK_GROUP_SIZE:
      return 1;
    case CL_OUT_OF_HOST_MEMORY:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
      return 2;
    case CL_INVALID_COMMAND_QUEUE:
    case CL_INVALID_MEM_OBJECT:
      return 3;
    default:
      return 4;
  }}
}}

static cl_int build(struct {0}_handle* handle) {{
  cl_int error = CL_SUCCESS;
  handle->program = clCreateProgramWithSource(handle->context, sizeof source / sizeof *source, (const char**)source, 0, &error);
  if (error != CL_SUCCESS) return error;
  cl_device_fp_config rounding = 0;
  error = clGetDeviceInfo(handle->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof rounding, &rounding, 0);
  if (error != CL_SUCCESS) return error;
  const char* const options = rounding & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
                                  ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                                  : "-cl-std=CL1.2";
  return clBuildProgram(handle->program, 1, &handle->device, options, 0, 0);
}}

/* A device may have too few threads or too little local memory for a kernel; drivers are known to end the process then. */
static cl_int make_kernel(struct {0}_handle* handle, int kernel) {{
  cl_int error = CL_SUCCESS;
  handle->kernels[kernel] = clCreateKernel(handle->program, kernel_names[kernel], &error);
  if (error != CL_SUCCESS) return error;
  size_t most_threads = 0;
  cl_ulong needed = 0, available = 0;
  error = clGetKernelWorkGroupInfo(handle->kernels[kernel], handle->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most_threads,
                                   &most_threads, 0);
  if (error != CL_SUCCESS) return error;
  error = clGetKernelWorkGroupInfo(handle->kernels[kernel], handle->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof needed,
                                   &needed, 0);
  if (error != CL_SUCCESS) return error;
  error = clGetDeviceInfo(handle->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof available, &available, 0);
  if (error != CL_SUCCESS) return error;
  return block_threads[kernel] > most_threads || needed > available ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}}

static cl_int load(struct {0}_handle* handle, cl_command_queue queue) {{
  cl_int error = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof handle->context, &handle->context, 0);
  if (error != CL_SUCCESS) return error;
  error = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof handle->device, &handle->device, 0);
  if (error != CL_SUCCESS) return error;
  error = build(handle);
  for (int k = 0; k < kKernels && error == CL_SUCCESS; ++k) error = make_kernel(handle, k);
  for (int w = 0; w < kWorkspaces && error == CL_SUCCESS; ++w) {{
    handle->workspaces[w] = clCreateBuffer(handle->context, CL_MEM_READ_WRITE, workspace_bytes[w], 0, &error);
  }}
  return error;
}}

int {0}_create(cl_command_queue queue, struct {0}_handle** handle) {{
  driver_error = 0;
  if (queue == 0 || handle == 0) return 3;
  *handle = 0;
  struct {0}_handle* const made = calloc(1, sizeof *made);
  if (made == 0) return 2;
  const int code = failed(load(made, queue));
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
    if (handle->workspaces[w] != 0) clReleaseMemObject(handle->workspaces[w]);
  }}
  for (int k = 0; k < kKernels; ++k) {{
    if (handle->kernels[k] != 0) clReleaseKernel(handle->kernels[k]);
  }}
  if (handle->program != 0) clReleaseProgram(handle->program);
  free(handle);
}}

/* Whether launches of the queue run on the handle's device, one after the other. */
static int serves(const struct {0}_handle* handle, cl_command_queue queue) {{
  cl_context context = 0;
  cl_device_id device = 0;
  cl_command_queue_properties properties = 0;
  return handle != 0 && queue != 0 &&
         clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, 0) == CL_SUCCESS &&
         clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, 0) == CL_SUCCESS &&
         clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, 0) == CL_SUCCESS &&
         context == handle->context && device == handle->device && !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}}

static int usable(cl_mem buffer, size_t bytes) {{
  size_t available = 0;
  return buffer != 0 && clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof available, &available, 0) == CL_SUCCESS &&
         available >= bytes;
}}

/* `sizes` are blocks along x, y and z, then threads of a block. Of the arguments, buffers come first, then numbers. */
static int launch(struct {0}_handle* handle, cl_command_queue queue, int kernel, const long* sizes, int buffers, int count,
                  void* const* arguments) {{
  size_t global[3], local[3];
  for (int d = 0; d < 3; ++d) {{
    if (sizes[d] < 1 || sizes[3 + d] < 1) return 0;
    local[d] = (size_t)sizes[3 + d];
    global[d] = (size_t)sizes[d] * local[d];
  }}
  for (int i = 0; i < count; ++i) {{
    const cl_int error =
        clSetKernelArg(handle->kernels[kernel], (cl_uint)i, i < buffers ? sizeof(cl_mem) : sizeof(cl_long), arguments[i]);
    if (error != CL_SUCCESS) return failed(error);
  }}
  return failed(clEnqueueNDRangeKernel(queue, handle->kernels[kernel], 3, 0, global, local, 0, 0, 0));
}}
)";

}  // namespace

std::string opencl_launcher_source(const Exported& e) {
  return fmt::format(
             R"(/* Calls the kernels of {0}.h. Made by Nestwright; needs nothing but a C11 compiler and OpenCL 1.2 (-lOpenCL). */
#include "{0}.h"

#include <stdint.h>
#include <stdlib.h>
)",
             e.name) +
         device_tables(e) +
         fmt::format(
             "\n/* {}_kernel.cl, which the driver compiles. */\nstatic const char* const source[] = {{\n{}}};\n",
             e.name, embedded_source(e.object->source)) +
         fmt::format(fmt::runtime(kFixedPart), e.name) + device_function(e, "serves(handle, queue)");
}

}  // namespace nestwright
