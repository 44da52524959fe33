#include <fmt/format.h>

#include "exporter/self_test/self_test_calls.h"
#include "exporter/source/device_sources.h"
#include "support/base/error.h"

namespace nestwright {
namespace {

/// Tensors on the device; {0} is the name.
constexpr const char* kOpenClHelpers = R"(
static cl_context context;
static cl_command_queue queue;
static size_t guard; /* bytes, before and after each tensor on the device; parts of buffers begin at multiples of it */
static struct {0}_handle* handle;

static void require(cl_int error, const char* doing) {{
  if (error == CL_SUCCESS) return;
  printf("{0}: OpenCL cannot %s (%d)\n", doing, error);
  exit(1);
}}

/* The first GPU, or the first device at all. */
static cl_device_id find_device(void) {{
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) count = 0;
  for (int any = 0; any < 2; ++any) {{
    for (cl_uint p = 0; p < count && p < 16; ++p) {{
      cl_device_id device;
      const cl_device_type type = any ? CL_DEVICE_TYPE_ALL : CL_DEVICE_TYPE_GPU;
      if (clGetDeviceIDs(platforms[p], type, 1, &device, 0) == CL_SUCCESS) return device;
    }}
  }}
  printf("{0}: there is no OpenCL device\n");
  exit(1);
}}

static void open_device(void) {{
  cl_device_id device = find_device();
  cl_int error = CL_SUCCESS;
  context = clCreateContext(0, 1, &device, 0, 0, &error);
  require(error, "make a context");
  queue = clCreateCommandQueue(context, device, 0, &error);
  require(error, "make a queue");
  cl_uint bits = 0;
  require(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, 0), "tell where buffers begin");
  guard = bits / 8 > 128 ? bits / 8 : 128;
  const int code = {0}_create(queue, &handle);
  if (code == 0) return;
  printf("{0}: {0}_create returned %d, the driver %d\n", code, {0}_driver_error());
  exit(1);
}}

static void close_device(void) {{
  {0}_destroy(handle);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}}

/* A tensor on the device between two guards. */
struct on_device {{
  cl_mem whole, at;
  size_t bytes;
}};

static struct on_device send(const void* from, size_t bytes) {{
  unsigned char* const all = memory_for(bytes + 2 * guard);
  memcpy(all + guard, from, bytes);
  struct on_device tensor = {{0, 0, bytes}};
  cl_int error = CL_SUCCESS;
  tensor.whole = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes + 2 * guard, all, &error);
  require(error, "give memory");
  const cl_buffer_region part = {{guard, bytes}};
  tensor.at = clCreateSubBuffer(tensor.whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &error);
  require(error, "give a part of memory");
  free(all);
  return tensor;
}}

static void read_all(struct on_device tensor, void* to) {{
  require(clEnqueueReadBuffer(queue, tensor.whole, CL_TRUE, 0, tensor.bytes + 2 * guard, to, 0, 0, 0), "carry the calls out");
}}

static void release(struct on_device tensor) {{
  clReleaseMemObject(tensor.at);
  clReleaseMemObject(tensor.whole);
}}
)";

constexpr const char* kCudaHelpers = R"(
static CUdevice device;
static const size_t guard = 256; /* bytes, before and after each tensor on the device */
static struct {0}_handle* handle;

static void require(CUresult error, const char* doing) {{
  if (error == CUDA_SUCCESS) return;
  printf("{0}: CUDA cannot %s (%d)\n", doing, (int)error);
  exit(1);
}}

static void open_device(void) {{
  CUcontext context;
  require(cuInit(0), "start");
  require(cuDeviceGet(&device, 0), "find a device");
  require(cuDevicePrimaryCtxRetain(&context, device), "make a context");
  require(cuCtxSetCurrent(context), "use the context");
  const int code = {0}_create(&handle);
  if (code == 0) return;
  printf("{0}: {0}_create returned %d, the driver %d\n", code, {0}_driver_error());
  exit(1);
}}

static void close_device(void) {{
  {0}_destroy(handle);
  cuDevicePrimaryCtxRelease(device);
}}

/* A tensor on the device between two guards. */
struct on_device {{
  CUdeviceptr whole;
  void* at;
  size_t bytes;
}};

