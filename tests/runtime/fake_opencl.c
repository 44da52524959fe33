/* The OpenCL of this machine, modified by FAKE_OPENCL in the environment. With "lost", operations fail once a kernel
 * was launched, as GPU drivers behave after an invalid access. With "nvidia", the device has compute capability 9.0 and
 * reports 2 MiB of cache. All other calls are passed through. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int is_lost = 0;

static int is_enabled(const char* word) {
  const char* const value = getenv("FAKE_OPENCL");
  return value != NULL && strstr(value, word) != NULL;
}

static void* real(const char* name) {
  static void* library = NULL;
  if (library == NULL) library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return library == NULL ? NULL : dlsym(library, name);
}

#define FORWARD(result, name, parameters, arguments) \
  result name parameters { return ((result(*) parameters)real(#name))arguments; }

FORWARD(cl_int, clGetPlatformIDs, (cl_uint n, cl_platform_id* ids, cl_uint* count), (n, ids, count))
FORWARD(cl_int, clGetPlatformInfo, (cl_platform_id p, cl_platform_info i, size_t n, void* v, size_t* s),
        (p, i, n, v, s))
FORWARD(cl_int, clGetDeviceIDs, (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id* ids, cl_uint* count),
        (p, t, n, ids, count))
FORWARD(cl_context, clCreateContext,
        (const cl_context_properties* p, cl_uint n, const cl_device_id* d,
         void(CL_CALLBACK* f)(const char*, const void*, size_t, void*), void* u, cl_int* e),
        (p, n, d, f, u, e))
FORWARD(cl_int, clReleaseContext, (cl_context c), (c))
FORWARD(cl_command_queue, clCreateCommandQueue,
        (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int* e), (c, d, p, e))
FORWARD(cl_int, clReleaseCommandQueue, (cl_command_queue q), (q))
FORWARD(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags f, size_t n, void* h, cl_int* e), (c, f, n, h, e))
FORWARD(cl_mem, clCreateSubBuffer, (cl_mem m, cl_mem_flags f, cl_buffer_create_type t, const void* i, cl_int* e),
        (m, f, t, i, e))
FORWARD(cl_int, clReleaseMemObject, (cl_mem m), (m))
FORWARD(cl_int, clEnqueueWriteBuffer,
        (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, const void* p, cl_uint c, const cl_event* w,
         cl_event* e),
        (q, m, b, o, n, p, c, w, e))
FORWARD(cl_int, clEnqueueCopyBuffer,
        (cl_command_queue q, cl_mem a, cl_mem b, size_t i, size_t o, size_t n, cl_uint c, const cl_event* w,
         cl_event* e),
        (q, a, b, i, o, n, c, w, e))
FORWARD(cl_int, clEnqueueFillBuffer,
        (cl_command_queue q, cl_mem m, const void* p, size_t s, size_t o, size_t n, cl_uint c, const cl_event* w,
         cl_event* e),
        (q, m, p, s, o, n, c, w, e))
FORWARD(cl_program, clCreateProgramWithSource, (cl_context c, cl_uint n, const char** t, const size_t* l, cl_int* e),
        (c, n, t, l, e))
FORWARD(cl_int, clBuildProgram,
        (cl_program p, cl_uint n, const cl_device_id* d, const char* o, void(CL_CALLBACK* f)(cl_program, void*),
         void* u),
        (p, n, d, o, f, u))
FORWARD(cl_int, clGetProgramBuildInfo,
        (cl_program p, cl_device_id d, cl_program_build_info i, size_t n, void* v, size_t* s), (p, d, i, n, v, s))
FORWARD(cl_int, clReleaseProgram, (cl_program p), (p))
FORWARD(cl_kernel, clCreateKernel, (cl_program p, const char* n, cl_int* e), (p, n, e))
FORWARD(cl_int, clReleaseKernel, (cl_kernel k), (k))
FORWARD(cl_int, clSetKernelArg, (cl_kernel k, cl_uint i, size_t n, const void* v), (k, i, n, v))
FORWARD(cl_int, clGetKernelInfo, (cl_kernel k, cl_kernel_info i, size_t n, void* v, size_t* s), (k, i, n, v, s))
FORWARD(cl_int, clGetKernelWorkGroupInfo,
        (cl_kernel k, cl_device_id d, cl_kernel_work_group_info i, size_t n, void* v, size_t* s), (k, d, i, n, v, s))
FORWARD(cl_int, clReleaseEvent, (cl_event e), (e))
FORWARD(cl_int, clGetEventProfilingInfo, (cl_event e, cl_profiling_info i, size_t n, void* v, size_t* s),
        (e, i, n, v, s))

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint d, const size_t* o, const size_t* g,
                              const size_t* l, cl_uint c, const cl_event* w, cl_event* e) {
  typedef cl_int (*launch)(cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*, const size_t*, cl_uint,
                           const cl_event*, cl_event*);
  is_lost = is_enabled("lost");
  return ((launch)real("clEnqueueNDRangeKernel"))(q, k, d, o, g, l, c, w, e);
}
cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, void* p, cl_uint c,
                           const cl_event* w, cl_event* e) {
  typedef cl_int (*read_)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void*, cl_uint, const cl_event*,
                          cl_event*);
  if (is_lost) return CL_OUT_OF_RESOURCES;
  return ((read_)real("clEnqueueReadBuffer"))(q, m, b, o, n, p, c, w, e);
}
cl_int clFinish(cl_command_queue q) {
  if (is_lost) return CL_OUT_OF_RESOURCES;
  return ((cl_int(*)(cl_command_queue))real("clFinish"))(q);
}

cl_int clGetDeviceInfo(cl_device_id d, cl_device_info i, size_t n, void* v, size_t* s) {
  typedef cl_int (*info)(cl_device_id, cl_device_info, size_t, void*, size_t*);
  if (is_enabled("nvidia") && v != NULL) {
    if (i == CL_DEVICE_GLOBAL_MEM_CACHE_SIZE) return *(cl_ulong*)v = 2 << 20, CL_SUCCESS;
    if (i == 0x4000) return *(cl_uint*)v = 9, CL_SUCCESS;
    if (i == 0x4001) return *(cl_uint*)v = 0, CL_SUCCESS;
  }
  return ((info)real("clGetDeviceInfo"))(d, i, n, v, s);
}
