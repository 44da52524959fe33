#include "runtime/device.h"

#include "runtime/cuda/cuda_device.h"
#include "runtime/device_error.h"
#include "runtime/opencl/opencl_device.h"
#include "support/error.h"

namespace nestwright {
namespace {

std::vector<DeviceInfo> devices_of(DeviceKind kind) {
  return kind == DeviceKind::kCuda ? cuda::list_devices() : opencl::list_devices();
}

}  // namespace

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

std::vector<DeviceListing> list_devices() {
  std::vector<DeviceListing> listings;
  for (const DeviceKind kind : {DeviceKind::kCuda, DeviceKind::kOpenCl}) {
    DeviceListing& listing = listings.emplace_back();
    listing.kind = kind;
    try {
      listing.devices = devices_of(kind);
    } catch (const DeviceError& e) {
      listing.missing = e.what();
    }
  }
  return listings;
}

}  // namespace nestwright
