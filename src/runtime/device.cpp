#include "nestwright/device.h"

#include "nestwright/error.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/opencl/opencl_device.h"

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
  DeviceListing listing{.kind = kind};
  try {
    switch (kind) {
      case DeviceKind::kCuda:
        listing.devices = cuda::list_devices();
        break;
      case DeviceKind::kOpenCl:
        listing.devices = opencl::list_devices();
        break;
      case DeviceKind::kCpu:
        throw InternalError("internal error: a CPU is no device to be listed");
    }
  } catch (const DeviceError& e) {
    listing.missing = e.what();
  }
  return listing;
}

std::vector<DeviceListing> list_devices() {
  return {list_devices(DeviceKind::kCuda), list_devices(DeviceKind::kOpenCl)};
}

}  // namespace nestwright
