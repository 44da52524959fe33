#include "runtime/device.h"

#include "runtime/cuda/cuda_device.h"
#include "runtime/device_error.h"
#include "runtime/opencl/opencl_device.h"
#include "support/error.h"

namespace nestwright {

std::unique_ptr<Device> make_device(DeviceKind kind, int index) {
  switch (kind) {
    case DeviceKind::kCuda:
      return cuda::make_device(index);
    case DeviceKind::kOpenCl:
      return opencl::make_device(index);
    case DeviceKind::kCpu:
      throw UsageError("a CPU is no device: its kernels are called in this process");
  }
  throw InternalError("internal error: unknown kind of device");
}

DeviceListing list_devices(DeviceKind kind) {
  check(kind != DeviceKind::kCpu, "a CPU is no device to be listed");
  DeviceListing listing{.kind = kind};
  try {
    listing.devices = kind == DeviceKind::kCuda ? cuda::list_devices() : opencl::list_devices();
  } catch (const DeviceError& e) {
    listing.missing = e.what();
  }
  return listing;
}

std::vector<DeviceListing> list_devices() {
  return {list_devices(DeviceKind::kCuda), list_devices(DeviceKind::kOpenCl)};
}

}  // namespace nestwright