static struct on_device send(const void* from, size_t bytes) {{
  unsigned char* const all = memory_for(bytes + 2 * guard);
  memcpy(all + guard, from, bytes);
  struct on_device tensor = {{0, 0, bytes}};
  require(cuMemAlloc(&tensor.whole, bytes + 2 * guard), "give memory");
  require(cuMemcpyHtoD(tensor.whole, all, bytes + 2 * guard), "copy to the device");
  tensor.at = (void*)(tensor.whole + guard);
  free(all);
  return tensor;
}}

static void read_all(struct on_device tensor, void* to) {{
  require(cuMemcpyDtoH(to, tensor.whole, tensor.bytes + 2 * guard), "carry the calls out");
}}

static void release(struct on_device tensor) {{ cuMemFree(tensor.whole); }}
)";

constexpr const char* kCommonHelpers = R"(
/* Copies the tensor back. Returns whether what lies around it is as it was. */
static int fetch(struct on_device tensor, void* to) {{
  unsigned char* const all = memory_for(tensor.bytes + 2 * guard);
  read_all(tensor, all);
  memcpy(to, all + guard, tensor.bytes);
  const int untouched = all_ones(all, guard) && all_ones(all + guard + tensor.bytes, guard);
  free(all);
  return untouched;
}}

static int is_unchanged(struct on_device tensor, const void* from) {{
  unsigned char* const now = memory_for(tensor.bytes);
  const int unchanged = fetch(tensor, now) && memcmp(now, from, tensor.bytes) == 0;
  free(now);
  return unchanged;
}}
)";

/// `stream` is the last argument of a call; `includes` and `libraries` are those of the driver interface.
SelfTestCalls device_calls(const Exported& e, const char* helpers, const char* stream, const std::string& includes,
                           const char* libraries) {
  std::string before, arguments, nulls, is_wrong, releases;
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    const std::string& name = e.parameters[i];
    const std::int64_t elements = e.definition->args[i].buffer()->elements();
    nulls += "0, ";
    arguments += name + "_sent.at, ";
    releases += fmt::format("  release({}_sent);\n", name);
    is_wrong += is_wrong.empty() ? "" : " || ";
    if (static_cast<int>(i) < e.definition->inputs) {
      before += fmt::format("  const struct on_device {0}_sent = send({0}, {1} * sizeof *{0});\n", name, elements);
      is_wrong += fmt::format("!is_unchanged({0}_sent, {0})", name);
      continue;
    }
    before += fmt::format(
        "  {0}* {1}_at = memory_for({1}_span * sizeof *{1}_at);\n"
        "  const struct on_device {1}_sent = send({1}_at, {1}_span * sizeof *{1}_at);\n",
        c_type(e.definition->args[i].dtype()), name);
    is_wrong += fmt::format("!fetch({0}_sent, {0}_at)", name);
    releases += fmt::format("  free({}_at);\n", name);
  }
  return {
      .where = " three times",
      .build = fmt::format("cc -O2 {0}_selftest.c {0}.c -lm {1} -o {0}_selftest && ./{0}_selftest", e.name, libraries),
      .includes = includes,
      .helpers = fmt::format(fmt::runtime(std::string(helpers) + kCommonHelpers), e.name),
      .turn = "int turn",
      .turns = "0, 1, 2",
      .before = before,
      .call = fmt::format("{}(handle, {}{})", e.name, arguments, stream),
      .unable = "the device cannot run it",
      .after = fmt::format(R"(  if ({1}) {{
    printf("{0}: wrote outside its output in call %d\n", turn);
    right = 0;
  }}
)",
                           e.name, is_wrong),
      .release = releases,
      .start = "  open_device();\n",
      .null_call = fmt::format("{}(handle, {}{})", e.name, nulls, stream),
      .nulls = "tensors",
      .end = "  close_device();\n",
  };
}

}  // namespace

SelfTestCalls cuda_self_test_calls(const Exported& e) {
  return device_calls(e, kCudaHelpers, "0", "\n#include <cuda.h>\n", "-lcuda");
}

SelfTestCalls opencl_self_test_calls(const Exported& e) {
  return device_calls(e, kOpenClHelpers, "queue", "", "-lOpenCL");
}

SelfTestCalls self_test_calls(const Exported& e) {
  switch (e.task->target.device) {
    case DeviceKind::kCpu:
      return host_self_test_calls(e);
    case DeviceKind::kCuda:
      return cuda_self_test_calls(e);
    case DeviceKind::kOpenCl:
      return opencl_self_test_calls(e);
  }
  throw InternalError("internal error: an unknown kind of device");
}

}  // namespace nestwright
