// Compares our declarations of the CUDA driver with the toolkit's cuda.h, if there is one: the size and kind of each
// argument, and the values of the constants. Only compiled against the header; nothing is called.
#include <cuda.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "runtime/cuda/driver.h"

namespace nestwright::cuda {
namespace {

template <class A, class B>
constexpr bool is_alike = sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;

template <class Ours, class Theirs>
struct SameCall : std::false_type {};
template <class R, class... A, class S, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct SameCall<R (*)(A...), S (*)(B...)> : std::bool_constant<is_alike<R, S> && (is_alike<A, B> && ...)> {};

#define EXPECT_SAME(ours, theirs) static_assert(SameCall<decltype(Driver::ours), decltype(&(theirs))>::value)

EXPECT_SAME(init, cuInit);
EXPECT_SAME(driver_get_version, cuDriverGetVersion);
EXPECT_SAME(get_error_name, cuGetErrorName);
EXPECT_SAME(get_error_string, cuGetErrorString);
EXPECT_SAME(device_get_count, cuDeviceGetCount);
EXPECT_SAME(device_get, cuDeviceGet);
EXPECT_SAME(device_get_name, cuDeviceGetName);
EXPECT_SAME(device_get_pci_bus_id, cuDeviceGetPCIBusId);
EXPECT_SAME(device_get_attribute, cuDeviceGetAttribute);
EXPECT_SAME(device_total_mem, cuDeviceTotalMem_v2);
EXPECT_SAME(device_primary_ctx_retain, cuDevicePrimaryCtxRetain);
EXPECT_SAME(device_primary_ctx_release, cuDevicePrimaryCtxRelease_v2);
EXPECT_SAME(ctx_set_current, cuCtxSetCurrent);
EXPECT_SAME(ctx_synchronize, cuCtxSynchronize);
EXPECT_SAME(mem_alloc, cuMemAlloc_v2);
EXPECT_SAME(mem_free, cuMemFree_v2);
EXPECT_SAME(memcpy_htod, cuMemcpyHtoD_v2);
EXPECT_SAME(memcpy_dtoh, cuMemcpyDtoH_v2);
EXPECT_SAME(memcpy_dtod, cuMemcpyDtoD_v2);
EXPECT_SAME(memset_d8, cuMemsetD8_v2);
EXPECT_SAME(module_load_data_ex, cuModuleLoadDataEx);
EXPECT_SAME(module_unload, cuModuleUnload);
EXPECT_SAME(module_get_function, cuModuleGetFunction);
EXPECT_SAME(func_get_attribute, cuFuncGetAttribute);
EXPECT_SAME(func_set_attribute, cuFuncSetAttribute);
EXPECT_SAME(launch_kernel, cuLaunchKernel);
EXPECT_SAME(event_create, cuEventCreate);
EXPECT_SAME(event_record, cuEventRecord);
EXPECT_SAME(event_synchronize, cuEventSynchronize);
EXPECT_SAME(event_elapsed_time, cuEventElapsedTime);
EXPECT_SAME(event_destroy, cuEventDestroy_v2);

TEST(CudaAbi, NumbersAreTheHeaders) {
  EXPECT_EQ(static_cast<int>(DeviceAttribute::kThreadsPerBlock), CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_EQ(static_cast<int>(DeviceAttribute::kWarpSize), CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  EXPECT_EQ(static_cast<int>(DeviceAttribute::kRegistersPerBlock), CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  EXPECT_EQ(static_cast<int>(DeviceAttribute::kMultiprocessors), CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(static_cast<int>(DeviceAttribute::kL2Bytes), CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  EXPECT_EQ(static_cast<int>(DeviceAttribute::kCapabilityMajor), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(static_cast<int>(DeviceAttribute::kCapabilityMinor), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(static_cast<int>(DeviceAttribute::kSharedBytesPerBlockOptIn),
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_EQ(static_cast<int>(FunctionAttribute::kThreadsPerBlock), CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_EQ(static_cast<int>(FunctionAttribute::kStaticSharedBytes), CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  EXPECT_EQ(static_cast<int>(FunctionAttribute::kDynamicSharedBytes), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EXPECT_EQ(static_cast<int>(JitOption::kErrorLog), CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(static_cast<int>(JitOption::kErrorLogBytes), CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  EXPECT_EQ(kNoDevice, CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(kNotFound, CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(sizeof(DevicePointer), sizeof(CUdeviceptr));
}

}  // namespace
}  // namespace nestwright::cuda
