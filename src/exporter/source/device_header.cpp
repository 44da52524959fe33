#include <fmt/format.h>

#include "exporter/source/c_text.h"
#include "exporter/source/device_sources.h"

namespace nestwright {
namespace {

/// The parts of the header's text that depend on the driver interface.
struct Words {
  const char* declarations;  ///< declarations above the functions
  const char* creation;      ///< parameters of NAME_create, except the handle that it returns
  const char* tensors;       ///< how tensors are passed
  const char* bad_call;      ///< the meaning of code 3
  const char* driver_error;  ///< the type of the driver's error codes
  const char* lifetime;
};

constexpr Words kCuda{
    "/* A CUstream or a cudaStream_t; null: the default stream. */\nstruct CUstream_st;\n",
    "",
    "pointers to memory of the device (a CUdeviceptr is to be cast), row-major, compact where no strides (in "
    "elements)\n"
    " * are given",
    "a pointer is null or not aligned as it has to be, or no context is current",
    "CUresult",
    "Loads the kernels into the context that is current in the calling thread, and makes their workspace. The context "
    "has\n"
    " * to be current at each call, too.",
};
constexpr Words kOpenCl{
    "#ifndef CL_TARGET_OPENCL_VERSION\n#define CL_TARGET_OPENCL_VERSION 120\n#endif\n#include <CL/cl.h>\n",
    "cl_command_queue queue, ",
    "buffers, or sub-buffers, of the queue's context, row-major, compact where no strides (in elements) are given",
    "a handle, a queue or a buffer is null or none, a buffer is smaller than its tensor, or the queue is of another\n"
    " *      context or device than the handle's or runs its commands out of order",
    "cl_int",
    "Compiles the kernels for the device of the queue, and makes their workspace. Calls may use other queues of the "
    "same\n"
    " * context and device.",
};

const Words& words_of(const Exported& e) { return e.task->target.device == DeviceKind::kCuda ? kCuda : kOpenCl; }

}  // namespace

std::string device_header_source(const Exported& e) {
  const Words& words = words_of(e);
  const std::int64_t workspace = device_workspace_bytes(e);
  return c_text("device/device_header",
                {{"NAME", e.name},
                 {"WORKLOAD", e.task->workload.str()},
                 {"TARGET", e.task->target.str()},
                 {"TIME", header_time(e)},
                 {"HOW", words.tensors},
                 {"TENSORS", header_tensors(e)},
                 {"OVERLAP", header_overlap(e)},
                 {"WORKSPACE", workspace == 0 ? "this kernel has none" : fmt::format("{} bytes", workspace)},
                 {"BAD_CALL", words.bad_call},
                 {"GUARD", header_guard(e.name)},
                 {"INCLUDES", header_includes(e)},
                 {"QUEUE", e.task->target.device == DeviceKind::kCuda ? "stream" : "queue"},
                 {"DECLARATIONS", words.declarations},
                 {"LIFETIME", words.lifetime},
                 {"CREATION", words.creation},
                 {"PARAMETERS", device_parameters(e)},
                 {"DRIVER_ERROR", words.driver_error}});
}

}  // namespace nestwright
