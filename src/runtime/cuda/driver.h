// The functions of the CUDA driver that we call. They are declared here, so that a build needs no toolkit, and looked
// up on first use in libcuda.so.1 or the library that NESTWRIGHT_CUDA_DRIVER names. Names and numbers are those of the
// driver's documented interface, which is stable. Private to runtime/cuda.
// Thread rule: any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace nestwright::cuda {

using Result = int;  ///< CUresult
inline constexpr Result kSuccess = 0, kNoDevice = 100, kNotFound = 500;

using DeviceNumber = int;                  ///< CUdevice
using DevicePointer = unsigned long long;  ///< CUdeviceptr
using ContextHandle = struct CUctx_st*;    ///< CUcontext
using ModuleHandle = struct CUmod_st*;     ///< CUmodule
using FunctionHandle = struct CUfunc_st*;  ///< CUfunction
using StreamHandle = struct CUstream_st*;  ///< CUstream; null: the default stream, which we use for everything
using EventHandle = struct CUevent_st*;    ///< CUevent

/// CUdevice_attribute
enum class DeviceAttribute : int {
  kThreadsPerBlock = 1,
  kWarpSize = 10,
  kRegistersPerBlock = 12,
  kMultiprocessors = 16,
  kL2Bytes = 38,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kSharedBytesPerBlockOptIn = 97,
};
/// CUfunction_attribute
enum class FunctionAttribute : int {
  kThreadsPerBlock = 0,
  kStaticSharedBytes = 1,
  kLocalBytes = 3,
  kRegisters = 4,
  kDynamicSharedBytes = 8,  ///< the most that a launch may request
};
/// CUjit_option
enum class JitOption : int {
  kErrorLog = 5,       ///< a char*
  kErrorLogBytes = 6,  ///< its size, cast to a pointer
};

/// The functions of the driver, under their names in snake_case without "cu".
struct Driver {
  Result (*init)(unsigned int flags);
  Result (*driver_get_version)(int* version);
  Result (*get_error_name)(Result error, const char** name);
  Result (*get_error_string)(Result error, const char** text);
  Result (*device_get_count)(int* count);
  Result (*device_get)(DeviceNumber* device, int ordinal);
  Result (*device_get_name)(char* name, int bytes, DeviceNumber device);
  Result (*device_get_pci_bus_id)(char* id, int bytes, DeviceNumber device);
  Result (*device_get_attribute)(int* value, DeviceAttribute attribute, DeviceNumber device);
  Result (*device_total_mem)(std::size_t* bytes, DeviceNumber device);
  Result (*device_primary_ctx_retain)(ContextHandle* context, DeviceNumber device);
  Result (*device_primary_ctx_release)(DeviceNumber device);
  Result (*ctx_set_current)(ContextHandle context);
  Result (*ctx_synchronize)();
  Result (*mem_alloc)(DevicePointer* pointer, std::size_t bytes);
  Result (*mem_free)(DevicePointer pointer);
  Result (*memcpy_htod)(DevicePointer to, const void* from, std::size_t bytes);
  Result (*memcpy_dtoh)(void* to, DevicePointer from, std::size_t bytes);
  Result (*memcpy_dtod)(DevicePointer to, DevicePointer from, std::size_t bytes);
  Result (*memset_d8)(DevicePointer to, unsigned char value, std::size_t bytes);
  Result (*module_load_data_ex)(ModuleHandle* module, const void* image, unsigned int options, JitOption* names,
                                void** values);
  Result (*module_unload)(ModuleHandle module);
  Result (*module_get_function)(FunctionHandle* function, ModuleHandle module, const char* name);
  Result (*func_get_attribute)(int* value, FunctionAttribute attribute, FunctionHandle function);
  Result (*func_set_attribute)(FunctionHandle function, FunctionAttribute attribute, int value);
  Result (*launch_kernel)(FunctionHandle function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                          unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                          StreamHandle stream, void** arguments, void** extra);
  Result (*event_create)(EventHandle* event, unsigned int flags);
  Result (*event_record)(EventHandle event, StreamHandle stream);
  Result (*event_synchronize)(EventHandle event);
  Result (*event_elapsed_time)(float* milliseconds, EventHandle start, EventHandle end);
  Result (*event_destroy)(EventHandle event);
};

/// Returns the name of the driver's library: libcuda.so.1, or the value of NESTWRIGHT_CUDA_DRIVER.
const char* library_name();

/// Returns the initialised driver. Throws DeviceError if it is not installed, lacks a function or finds no device.
const Driver& driver();

/// Throws DeviceError, "CUDA cannot <doing> (<error>)", unless `result` is kSuccess; DeviceLostError for an error after
/// which the context is unusable.
void require(Result result, std::string_view doing);

}  // namespace nestwright::cuda
