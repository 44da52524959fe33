#include "runtime/opencl/library.h"

#include <fmt/core.h>

#include <cstdlib>
#include <optional>

#include "nestwright/device.h"
#include "support/os/scratch_folder.h"
#include "support/os/shared_library.h"

namespace nestwright::opencl {
namespace {

/// Puts PoCL's cache into a folder of this process. The user's own folder may not be writable, to which PoCL reacts
/// with "no device", and PoCL would run stale entries there in place of new code with the same hash.
void prepare_pocl() {
  setenv("POCL_KERNEL_CACHE", "0", 0);  // does not overwrite the user's setting
  if (getenv("POCL_CACHE_DIR") != nullptr) return;
  static const ScratchFolder folder("nestwright-pocl");
  setenv("POCL_CACHE_DIR", folder.path().c_str(), 1);
}

template <class Function>
void find(const SharedLibrary& loader, Function& function, const char* name) {
  try {
    function = loader.function<Function>(name);
  } catch (const Error& e) {
    throw DeviceError(fmt::format("the OpenCL loader is too old: {}", e.what()));
  }
}

Library load() {
  const char* const named = std::getenv("NESTWRIGHT_OPENCL");
  const std::string names[] = {named != nullptr && *named != '\0' ? named : "libOpenCL.so.1"};
  const std::optional<SharedLibrary> found = SharedLibrary::open(names);
  if (!found) {
    throw DeviceError(fmt::format(
        "the OpenCL loader ({}) is not installed: install it (Debian: ocl-icd-libopencl1) and a driver (for "
        "CPUs: pocl-opencl-icd)",
        names[0]));
  }
  const SharedLibrary& loader = *found;
  prepare_pocl();
  Library l{};
  find(loader, l.get_platform_ids, "clGetPlatformIDs");
  find(loader, l.get_platform_info, "clGetPlatformInfo");
  find(loader, l.get_device_ids, "clGetDeviceIDs");
  find(loader, l.get_device_info, "clGetDeviceInfo");
  find(loader, l.create_context, "clCreateContext");
  find(loader, l.release_context, "clReleaseContext");
  find(loader, l.create_command_queue, "clCreateCommandQueue");
  find(loader, l.release_command_queue, "clReleaseCommandQueue");
  find(loader, l.create_buffer, "clCreateBuffer");
  find(loader, l.create_sub_buffer, "clCreateSubBuffer");
  find(loader, l.release_mem_object, "clReleaseMemObject");
  find(loader, l.enqueue_write_buffer, "clEnqueueWriteBuffer");
  find(loader, l.enqueue_read_buffer, "clEnqueueReadBuffer");
  find(loader, l.enqueue_copy_buffer, "clEnqueueCopyBuffer");
  find(loader, l.enqueue_fill_buffer, "clEnqueueFillBuffer");
  find(loader, l.create_program_with_source, "clCreateProgramWithSource");
  find(loader, l.build_program, "clBuildProgram");
  find(loader, l.get_program_build_info, "clGetProgramBuildInfo");
  find(loader, l.release_program, "clReleaseProgram");
  find(loader, l.create_kernel, "clCreateKernel");
  find(loader, l.release_kernel, "clReleaseKernel");
  find(loader, l.set_kernel_arg, "clSetKernelArg");
  find(loader, l.get_kernel_info, "clGetKernelInfo");
  find(loader, l.get_kernel_work_group_info, "clGetKernelWorkGroupInfo");
  find(loader, l.enqueue_nd_range_kernel, "clEnqueueNDRangeKernel");
  find(loader, l.release_event, "clReleaseEvent");
  find(loader, l.get_event_profiling_info, "clGetEventProfilingInfo");
  find(loader, l.finish, "clFinish");
  return l;
}

}  // namespace

const Library& library() {
  static const Library loaded = load();  // retried after an exception
  return loaded;
}

std::string error_name(cl_int error) {
  switch (error) {
    case CL_DEVICE_NOT_FOUND:
      return "CL_DEVICE_NOT_FOUND";
    case CL_DEVICE_NOT_AVAILABLE:
      return "CL_DEVICE_NOT_AVAILABLE";
    case CL_COMPILER_NOT_AVAILABLE:
      return "CL_COMPILER_NOT_AVAILABLE";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_OUT_OF_RESOURCES:
      return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY:
      return "CL_OUT_OF_HOST_MEMORY";
    case CL_BUILD_PROGRAM_FAILURE:
      return "CL_BUILD_PROGRAM_FAILURE";
    case CL_MISALIGNED_SUB_BUFFER_OFFSET:
      return "CL_MISALIGNED_SUB_BUFFER_OFFSET";
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
      return "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST";
    case CL_INVALID_VALUE:
      return "CL_INVALID_VALUE";
    case CL_INVALID_BUFFER_SIZE:
      return "CL_INVALID_BUFFER_SIZE";
    case CL_INVALID_KERNEL_NAME:
      return "CL_INVALID_KERNEL_NAME";
    case CL_INVALID_ARG_INDEX:
      return "CL_INVALID_ARG_INDEX";
    case CL_INVALID_ARG_SIZE:
      return "CL_INVALID_ARG_SIZE";
    case CL_INVALID_KERNEL_ARGS:
      return "CL_INVALID_KERNEL_ARGS";
    case CL_INVALID_WORK_GROUP_SIZE:
      return "CL_INVALID_WORK_GROUP_SIZE";
    case CL_INVALID_WORK_ITEM_SIZE:
      return "CL_INVALID_WORK_ITEM_SIZE";
    case CL_INVALID_GLOBAL_WORK_SIZE:
      return "CL_INVALID_GLOBAL_WORK_SIZE";
    case -1001:
      return "CL_PLATFORM_NOT_FOUND_KHR";
    default:
      return fmt::format("error {}", error);
  }
}

void require(cl_int error, const char* doing) {
  if (error != CL_SUCCESS) throw DeviceError(fmt::format("OpenCL cannot {} ({})", doing, error_name(error)));
}

void require_done(cl_int error, const char* doing) {
  if (error == CL_SUCCESS) return;
  throw DeviceLostError(
      fmt::format("OpenCL cannot {} ({}); the device is lost to this process", doing, error_name(error)));
}

}  // namespace nestwright::opencl
