#include <fmt/format.h>

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
    R"(#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
)",
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
  return fmt::format(
      R"(/* {name}: {workload}
 *
 * A kernel tuned by Nestwright for {target}.
 * Time of one call: {time}.
 *
 * Tensors are {how}:
{tensors} * {overlap}
 *
 * Each function returns 0, or
 *   1  the device cannot run the kernels: its driver does not take their code, or it has too few threads a block or too
 *      little shared memory
 *   2  no memory for the handle or the workspace ({workspace})
 *   3  {bad_call}
 *   4  the driver failed otherwise, or an earlier kernel did: see {name}_driver_error()
 *
 * A call returns once its kernels are queued. A handle serves one thread and one {queue} at a time: calls share its
 * workspace. Make one for each of those that run at the same time.
 */
#ifndef {guard}
#define {guard}

{includes}{declarations}
#ifdef __cplusplus
extern "C" {{
#endif

struct {name}_handle;

/* {lifetime} On failure *handle is null. */
int {name}_create({creation}struct {name}_handle** handle);

int {name}({parameters});

/* When the kernels of its calls have ended. A null handle is none. */
void {name}_destroy(struct {name}_handle* handle);

/* The driver's own code ({driver_error}) of the calling thread's last call above; 0 where it reported none. */
int {name}_driver_error(void);

#ifdef __cplusplus
}}
#endif

#endif
)",
      fmt::arg("name", e.name), fmt::arg("workload", e.task->workload.str()), fmt::arg("target", e.task->target.str()),
      fmt::arg("time", header_time(e)), fmt::arg("how", words.tensors), fmt::arg("tensors", header_tensors(e)),
      fmt::arg("overlap", header_overlap(e)),
      fmt::arg("workspace", workspace == 0 ? "this kernel has none" : fmt::format("{} bytes", workspace)),
      fmt::arg("bad_call", words.bad_call), fmt::arg("guard", header_guard(e.name)),
      fmt::arg("includes", header_includes(e)),
      fmt::arg("queue", e.task->target.device == DeviceKind::kCuda ? "stream" : "queue"),
      fmt::arg("declarations", words.declarations), fmt::arg("lifetime", words.lifetime),
      fmt::arg("creation", words.creation), fmt::arg("parameters", device_parameters(e)),
      fmt::arg("driver_error", words.driver_error));
}

}  // namespace nestwright
