#include "runtime/cuda/driver.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>

#include "nestwright/device.h"
#include "support/os/shared_library.h"

namespace nestwright::cuda {
namespace {

template <class Function>
void find(const SharedLibrary& library, Function& function, const char* name) {
  try {
    function = library.function<Function>(name);
  } catch (const Error& e) {
    throw DeviceError(fmt::format("the CUDA driver is older than CUDA 11: {}", e.what()));
  }
}

std::string describe(const Driver& driver, Result result) {
  const char *name = nullptr, *text = nullptr;
  if (driver.get_error_name(result, &name) != kSuccess || name == nullptr) return fmt::format("error {}", result);
  if (driver.get_error_string(result, &text) != kSuccess || text == nullptr) return name;
  return fmt::format("{}: {}", name, text);
}

Driver load() {
  const std::string names[] = {library_name()};
  const std::optional<SharedLibrary> found = SharedLibrary::open(names);
  if (!found) {
    throw DeviceError(
        fmt::format("the CUDA driver ({}) is not installed: install NVIDIA's driver for this machine's GPU", names[0]));
  }
  const SharedLibrary& library = *found;
  Driver d{};
  find(library, d.init, "cuInit");
  find(library, d.driver_get_version, "cuDriverGetVersion");
  find(library, d.get_error_name, "cuGetErrorName");
  find(library, d.get_error_string, "cuGetErrorString");
  find(library, d.device_get_count, "cuDeviceGetCount");
  find(library, d.device_get, "cuDeviceGet");
  find(library, d.device_get_name, "cuDeviceGetName");
  find(library, d.device_get_pci_bus_id, "cuDeviceGetPCIBusId");
  find(library, d.device_get_attribute, "cuDeviceGetAttribute");
  // The versioned names are those that cuda.h maps to: the plain ones have 32-bit sizes.
  find(library, d.device_total_mem, "cuDeviceTotalMem_v2");
  find(library, d.device_primary_ctx_retain, "cuDevicePrimaryCtxRetain");
  find(library, d.device_primary_ctx_release, "cuDevicePrimaryCtxRelease_v2");
  find(library, d.ctx_set_current, "cuCtxSetCurrent");
  find(library, d.ctx_synchronize, "cuCtxSynchronize");
  find(library, d.mem_alloc, "cuMemAlloc_v2");
  find(library, d.mem_free, "cuMemFree_v2");
  find(library, d.memcpy_htod, "cuMemcpyHtoD_v2");
  find(library, d.memcpy_dtoh, "cuMemcpyDtoH_v2");
  find(library, d.memcpy_dtod, "cuMemcpyDtoD_v2");
  find(library, d.memset_d8, "cuMemsetD8_v2");
  find(library, d.module_load_data_ex, "cuModuleLoadDataEx");
  find(library, d.module_unload, "cuModuleUnload");
  find(library, d.module_get_function, "cuModuleGetFunction");
  find(library, d.func_get_attribute, "cuFuncGetAttribute");
  find(library, d.func_set_attribute, "cuFuncSetAttribute");
  find(library, d.launch_kernel, "cuLaunchKernel");
  find(library, d.event_create, "cuEventCreate");
  find(library, d.event_record, "cuEventRecord");
  find(library, d.event_synchronize, "cuEventSynchronize");
  find(library, d.event_elapsed_time, "cuEventElapsedTime");
  find(library, d.event_destroy, "cuEventDestroy_v2");
  const Result result = d.init(0);
  if (result != kSuccess) {
    throw DeviceError(
        fmt::format("the CUDA driver does not start ({}): see whether nvidia-smi lists a GPU", describe(d, result)));
  }
  return d;
}

// The errors after which, by the driver's documentation, the process must be terminated to continue, and hardware
// errors.
constexpr Result kLost[] = {
    214,  // ECC_UNCORRECTABLE
    220,  // NVLINK_UNCORRECTABLE
    226,  // CONTAINED
    700,  // ILLEGAL_ADDRESS
    702,  // LAUNCH_TIMEOUT
    709,  // CONTEXT_IS_DESTROYED
    710,  // ASSERT
    714,  // HARDWARE_STACK_ERROR
    715,  // ILLEGAL_INSTRUCTION
    716,  // MISALIGNED_ADDRESS
    717,  // INVALID_ADDRESS_SPACE
    718,  // INVALID_PC
    719,  // LAUNCH_FAILED
    721,  // TENSOR_MEMORY_LEAK
    911,  // EXTERNAL_DEVICE
    999,  // UNKNOWN
};

}  // namespace

const char* library_name() {
  const char* const named = std::getenv("NESTWRIGHT_CUDA_DRIVER");
  return named != nullptr && *named != '\0' ? named : "libcuda.so.1";
}

const Driver& driver() {
  static const Driver loaded = load();  // retried after an exception
  return loaded;
}

void require(Result result, std::string_view doing) {
  if (result == kSuccess) return;
  const std::string what = fmt::format("CUDA cannot {} ({})", doing, describe(driver(), result));
  if (std::find(std::begin(kLost), std::end(kLost), result) == std::end(kLost)) throw DeviceError(what);
  throw DeviceLostError(what + "; the device is lost to this process");
}

}  // namespace nestwright::cuda
