// The functions of OpenCL 1.2 that we call, looked up in the ICD loader on first use. Private to runtime/opencl.
// Thread rule: any thread.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>

namespace nestwright::opencl {

struct Library {
  decltype(&::clGetPlatformIDs) get_platform_ids;
  decltype(&::clGetPlatformInfo) get_platform_info;
  decltype(&::clGetDeviceIDs) get_device_ids;
  decltype(&::clGetDeviceInfo) get_device_info;
  decltype(&::clCreateContext) create_context;
  decltype(&::clReleaseContext) release_context;
  decltype(&::clCreateCommandQueue) create_command_queue;
  decltype(&::clReleaseCommandQueue) release_command_queue;
  decltype(&::clCreateBuffer) create_buffer;
  decltype(&::clCreateSubBuffer) create_sub_buffer;
  decltype(&::clReleaseMemObject) release_mem_object;
  decltype(&::clEnqueueWriteBuffer) enqueue_write_buffer;
  decltype(&::clEnqueueReadBuffer) enqueue_read_buffer;
  decltype(&::clEnqueueCopyBuffer) enqueue_copy_buffer;
  decltype(&::clEnqueueFillBuffer) enqueue_fill_buffer;
  decltype(&::clCreateProgramWithSource) create_program_with_source;
  decltype(&::clBuildProgram) build_program;
  decltype(&::clGetProgramBuildInfo) get_program_build_info;
  decltype(&::clReleaseProgram) release_program;
  decltype(&::clCreateKernel) create_kernel;
  decltype(&::clReleaseKernel) release_kernel;
  decltype(&::clSetKernelArg) set_kernel_arg;
  decltype(&::clGetKernelInfo) get_kernel_info;
  decltype(&::clGetKernelWorkGroupInfo) get_kernel_work_group_info;
  decltype(&::clEnqueueNDRangeKernel) enqueue_nd_range_kernel;
  decltype(&::clReleaseEvent) release_event;
  decltype(&::clGetEventProfilingInfo) get_event_profiling_info;
  decltype(&::clFinish) finish;
};

/// Returns the functions of libOpenCL.so.1, or of the library that NESTWRIGHT_OPENCL names. Throws DeviceError if it is
/// not installed or lacks a function. Unless POCL_CACHE_DIR is set, PoCL's cache becomes a folder of this process,
/// which is removed when the process ends.
const Library& library();

/// Returns e.g. "CL_OUT_OF_RESOURCES"; "error <number>" for an unknown one.
std::string error_name(cl_int error);
/// Throws DeviceError, "OpenCL cannot <doing> (<error>)", unless `error` is CL_SUCCESS.
void require(cl_int error, const char* doing);
/// The same for calls that wait for the device; throws DeviceLostError. Most drivers report a kernel's invalid access
/// this way, and the queue is unusable afterwards.
void require_done(cl_int error, const char* doing);

}  // namespace nestwright::opencl
